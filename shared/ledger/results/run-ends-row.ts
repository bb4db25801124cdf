/** How the last runs of a name ended, and what their scores say. Pure. */
import type { ScoreDocument } from '../../config/automation.ts';
import type { LedgerRowBase } from '../rows/row-base.ts';
import { ledgerKeys } from '../rows/row-keys.ts';
import { hasFailed, type RunRead } from '../rows/run-reading.ts';
import type { LowScore } from './finding-row.ts';

/** The last ends of a run name, the latest first. Only the watcher writes it, and only if runs can be read. */
export interface RunEndsRow extends LedgerRowBase {
  readonly kind: 'run-ends';
  readonly run: string;
  readonly ends: readonly RunEnd[];
  /** The last complete ones: many that failed do not push them out. */
  readonly complete: readonly RunEnd[];
}

export interface RunEnd {
  readonly startId: string;
  readonly campaignRunId: string;
  readonly startAt: string;
  /** When the gateway showed that it had ended. */
  readonly at: string;
  readonly state: 'complete' | 'failed' | 'stopped';
  readonly score?: number;
  readonly progress?: number;
  readonly total?: number;
  /** What changed since the complete run before it, the earliest first. */
  readonly changed?: readonly string[];
}

const mostEnds = 30;
const mostComplete = 5;

/** The end of a run as the gateway showed it. */
export function runEnd(start: Pick<RunEnd, 'startId' | 'campaignRunId' | 'startAt'>, shown: RunRead): RunEnd {
  const { at, score, progress, total } = shown;
  const state = hasFailed(shown) ? 'failed' : shown.status === 'complete' ? 'complete' : 'stopped';
  return { ...start, at, state, score, progress, total };
}

/** With one more end. An end that is known stays as it is. */
export function withRunEnd(row: RunEndsRow | undefined, run: string, end: RunEnd): RunEndsRow {
  if (row?.ends.some(({ startId }) => startId === end.startId) === true) return row;
  const { ends = [], complete = [] }: Partial<RunEndsRow> = row ?? {};
  const isComplete = end.state === 'complete';
  return {
    pk: ledgerKeys.runEnds(run),
    kind: 'run-ends',
    run,
    ends: latestFirst([end, ...ends]).slice(0, mostEnds),
    complete: isComplete ? latestFirst([end, ...complete]).slice(0, mostComplete) : complete,
  };
}

function latestFirst(ends: readonly RunEnd[]): readonly RunEnd[] {
  return ends.toSorted((a, b) => Date.parse(b.startAt) - Date.parse(a.startAt));
}

/** How long a run usually takes, in milliseconds: the median of its last complete ones. */
export function usualMs({ complete = [] }: Partial<Pick<RunEndsRow, 'complete'>> = {}): number | undefined {
  return median(complete.map(({ startAt, at }) => Date.parse(at) - Date.parse(startAt)));
}

/** A complete run with a score is a point of the line; one that failed or was stopped is none. */
export function isPoint(end: RunEnd): end is RunEnd & { readonly score: number } {
  return end.state === 'complete' && end.score !== undefined;
}

/** So many complete runs are enough to compare with. */
const leastBefore = 2;

/** The median of the scores of up to five complete runs before this one; `undefined`: there are too few. */
export function medianBefore(ends: readonly RunEnd[], end: Pick<RunEnd, 'startAt' | 'startId'>): number | undefined {
  const before = ends.filter(
    (one) => isPoint(one) && one.startId !== end.startId && Date.parse(one.startAt) < Date.parse(end.startAt),
  );
  const scores = latestFirst(before).flatMap(({ score }) => score ?? []);
  return scores.length < leastBefore ? undefined : median(scores.slice(0, mostComplete));
}

/** Judges the score of a complete run. @returns why it is low; `undefined`: it is not */
export function lowScore(
  end: RunEnd,
  row: Pick<RunEndsRow, 'complete'> | undefined,
  { atLeast, mayFallBy }: ScoreDocument,
): LowScore | undefined {
  if (!isPoint(end)) return undefined;
  const { score, changed = [] } = end;
  const usual = medianBefore(row?.complete ?? [], end);
  const isBelow = atLeast !== undefined && score < atLeast;
  const hasFallen = mayFallBy !== undefined && usual !== undefined && usual - score > mayFallBy;
  if (!isBelow && !hasFallen) return undefined;
  return { score, atLeast: isBelow ? atLeast : undefined, median: hasFallen ? usual : undefined, changed };
}

/** The middle one, or the mean of the two in the middle. */
function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
