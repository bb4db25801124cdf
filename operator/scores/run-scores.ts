/** What the last runs of each name found: their ends, their scores, and what changed before each. */
import { rowAt } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { isPoint, medianBefore, type RunEnd, type RunEndsRow } from '#shared/ledger/results/run-ends-row.ts';
import type { AskingDeps, OperatorDeps } from '../stage/operator-deps.ts';
import { configuredRuns, refuseUnknownRun } from '../runs/run-ids.ts';
import { listUploads } from '../uploads/list-uploads.ts';

/** The runs of one name. */
export interface RunScores {
  readonly run: string;
  /** The latest first. */
  readonly ends: readonly ScoredEnd[];
}

/** How one run ended, and what its score says. */
export interface ScoredEnd extends Omit<RunEnd, 'changed'> {
  readonly lastedMs: number;
  /** The median of up to five complete runs before it. */
  readonly median?: number | undefined;
  /** What its score is to that median. */
  readonly toMedian?: number | undefined;
  /** What changed since the complete run before it, the earliest first. */
  readonly changed: readonly string[];
}

/** Reads the scores of a run name, or of all that are configured. */
export async function readScores(
  run: string | undefined,
  deps: AskingDeps & Pick<OperatorDeps, 'stage'>,
): Promise<readonly RunScores[]> {
  const ledger = await deps.stage.ledger();
  const names = run === undefined ? await configuredRuns(deps) : [run];
  const rows = await ledger.readMany(names.map((name) => ledgerKeys.runEnds(name)));
  const all = names.map((name) => ({ run: name, row: rowAt<RunEndsRow>(rows, ledgerKeys.runEnds(name)) }));
  if (all[0]?.row === undefined) await refuseUnknownRun({ run }, deps);
  const uploads = all.some(({ row }) => row !== undefined) ? await registered(deps) : [];
  return all.map(({ run: name, row }) => ({ run: name, ends: scoredEnds(row, uploads) }));
}

/** An upload that became a dataset. */
interface Registered {
  readonly key: string;
  readonly at: string;
}

/** So many uploads are looked at. */
const mostUploads = 100;

/** The bucket says what was put and when: no upload writes a row for it. */
async function registered(deps: Pick<OperatorDeps, 'stage'>): Promise<readonly Registered[]> {
  const { uploads } = await listUploads({ prefix: datasetsPrefix, limit: mostUploads }, deps);
  return uploads.flatMap(({ key, uploadedAt: at, datasetId }) =>
    datasetId === undefined || at === undefined ? [] : [{ key, at }],
  );
}

/** The last ends, and the complete ones that are older, the latest first. */
function knownEnds({ ends = [], complete = [] }: Partial<RunEndsRow> = {}): readonly RunEnd[] {
  return [...ends, ...complete.filter((one) => ends.every(({ startId }) => startId !== one.startId))];
}

/** The score of the complete run before this instant. Pure. */
export function scoreBefore(row: RunEndsRow | undefined, startAt: string): number | undefined {
  return knownEnds(row).find((end) => isPoint(end) && Date.parse(end.startAt) < Date.parse(startAt))?.score;
}

/** The ends of a row with what each score says. Pure. */
function scoredEnds(row: RunEndsRow | undefined, uploads: readonly Registered[] = []): readonly ScoredEnd[] {
  const known = knownEnds(row);
  return (row?.ends ?? []).map((end) => {
    const median = isPoint(end) ? medianBefore(known, end) : undefined;
    const toMedian = median === undefined || end.score === undefined ? undefined : rounded(end.score - median);
    const lastedMs = Date.parse(end.at) - Date.parse(end.startAt);
    return {
      ...end,
      lastedMs,
      median,
      toMedian,
      changed: [...(end.changed ?? []), ...datasetsBefore(end, known, uploads)],
    };
  });
}

function datasetsBefore(end: RunEnd, known: readonly RunEnd[], uploads: readonly Registered[]): readonly string[] {
  const before = known.find(
    ({ state, startAt }) => state === 'complete' && Date.parse(startAt) < Date.parse(end.startAt),
  );
  if (before === undefined) return [];
  const between = uploads.filter(
    ({ at }) => Date.parse(at) > Date.parse(before.startAt) && Date.parse(at) <= Date.parse(end.startAt),
  );
  return between.map(({ key }) => `dataset of ${key}`);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
