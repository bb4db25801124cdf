import type { OutcomeEvent } from '../../shared/aws/outcome-bus.ts';
import { isParkedMessage, parkMessage, parkedWork } from '../../shared/ledger/parking.ts';
import {
  type CommandItem,
  expiryOf,
  ledgerKeys,
  type RecordedOutcome,
  type RecordedVerdict,
} from '../../shared/ledger/items.ts';
import { eventTypes, type EventType } from '../../shared/vocabulary/event-types.ts';
import { parkReasons, isParkReason, type ParkReason, type SkipReason } from '../../shared/vocabulary/reason-codes.ts';
import { cappedDetail, listedDetail } from '../../shared/ledger/capped-detail.ts';
import { keyInTable } from '../_runtime/observe.ts';
import { later, type Outcome, type RecordResult } from '../_runtime/outcome.ts';
import { reportOnce } from '../_runtime/report-once.ts';
import type { QueueRecord, RecordContext } from '../_runtime/queue-worker.ts';
import { shortWaitMs } from './before-call.ts';
import type { CommandWork, Evidence, UpdateDeps } from './deps.ts';

/** A row that another attempt writes at the same time is tried again this often. */
const writeTries = 3;

/** How a command ended, before it is written down. */
export interface Conclusion {
  readonly outcome: Omit<RecordedOutcome, 'at'>;
  readonly campaignRunId?: string;
  /** What a parked row keeps beside the message. */
  readonly evidence?: Evidence;
  /** For the event: when the run starts and when its stop is due. */
  readonly facts?: Readonly<Record<string, string>>;
  /** What the guards said, where they were asked. */
  readonly verdicts?: readonly RecordedVerdict[];
}

/** It was done. */
export function applied(
  campaignRunId: string,
  facts: Readonly<Record<string, string>> = {},
  detail?: string,
): Conclusion {
  return { outcome: { kind: 'applied', ...(detail === undefined ? {} : { detail }) }, campaignRunId, facts };
}

/** A newer wish made it moot. */
export function superseded(campaignRunId: string | undefined, detail: string): Conclusion {
  return { outcome: { kind: 'superseded', detail }, ...(campaignRunId === undefined ? {} : { campaignRunId }) };
}

/** It was passed over on purpose. */
export function skipped(reason: SkipReason, detail: string, campaignRunId?: string): Conclusion {
  return { outcome: { kind: 'skipped', reason, detail }, ...(campaignRunId === undefined ? {} : { campaignRunId }) };
}

/** It needs a person. */
export function parked(
  reason: ParkReason,
  detail: string,
  more: Pick<Conclusion, 'campaignRunId' | 'evidence'> = {},
): Conclusion {
  return { outcome: { kind: 'parked', reason, detail }, ...more };
}

/** Writes the outcome into the command's row, tells the bus, and ends the message. */
export async function conclude(work: CommandWork, conclusion: Conclusion, deps: UpdateDeps): Promise<RecordResult> {
  const item = concludedItem(work, conclusion);
  const written = (await deps.ledger.write<CommandItem>(work.row, item)) ?? (await writeOverMark(item, work, deps));
  // Another attempt has recorded an outcome: that one counts, and the next delivery repeats its follow-ups.
  if (written === undefined) return later(shortWaitMs, 'the row of this command changed under us');
  return await reportOnce(
    outcomeOf(written),
    { isRepeat: false, followUp: () => publishOutcome(written, deps) },
    { record: work.record, context: work.context, random: deps.random },
  );
}

/** What happened is recorded also over the mark of another attempt that came meanwhile, but over no outcome and no person's decision. */
async function writeOverMark(
  item: CommandItem,
  { row }: Pick<CommandWork, 'row'>,
  { ledger }: Pick<UpdateDeps, 'ledger'>,
): Promise<CommandItem | undefined> {
  for (let tries = 1; tries < writeTries; tries += 1) {
    const before = await ledger.read<CommandItem>(item.pk);
    const isUnderWay = before?.outcome === undefined && before?.resolutions?.length === row?.resolutions?.length;
    if (!isUnderWay) return undefined;
    const written = await ledger.write<CommandItem>(before, item);
    if (written !== undefined) return written;
  }
  return undefined;
}

/** A message that is no command: parked under its message id. */
export async function parkUnreadable(
  record: QueueRecord,
  context: RecordContext,
  problems: readonly string[],
  deps: Pick<UpdateDeps, 'ledger' | 'bus' | 'random' | 'config'>,
): Promise<RecordResult> {
  const now = context.now();
  const detail = listedDetail(problems, 'problems');
  const isRepeat = await isParkedMessage(deps.ledger, 'commands', record.messageId);
  const pk = await parkMessage(deps.ledger, {
    messageId: record.messageId,
    parked: parkedWork(record, 'commands', now),
    reason: 'BAD_MESSAGE',
    detail,
    now,
  });
  const subject = keyInTable(deps.config.mode, pk);
  const followUp = async () =>
    deps.bus.publish(eventTypes.workParked, {
      eventId: subject,
      subject,
      reason: 'BAD_MESSAGE',
      detail,
      nextStep: parkReasons.BAD_MESSAGE.nextStep,
    });
  const outcome = { kind: 'parked', subject, reason: 'BAD_MESSAGE', detail } as const;
  return reportOnce(outcome, { isRepeat, followUp }, { record, context, random: deps.random });
}

/**
 * Tells the bus about an outcome, under the same event id each time.
 * @returns `undefined` where there is nothing to tell
 */
export function publishOutcome(item: CommandItem, deps: Pick<UpdateDeps, 'bus'>): Promise<void> | undefined {
  const type = eventTypeOf(item);
  const { command, outcome, campaignRunId, facts } = item;
  if (type === undefined || outcome === undefined) return undefined;
  const { reason, detail } = outcome;
  const told: OutcomeEvent & Record<string, unknown> = {
    // Parked a second time, after a person's repeat, is news.
    eventId: `${command.id}:${outcome.kind}${outcome.kind === 'parked' ? `:${outcome.at}` : ''}`,
    commandId: command.id,
    action: command.action,
    origin: command.origin,
    at: outcome.at,
  };
  if (command.action === 'stop') told['lateSeconds'] = secondsBetween(command.issuedAt, outcome.at);
  if (command.run !== undefined) told['run'] = command.run;
  if (campaignRunId !== undefined) told['campaignRunId'] = campaignRunId;
  if (command.reason !== undefined) told['askedBecause'] = command.reason;
  if (reason !== undefined) told['reason'] = reason;
  if (detail !== undefined) told['detail'] = detail;
  if (reason !== undefined && isParkReason(reason)) told['nextStep'] = parkReasons[reason].nextStep;
  if (item.isObserved === true) told['isObserved'] = true;
  return deps.bus.publish(type, Object.assign(told, facts));
}

/** From the instant at which a stop was due, or asked for, to its outcome: whatever was down meanwhile. */
function secondsBetween(issuedAt: string, at: string): number {
  return Math.max(0, Math.round((Date.parse(at) - Date.parse(issuedAt)) / 1000));
}

function eventTypeOf({ command, outcome, isObserved }: CommandItem): EventType | undefined {
  if (outcome?.kind === 'parked') return eventTypes.workParked;
  if (command.action === 'start' && outcome?.kind === 'skipped') return eventTypes.campaignRunStartSkipped;
  // What was only observed has not happened.
  if (outcome?.kind !== 'applied' || isObserved === true) return undefined;
  if (command.action === 'start') return eventTypes.campaignRunStarted;
  return command.action === 'stop' ? eventTypes.campaignRunStopped : undefined;
}

function concludedItem(work: CommandWork, conclusion: Conclusion): CommandItem {
  const { asked, record, row } = work;
  const now = work.context.now();
  const at = now.toISOString();
  const { kind, reason, detail } = conclusion.outcome;
  const isParked = kind === 'parked';
  const { campaignRunId, facts, verdicts = row?.verdicts } = conclusion;
  // Set one by one: a spread for each that may be absent took longer than all the rest of the row.
  const outcome: Mutable<RecordedOutcome> = { kind, at };
  if (reason !== undefined) outcome.reason = reason;
  if (detail !== undefined) outcome.detail = cappedDetail(detail);
  const item: Mutable<CommandItem> = {
    pk: ledgerKeys.command(asked.id),
    kind: 'command',
    id: asked.id,
    command: asked,
    outcome,
    openState: isParked ? 'PARKED' : 'ENDED',
    openSince: at,
  };
  // A parked row waits for its person, however long.
  if (isParked) item.parked = parkedWork(record, 'commands', now, conclusion.evidence);
  else item.expiresAt = expiryOf('command', now);
  if (facts !== undefined) item.facts = facts;
  if (campaignRunId !== undefined) item.campaignRunId = campaignRunId;
  if (verdicts !== undefined) item.verdicts = verdicts;
  if (row?.deferred !== undefined) item.deferred = row.deferred;
  if (row?.resolutions !== undefined) item.resolutions = row.resolutions;
  return item;
}

/** While it is being made. */
type Mutable<Item> = { -readonly [Key in keyof Item]: Item[Key] };

/** Within what a row, an event and a log line hold. */
export function detailOf({ detail }: Conclusion['outcome']): { detail?: string } {
  return detail === undefined ? {} : { detail: cappedDetail(detail) };
}

function outcomeOf(item: CommandItem): Outcome {
  const { command, outcome, campaignRunId, isObserved } = item;
  // A log line leaves out what is undefined. Who asked stands in the row, in the event, and as a rule in the id.
  const told: Mutable<Outcome> = {
    kind: outcome?.kind ?? 'applied',
    subject: command.id,
    fields: { action: command.action, run: command.run, campaignRunId, isObserved },
  };
  if (outcome?.reason !== undefined) told.reason = outcome.reason;
  if (outcome?.detail !== undefined) told.detail = outcome.detail;
  return told;
}
