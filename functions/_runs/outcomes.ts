/** What follows an outcome that is in the ledger: its event and its report. */
import type { OutcomePublisher, OutcomeEvent } from '#shared/aws/outcome-bus.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { commandTitle } from '#shared/messages/campaign-run-command.ts';
import { isParkReason, parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';
import type { RecordDelivery, Outcome, RecordResult } from '../_handler/queue-record.ts';
import { reportOnce } from '../_handler/worker-reports.ts';
import type { RunCommandDeps } from './decide/state.ts';

/** Publishes the event of a command's own outcome, and reports it once. */
export function reportOutcome(
  row: CommandRow | undefined,
  { record, context }: RecordDelivery,
  deps: Pick<RunCommandDeps, 'bus' | 'random'>,
): Promise<RecordResult> {
  if (row === undefined) throw new Error('no outcome was recorded');
  const followUp = () => publishOutcome(row, deps);
  return reportOnce(outcomeOf(row), { isRepeat: false, followUp }, { record, context, random: deps.random });
}

/** Publishes the event of an outcome, if it has one, under the same event id each time. */
export async function publishOutcome(row: CommandRow, { bus }: { readonly bus: OutcomePublisher }): Promise<void> {
  const type = eventTypeOf(row);
  const { command, outcome, campaignRunId, facts } = row;
  if (type === undefined || outcome === undefined) return;
  const { reason, detail } = outcome;
  const event: OutcomeEvent & Record<string, unknown> = {
    // Parked a second time, after a person's repeat, is news.
    eventId: `${command.id}:${outcome.kind}${outcome.kind === 'parked' ? `:${outcome.at}` : ''}`,
    commandId: command.id,
    action: command.action,
    origin: command.origin,
    at: outcome.at,
    lateSeconds: command.action === 'stop' ? secondsBetween(command.issuedAt, outcome.at) : undefined,
    run: command.run,
    campaignRunId,
    askedBecause: command.reason,
    reason,
    detail,
    nextStep: reason !== undefined && isParkReason(reason) ? parkReasons[reason].nextStep : undefined,
    isObserved: row.isObserved,
    ...facts,
  };
  await bus.publish(type, event);
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
  return {
    kind: outcome?.kind ?? 'applied',
    subject: command.id,
    title: commandTitle(command),
    reason: outcome?.reason,
    detail: outcome?.detail,
    fields: { action: command.action, run: command.run, campaignRunId, isObserved },
  };
}
