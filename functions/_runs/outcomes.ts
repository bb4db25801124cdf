/** What follows an outcome that is in the ledger: its event and its report. */
import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { isParkReason, parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';
import type { RecordDelivery, Outcome, RecordResult } from '../_handler/queue-record.ts';
import { reportOnce } from '../_handler/worker-reports.ts';
import type { RunCommandDeps } from './decide/state.ts';

/** Publishes the event of a command's own outcome, and reports it once: what an earlier delivery recorded is only published again. */
export function reportOutcome(
  row: CommandRow | undefined,
  { record, context }: RecordDelivery,
  deps: Pick<RunCommandDeps, 'bus' | 'random'>,
  { isRepeat } = { isRepeat: false },
): Promise<RecordResult> {
  if (row === undefined) throw new Error('no outcome was recorded');
  const followUp = () => publishOutcome(row, deps);
  return reportOnce(outcomeOf(row), { isRepeat, followUp }, { record, context, random: deps.random });
}

/** Publishes the event of an outcome, if it has one, under the same event id each time. */
async function publishOutcome(row: CommandRow, { bus }: { readonly bus: OutcomePublisher }): Promise<void> {
  const type = eventTypeOf(row);
  const { command, outcome, campaignRunId } = row;
  const { confirmWithin: _confirmWithin, ...facts }: Partial<CommandRow['facts']> = row.facts ?? {};
  if (type === undefined || outcome === undefined) return;
  const { kind, at, reason, detail } = outcome;
  const { id: commandId, action, origin, run, reason: askedBecause } = command;
  const about = { commandId, action, origin, at, run, campaignRunId, askedBecause, reason, detail };
  await bus.publish(type, {
    // Parked a second time, after a person's repeat, is news.
    eventId: `${commandId}:${kind}${kind === 'parked' ? `:${at}` : ''}`,
    ...about,
    startAt: kind === 'applied' ? row.startAt : undefined,
    lateSeconds: action === 'stop' ? secondsBetween(command.issuedAt, at) : undefined,
    nextStep: reason !== undefined && isParkReason(reason) ? parkReasons[reason].nextStep : undefined,
    isObserved: row.isObserved,
    ...facts,
  });
}

/** From the instant at which a stop was due, or requested, to its outcome, outages included. */
function secondsBetween(issuedAt: string, at: string): number {
  return Math.max(0, Math.round((Date.parse(at) - Date.parse(issuedAt)) / 1000));
}

function eventTypeOf({ command, outcome, isObserved }: CommandRow): EventType | undefined {
  if (outcome?.kind === 'parked') return eventTypes.workParked;
  if (command.action === 'start' && outcome?.kind === 'skipped') return eventTypes.campaignRunStartSkipped;
  // What was only observed has not happened.
  if (outcome?.kind !== 'applied' || isObserved === true) return undefined;
  if (command.action === 'start') return eventTypes.campaignRunStarted;
  return eventTypes.campaignRunStopped;
}

/** For the log, the metrics and `autopilot status`. */
function outcomeOf({ command, outcome, campaignRunId, isObserved }: CommandRow): Outcome {
  const { id: subject, action, run } = command;
  const { kind = 'applied', reason, detail } = outcome ?? {};
  const fields = { action, run, campaignRunId, isObserved };
  return { kind, subject, reason, detail, fields };
}
