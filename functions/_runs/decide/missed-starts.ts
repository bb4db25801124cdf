/** Starts of a schedule with `missed: 'once'`: after an outage the newest occurrence stands for all that came too late. Pure. */
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type CampaignRunCommand, defaultValidFor } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { fireTimes, parseScheduleExpression } from '#shared/schedule/schedule-expression.ts';
import { ends, rowOf, storedOwn, superseded, waits } from './rows.ts';
import { isMissed } from './start-times.ts';
import type { Decision, MissedSchedule, Moment } from './state.ts';
import { shortWaitMs } from './waiting.ts';

/** So many earlier occurrences are read and named: a night of half hours. */
const mostEarlier = 24;

/** The start with the validity of a missed one. */
export function withMissedValidity(sent: CampaignRunCommand, { missedWithin }: MissedSchedule): CampaignRunCommand {
  return msOf(missedWithin) <= msOf(sent.validFor) ? sent : { ...sent, validFor: missedWithin };
}

/** Keys of the earlier occurrences that a start may stand for. */
export function earlierKeys(sent: CampaignRunCommand, schedule: MissedSchedule): readonly string[] {
  return earlierIds(sent, schedule).map((id) => ledgerKeys.command(id));
}

/** A missed start that a newer occurrence stands for ends. The newest waits once for those whose messages come after its own. */
export function decideMissed(moment: Moment, schedule: MissedSchedule): Decision | undefined {
  const { sent, rows, now, delivery } = moment;
  if (!isMissed(moment) || storedOwn(moment)?.deferred !== undefined) return undefined;
  const fromMs = Math.max(Date.parse(sent.issuedAt), now.getTime() - msOf(schedule.missedWithin));
  const newest = occurrences(sent, schedule, { fromMs, untilMs: now.getTime() }).at(-1);
  if (newest !== undefined) return ends(moment, superseded(`missed; the one of ${instantOf(newest)} stands for it`));
  const isFirst = delivery.receiveCount === 1;
  if (!isFirst || earlierKeys(sent, schedule).every((key) => rows.get(key) !== undefined)) return undefined;
  return waits(moment, { delayMs: shortWaitMs, why: 'earlier occurrences may come' });
}

/** Names the missed occurrences right before a start, which it stands for. */
export function missedSays(
  { sent, rows }: Pick<Moment, 'sent' | 'rows'>,
  schedule: MissedSchedule,
): string | undefined {
  const missed: string[] = [];
  for (const id of earlierIds(sent, schedule).toReversed()) {
    if (!isReplaced(rowOf<CommandRow>(rows, ledgerKeys.command(id)))) break;
    missed.push(instantOf(id));
  }
  return missed.length === 0 ? undefined : `in place of ${missed.length} missed: ${missed.toReversed().join(', ')}`;
}

/** When an occurrence was due: the end of its id. */
function instantOf(id: string): string {
  return id.slice(id.lastIndexOf('@') + 1);
}

/** A start that another one stands for, or that came too late for any. */
function isReplaced(row: CommandRow | undefined): boolean {
  const { outcome, campaignRunId, deferred } = row ?? {};
  if (row === undefined || campaignRunId !== undefined || deferred !== undefined) return false;
  return outcome === undefined || outcome.kind === 'superseded' || outcome.reason === 'MISSED_WINDOW';
}

function earlierIds(sent: CampaignRunCommand, schedule: MissedSchedule): readonly string[] {
  const atMs = Date.parse(sent.issuedAt);
  return occurrences(sent, schedule, { fromMs: atMs - msOf(schedule.missedWithin), untilMs: atMs - 1 }).slice(
    -mostEarlier,
  );
}

/** Ids of the occurrences after `fromMs`, up to `untilMs`. */
function occurrences(
  { origin }: CampaignRunCommand,
  { expression, timezone, startDate }: MissedSchedule,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): readonly string[] {
  const read = parseScheduleExpression(expression);
  if (!read.ok) return [];
  const begins = startDate === undefined ? undefined : new Date(startDate);
  const bounds = { startDate: begins, endDate: new Date(untilMs + 1) };
  return Array.from(fireTimes(read.value, timezone, new Date(fromMs), bounds), (at) =>
    commandIds.occurrence(origin.name, at),
  );
}

function msOf(duration: string | undefined): number {
  return durationMs(duration ?? defaultValidFor) ?? 0;
}
