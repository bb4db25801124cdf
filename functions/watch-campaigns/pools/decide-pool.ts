/** What a tick does next about one pool, and what an answer makes of its row (docs/reference/ledger.md, "A pool"). Pure. */
import type { RunPool } from '#shared/config/resolve/resolved-automation.ts';
import type { MadeRun, PoolAsk, PoolRow } from '#shared/ledger/rows/run-row.ts';
import { dayMs, hourMs, minuteMs } from '#shared/schedule/duration.ts';

/** How a run of the pool stands that some start has taken. */
export type Use =
  /** Its start has no outcome, or it is in flight. */
  | 'going'
  /** Its start was applied, or a stop ended it. */
  | 'done'
  /** Its start ended otherwise. */
  | 'unused';

/** Everything that the decision looks at. */
export interface PoolSeen {
  readonly row: PoolRow;
  /** @default it is not configured any more, or is being emptied */
  readonly pool?: RunPool | undefined;
  /** By id; one that no start has taken is not in it. */
  readonly uses: ReadonlyMap<string, Use>;
  /** Whether the gateway makes and lists runs. */
  readonly makesRuns: boolean;
  /** An observing stage changes nothing at the gateway; a frozen one starts nothing, and makes no runs. */
  readonly stage: 'acts' | 'frozen' | 'observes';
  /** When this tick began to empty it. @default it is not being emptied */
  readonly drainsFrom?: Date | undefined;
  /** The later of our clock and the gateway's. */
  readonly now: Date;
}

/** The next step: at most one write, then at most one call. */
export type PoolStep =
  | { readonly do: 'write'; readonly row: PoolRow }
  /** `claims`: the row of the id is put too, so that no start takes it. */
  | { readonly do: 'cancel'; readonly row: PoolRow; readonly id: string; readonly claims: boolean }
  | { readonly do: 'list' }
  | { readonly do: 'ask'; readonly row: PoolRow; readonly at: string; readonly startAt: string };

/** An instant further ahead is of a clock that was wrong. */
const believedAheadMs = 5 * minuteMs;
const unansweredForMs = 5 * minuteMs;
const pausedForMs = 5 * minuteMs;
const retiredBeforeMs = 30 * dayMs;
const madeAheadMs = 730 * dayMs;
const mostAMinute = 3;
const mostADay = 60;
/** After this many lost asks in a row the next one comes so late. */
const slowAfter = [
  { lost: 24, everyMs: dayMs },
  { lost: 3, everyMs: hourMs },
] as const;

/** The rows of the table in their order; `undefined`: nothing is to be done now. */
export function nextStep(seen: PoolSeen): PoolStep | undefined {
  const { uses, stage } = seen;
  const row = withoutOld(seen);
  const known = { ...seen, row };
  if (stage === 'observes') return nextList(known);
  const left = row.made.filter(({ id, cancel }) => cancel !== undefined || uses.get(id) !== 'done');
  if (left.length < row.made.length) return { do: 'write', row: { ...row, made: left } };
  return nextCancel(known) ?? nextList(known) ?? nextAsk(known);
}

/** Without asks that count no more. */
function withoutOld({ row, now }: PoolSeen): PoolRow {
  const asks = row.asks.filter(
    ({ at, answer }) => ageMs(at, now) < dayMs || (answer === undefined && isBelieved(at, now)),
  );
  return { ...row, asks };
}

/** How long ago, in milliseconds; an instant that is not believed is for ever ago. */
function ageMs(at: string | undefined, now: Date): number {
  return at === undefined || !isBelieved(at, now) ? Infinity : now.getTime() - Date.parse(at);
}

function isBelieved(at: string, now: Date): boolean {
  return Date.parse(at) - now.getTime() <= believedAheadMs;
}

/** Of a run that no start can use any more, or that would begin before long. */
function nextCancel({ row, pool, uses, now }: PoolSeen): PoolStep | undefined {
  const isOut = ({ id, startAt, cancel }: MadeRun): boolean => {
    if (cancel !== undefined) return ageMs(cancel.at, now) >= Math.min(dayMs, minuteMs * 2 ** (cancel.tries - 1));
    if (uses.has(id)) return uses.get(id) === 'unused';
    return pool === undefined || Date.parse(startAt) - now.getTime() <= retiredBeforeMs;
  };
  const out = row.made.find(isOut);
  if (out === undefined) return undefined;
  const { id } = out;
  const cancel = { at: now.toISOString(), tries: (out.cancel?.tries ?? 0) + 1 };
  const made = row.made.map((run) => (run === out ? { ...run, cancel } : run));
  return { do: 'cancel', id, claims: out.cancel === undefined && !uses.has(id), row: { ...row, made } };
}

/** A list shows what an unanswered ask has made; one a day shows what came late. */
function nextList(seen: PoolSeen): PoolStep | undefined {
  const { row, now, makesRuns } = seen;
  if (!makesRuns) return undefined;
  const open = openAsk(row);
  const failedMs = ageMs(row.unlisted, now);
  if (open === undefined) return failedMs >= hourMs && needsList(seen) ? { do: 'list' } : undefined;
  const openMs = ageMs(open.at, now);
  if (openMs < unansweredForMs) return undefined;
  if (failedMs >= pausedForMs) return { do: 'list' };
  return openMs < dayMs ? undefined : { do: 'write', row: withLost(row) };
}

/** None for a day; or the last one of a pool that is emptied. */
function needsList(seen: PoolSeen): boolean {
  const { row, uses, drainsFrom, now } = seen;
  if (ageMs(row.listed, now) >= dayMs) return true;
  return drainsFrom !== undefined && !isListed(seen) && idsLeft(row, uses).length === 0;
}

/** Whether this tick has listed the pool that it empties. */
function isListed({ row, makesRuns, drainsFrom, now }: PoolSeen): boolean {
  return !makesRuns || ageMs(row.listed, drainsFrom ?? now) <= 0;
}

function openAsk({ asks }: PoolRow): PoolAsk | undefined {
  return asks.find(({ answer }) => answer === undefined);
}

function nextAsk({ row, pool, uses, stage, now }: PoolSeen): PoolStep | undefined {
  if (stage === 'frozen' || pool === undefined || readyOf(row.made, uses) >= pool.keepReady) return undefined;
  if (!hasTurn(row, now)) return undefined;
  // Its instant names it.
  const at = new Date(Math.max(now.getTime(), Date.parse(row.asks.at(-1)?.at ?? '1970') + 1)).toISOString();
  const startAt = new Date(now.getTime() + madeAheadMs).toISOString();
  return { do: 'ask', at, startAt, row: { ...row, asks: [...row.asks, { at }] } };
}

/** Whether the pace of a pool has room for one more request. */
function hasTurn({ asks, lost }: PoolRow, now: Date): boolean {
  const minute = Math.floor(now.getTime() / minuteMs);
  const ofMinute = asks.filter(({ at }) => Math.floor(Date.parse(at) / minuteMs) >= minute).length;
  if (asks.length >= mostADay || ofMinute >= mostAMinute) return false;
  const slowMs = slowAfter.find((slow) => lost >= slow.lost)?.everyMs ?? 0;
  if (ageMs(asks.at(-1)?.at, now) < slowMs) return false;
  return asks.every(({ at, answer }) => {
    if (answer === undefined || answer === 'refused') return false;
    return answer !== 'later' || ageMs(at, now) >= pausedForMs;
  });
}

/** How many a start may take, those included that begin within a day. */
export function readyOf(made: readonly MadeRun[], uses: ReadonlyMap<string, Use>): number {
  return made.filter(({ id, cancel }) => cancel === undefined && !uses.has(id)).length;
}

/** What came of an ask. */
export type AskAnswer =
  | { readonly answer: 'made'; readonly made: MadeRun }
  | { readonly answer: 'refused' | 'later'; readonly says: string };

/** The row with the answer to an ask; a list may have settled it before. */
export function withAskAnswer(row: PoolRow, at: string, answered: AskAnswer): PoolRow {
  const known = { ...row, asks: settled(row, at, answered.answer) };
  if (answered.answer !== 'made') return withFailing(known, at, answered.says);
  const { made } = answered;
  const others = row.made.filter(({ id }) => id !== made.id);
  return { ...known, made: [...others, made], lost: 0, failing: undefined };
}

function settled({ asks }: PoolRow, at: string, answer: PoolAsk['answer']): readonly PoolAsk[] {
  return asks.map((ask) => (ask.at === at ? { at, answer } : ask));
}

function withFailing(row: PoolRow, since: string, says: string): PoolRow {
  return { ...row, failing: { since, ...row.failing, says } };
}

/** Nothing has shown the run of the open ask. */
function withLost(row: PoolRow): PoolRow {
  const { at = '' } = openAsk(row) ?? {};
  const says = 'no answer came to the request for a run, and the gateway lists none';
  const asks = settled(row, at, 'lost');
  return withFailing({ ...row, asks, lost: row.lost + 1, everLost: true }, at, says);
}

/** The row after a list that failed: an open ask keeps the pool from filling until one does not. */
export function withFailedList(row: PoolRow, now: Date, says: string): PoolRow {
  const open = openAsk(row);
  const failed = { ...row, unlisted: now.toISOString() };
  return open === undefined ? failed : withFailing(failed, open.at, says);
}

/** The row after a whole list: unknown runs join it, and settle the open ask. */
export function withList(row: PoolRow, unknown: readonly MadeRun[], now: Date): PoolRow {
  const listed = { ...row, listed: now.toISOString(), unlisted: undefined, made: [...row.made, ...unknown] };
  const open = openAsk(row);
  if (open === undefined) return listed;
  const [first] = unknown;
  return first === undefined ? withLost(listed) : withAskAnswer(listed, open.at, { answer: 'made', made: first });
}

/** What is left at the gateway of a pool that is emptied. */
export interface PoolLeft {
  readonly ids: readonly string[];
  readonly isDone: boolean;
  /** Runs of it that no list has shown may be at the gateway. */
  readonly mayHaveMore: boolean;
}

export function leftOf(seen: PoolSeen): PoolLeft {
  const { row, uses, drainsFrom } = seen;
  const ids = idsLeft(row, uses);
  const isUnsure = openAsk(row) !== undefined || !isListed(seen);
  return {
    ids,
    isDone: drainsFrom !== undefined && ids.length === 0 && !isUnsure,
    mayHaveMore: row.everLost === true || isUnsure,
  };
}

/** Those that no start has in hand. */
function idsLeft({ made }: PoolRow, uses: ReadonlyMap<string, Use>): readonly string[] {
  return made.filter(({ id, cancel }) => cancel !== undefined || uses.get(id) !== 'going').map(({ id }) => id);
}
