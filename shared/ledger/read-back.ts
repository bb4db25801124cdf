/**
 * What a campaign says about a start without an answer (docs/adr/0009-clocks-that-differ.md). Pure.
 */
import type { CampaignReading } from './rows/campaign-row.ts';
import { type GuardRow, reservationsAt } from './rows/guard-row.ts';
import { landsForMs, type ReadingAt, type SentStart, type StateBefore } from './rows/run-row.ts';
import { maxAheadMs } from '../messages/campaign-run-command.ts';

/** `began` and `did-not` are proofs; all else is `cannot-tell`. */
export type ReadBack = 'began' | 'did-not' | 'cannot-tell';

/**
 * A request can land this long after the instant that a worker's own clock gives: clocks differ by
 * at most 5 minutes.
 */
export const clockMarginMs = maxAheadMs;

/**
 * The longest time from the reading of another start's campaign to the effect of its PATCH. It is a
 * call of 12 s, and all that may land.
 */
const othersWithinMs = landsForMs + clockMarginMs + 12_000;

/**
 * From this instant the unanswered start can no longer land, and a delayed one has begun. Only a
 * later reading can prove that it did not begin. Clocks that differ are allowed for.
 * @returns milliseconds since the epoch
 */
export function provenFrom({ startAt }: Pick<SentStart, 'startAt'>, landsUntil: string): number {
  const beginsMs = startAt === undefined ? 0 : Date.parse(startAt) + landsForMs;
  return Math.max(Date.parse(landsUntil), beginsMs) + clockMarginMs;
}

/**
 * Until when the start of a row may still begin, differing clocks included; milliseconds since the
 * epoch, 0 if it has none in doubt.
 */
export function beginsUntil(state: StateBefore): number {
  if (state.state === 'idle') return 0;
  const { start, landsUntil } = state;
  const from = landsUntil ?? start.startAt;
  return from === undefined ? 0 : provenFrom(start, from);
}

/** The starts that may have moved the campaign of a start. */
export interface OtherStarts {
  /** The guard row of the start in question. */
  readonly guard?: GuardRow;
  /**
   * The target that the configuration gives its campaign now: another one keeps its starts in
   * another guard row.
   */
  readonly target?: string;
}

/** Compares a reading with the one before the first PATCH of a start. */
export function readBack(
  unknown: { readonly start: SentStart; readonly landsUntil: string },
  after: ReadingAt,
  others: OtherStarts,
): ReadBack {
  const { start, landsUntil } = unknown;
  const { reading: before, confirm } = start;
  if (before === undefined) return 'cannot-tell';
  const fields = confirm === undefined ? (['runCount', 'lastRunAt'] as const) : [confirm.by];
  const moves = fields.map((field) => moveOf(field, before, after));
  const isSure = Date.parse(after.at) >= provenFrom(start, landsUntil);
  if (moves.includes('forward')) return othersMayHaveMoved(start, others, before) ? 'cannot-tell' : 'began';
  // Some gateways count a run only at its end: an unchanged reading is proof only if the
  // configuration names the field.
  return confirm !== undefined && isSure && moves[0] === 'none' ? 'did-not' : 'cannot-tell';
}

/** Some gateways show `lastRunAt` in whole minutes: two starts of one minute read the same. */
const coarsestMs = 60_000;

/**
 * `unusable`: empty, absent or unparsable on either side, or so recent that one more start need not
 * show.
 */
function moveOf(
  field: 'runCount' | 'lastRunAt',
  before: ReadingAt,
  after: CampaignReading,
): 'forward' | 'none' | 'other' | 'unusable' {
  const was = valueOf(field, before);
  const is = valueOf(field, after);
  if (was === undefined || is === undefined) return 'unusable';
  if (is === was) {
    const isFresh = field === 'lastRunAt' && was >= Date.parse(before.at) - clockMarginMs - coarsestMs;
    return isFresh ? 'unusable' : 'none';
  }
  return is > was ? 'forward' : 'other';
}

function valueOf(field: 'runCount' | 'lastRunAt', reading: CampaignReading): number | undefined {
  if (field === 'runCount') return reading.runCount;
  return reading.lastRunAt === undefined ? undefined : Date.parse(reading.lastRunAt);
}

/**
 * Another start of the same guard was in flight since the first reading, could land, or had just
 * ended: it may have moved the campaign.
 */
function othersMayHaveMoved(
  start: SentStart,
  { guard, target = start.guardName }: OtherStarts,
  before: ReadingAt,
): boolean {
  if (start.replaced !== undefined || target !== start.guardName) return true;
  const sinceMs = Date.parse(before.at) - othersWithinMs;
  // A place whose time is over stays in the row until the watcher frees it.
  const isInFlight = reservationsAt(guard, new Date(sinceMs)).some(({ startId }) => startId !== start.startId);
  const hasEnded = guard?.ended?.some(({ startId, at }) => startId !== start.startId && Date.parse(at) >= sinceMs);
  return isInFlight || hasEnded === true;
}
