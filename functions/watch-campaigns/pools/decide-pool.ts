/** What a tick does next about one pool, and what an answer makes of its row (docs/reference/ledger.md, "A pool"). Pure. */
import type { RunPool } from '#shared/config/resolve/resolved-automation.ts';
import type { MadeRun, PoolAsk, PoolRow } from '#shared/ledger/rows/pool-row.ts';

/** How a run of the pool stands: free; its start has no outcome, or is in flight; its start was applied, or a stop ended it; its start ended otherwise. */
export type Use = 'free' | 'going' | 'done' | 'unused';

/** Everything that the decision looks at. */
export interface PoolSeen {
  readonly row: PoolRow;
  /** @default it is not configured any more */
  readonly pool?: RunPool | undefined;
  /** By id of those that are not free. */
  readonly uses: ReadonlyMap<string, Use>;
  /** Whether the gateway makes and lists runs. */
  readonly makesRuns: boolean;
  /** An observing stage changes nothing at the gateway. */
  readonly observes: boolean;
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

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** An instant further ahead is of a clock that was wrong. */
const believedAheadMs = 5 * minuteMs;
const unansweredForMs = 5 * minuteMs;
const pausedForMs = 5 * minuteMs;
const drainsForMs = hourMs;
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
  const row = withoutOld(seen);
  const known = { ...seen, row };
  const left = row.made.filter(({ id, cancel }) => cancel !== undefined || seen.uses.get(id) !== 'done');
  if (!seen.observes && left.length < row.made.length) return { do: 'write', row: { ...row, made: left } };
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

/** Whether it is being emptied. */
export function isDraining({ drain }: Pick<PoolRow, 'drain'>, now: Date): boolean {
  return ageMs(drain, now) < drainsForMs;
}

/** The pool, if it is to be filled. */
function wantedPool({ row, pool, now }: PoolSeen): RunPool | undefined {
  return isDraining(row, now) ? undefined : pool;
}

/** Of a run that no start can use any more, or that would begin by itself before long. */
function nextCancel(seen: PoolSeen): PoolStep | undefined {
  const { row, uses, now, observes } = seen;
  if (observes) return undefined;
  const isOut = ({ id, startAt, cancel }: MadeRun): boolean => {
    const use = uses.get(id) ?? 'free';
    if (cancel !== undefined || use === 'unused') return true;
    return use === 'free' && (wantedPool(seen) === undefined || Date.parse(startAt) - now.getTime() <= retiredBeforeMs);
  };
  const out = row.made.find((run) => isOut(run) && ageMs(run.cancel?.at, now) >= pauseOf(run.cancel));
  if (out === undefined) return undefined;
  const { id, cancel } = out;
  const claims = cancel === undefined && uses.get(id) !== 'unused';
  const tried = { ...cancel, at: now.toISOString(), tries: (cancel?.tries ?? 0) + 1 };
  return {
    do: 'cancel',
    id,
    claims,
    row: { ...row, made: row.made.map((run) => (run.id === id ? { ...run, cancel: tried } : run)) },
  };
}

function pauseOf(cancel: MadeRun['cancel']): number {
  return cancel === undefined ? 0 : Math.min(dayMs, minuteMs * 2 ** (cancel.tries - 1));
}

/** A list shows what an unanswered ask has made; one a day shows what came late. */
function nextList(seen: PoolSeen): PoolStep | undefined {
  const { row, now, makesRuns } = seen;
  if (!makesRuns) return undefined;
  const open = openAsk(row);
  const failedMs = ageMs(row.unlisted?.at, now);
  if (open === undefined) return failedMs >= hourMs && needsList(seen) ? { do: 'list' } : undefined;
  const openMs = ageMs(open.at, now);
  if (openMs < unansweredForMs) return undefined;
  if (failedMs >= pausedForMs) return { do: 'list' };
  return openMs < dayMs ? undefined : { do: 'write', row: withLost(row) };
}

/** None for a day; or the last one of a pool that is emptied. */
function needsList({ row, uses, now }: PoolSeen): boolean {
  if (ageMs(row.listed, now) >= dayMs) return true;
  return isDraining(row, now) && !isListedSince(row) && idsLeft(row, uses).length === 0;
}

function isListedSince({ listed, drain }: PoolRow): boolean {
  return Date.parse(listed) >= Date.parse(drain ?? '');
}

function openAsk({ asks }: PoolRow): PoolAsk | undefined {
  return asks.find(({ answer }) => answer === undefined);
}

function nextAsk(seen: PoolSeen): PoolStep | undefined {
  const { row, uses, now, makesRuns, observes } = seen;
  const pool = wantedPool(seen);
  if (!makesRuns || observes || pool === undefined || readyOf(row.made, uses) >= pool.keepReady) return undefined;
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
export function withAnswer(row: PoolRow, at: string, answered: AskAnswer): PoolRow {
  const { answer } = answered;
  const asks = row.asks.map((ask) => (ask.at === at ? { ...ask, answer } : ask));
  if (answered.answer !== 'made') return { ...row, asks, failing: failingOf(row, at, answered.says) };
  const { made } = answered;
  const others = row.made.filter(({ id }) => id !== made.id);
  return { ...row, asks, made: [...others, made], lost: 0, failing: undefined };
}

function failingOf({ failing }: PoolRow, since: string, says: string): PoolRow['failing'] {
  return { since, ...failing, says };
}

/** Nothing has shown the run of the open ask. */
function withLost(row: PoolRow): PoolRow {
  const open = openAsk(row);
  if (open === undefined) return row;
  const asks = row.asks.map((ask) => (ask === open ? { ...ask, answer: 'lost' as const } : ask));
  const says = 'no answer came to the request for a run, and the gateway lists none';
  return { ...row, asks, lost: row.lost + 1, everLost: true, failing: failingOf(row, open.at, says) };
}

/** The row after a whole list: unknown runs join it, and settle the open ask. */
export function withList(row: PoolRow, unknown: readonly MadeRun[], now: Date): PoolRow {
  const listed = { ...row, listed: now.toISOString(), unlisted: undefined, made: [...row.made, ...unknown] };
  const open = openAsk(row);
  if (open === undefined) return listed;
  const [first] = unknown;
  return first === undefined ? withLost(listed) : withAnswer(listed, open.at, { answer: 'made', made: first });
}

/** What is left at the gateway of a pool that is emptied. */
export interface PoolLeft {
  readonly ids: readonly string[];
  readonly isDone: boolean;
  /** Runs of it that no list has shown may be at the gateway. */
  readonly mayHaveMore: boolean;
}

/** See {@link PoolLeft}. */
export function leftOf({ row, uses, makesRuns, now }: PoolSeen): PoolLeft {
  const ids = idsLeft(row, uses);
  const isListed = !makesRuns || isListedSince(row);
  const isDone = isDraining(row, now) && openAsk(row) === undefined && ids.length === 0 && isListed;
  return { ids, isDone, mayHaveMore: row.everLost === true || openAsk(row) !== undefined || !isListed };
}

/** Those that no start has in hand. */
function idsLeft({ made }: PoolRow, uses: ReadonlyMap<string, Use>): readonly string[] {
  return made.filter(({ id, cancel }) => cancel !== undefined || uses.get(id) !== 'going').map(({ id }) => id);
}
