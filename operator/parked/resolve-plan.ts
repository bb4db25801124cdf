import type { Stored } from '#shared/ledger/ledger.ts';
import type { OperatorDecision } from './resolve-parked.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { IdRow } from '#shared/ledger/rows/run-row.ts';
import { isParkReason, parkReasonFacts } from '#shared/vocabulary/reason-codes.ts';
import { UsageError } from '../errors.ts';
import type { WaitLimit } from '../outcomes/outcome-report.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { findParked } from './find-parked.ts';
import { supersededAmong } from './newer-version.ts';
import { isSelected, listParked, type ParkedFilter, entriesOf, type ParkedEntry } from './parked-rows.ts';
import { nextOutcome, resolvedBy, type ResolveReport, resolveRow, type RowVerdict } from './resolve-rows.ts';

/** What a decision would do to rows, before any of it is done. */
export interface ResolvePlan {
  readonly todo: readonly Stored<ParkableRow>[];
  /** Rows that stay as they are, and why. */
  readonly left: readonly { readonly row: Stored<ParkableRow>; readonly problem: string }[];
}

/** Decides for each row whether the decision may be taken. Pure: the same rules as the ones that write it. */
export function planResolve(
  rows: readonly Stored<ParkableRow>[],
  {
    verdict,
    decision,
    acceptsSecondEffect,
  }: {
    readonly verdict: RowVerdict;
    readonly decision: OperatorDecision;
    readonly acceptsSecondEffect: boolean;
  },
): ResolvePlan {
  const isLookedAt = rows.length === 1;
  const judged = rows.map((row) => {
    const resolved = resolvedBy(row, verdict, decision);
    if (!resolved.ok) return { row, problem: resolved.problem };
    const isRisk = verdict.kind === 'repeat' && !acceptsSecondEffect && mayMakeSecondEffect(row, { isLookedAt });
    return { row, problem: isRisk ? secondEffect : undefined };
  });
  return {
    todo: judged.filter(({ problem }) => problem === undefined).map(({ row }) => row),
    left: judged.flatMap(({ row, problem }) => (problem === undefined ? [] : [{ row, problem }])),
  };
}

/** The rows that stay as they are, as a list has them, each with why. */
export function leftEntries({ left }: ResolvePlan): readonly (ParkedEntry & { readonly problem: string })[] {
  const problems = left.map(({ problem }) => problem);
  return entriesOf(left.map(({ row }) => row)).map((entry, index) => ({ ...entry, problem: problems[index] ?? '' }));
}

/** The words of `parked resolve` with a decision about these rows. */
export function resolveWords(
  which: readonly string[],
  verdict: RowVerdict,
  acceptsSecondEffect: boolean,
): readonly string[] {
  const choice = verdict.kind === 'applied' ? ['--applied', verdict.datasetId] : [`--${verdict.kind}`];
  const risk = acceptsSecondEffect ? ['--accept-second-effect'] : [];
  return ['autopilot', 'parked', 'resolve', ...which, ...choice, ...risk];
}

const secondEffect =
  'a repeat may do it a second time at the gateway. Look there, then resolve it by its own id. --accept-second-effect repeats it all the same';

/** A person who names one row by its id has looked at the gateway; if the effect is certain, that does not help either. */
function mayMakeSecondEffect({ outcome }: ParkableRow, { isLookedAt }: { readonly isLookedAt: boolean }): boolean {
  const reason = outcome?.reason;
  if (reason === undefined || !isParkReason(reason)) return false;
  const { mayDouble, decisions } = parkReasonFacts(reason);
  return mayDouble === true && !(isLookedAt && decisions.includes('repeat'));
}

/** Rows by name, or all that a filter selects. */
export type WantedRows = { readonly ids: readonly string[] } | { readonly filter: ParkedFilter };

/** Reads the rows that a person means. */
export async function wantedRows(rows: WantedRows, deps: OperatorDeps): Promise<readonly Stored<ParkableRow>[]> {
  if ('ids' in rows) return findParked(rows.ids, deps);
  const selected = (await listParked(await deps.stage.ledger())).filter((row) => isSelected(row, rows.filter));
  return rows.filter.isSuperseded === true ? supersededAmong(selected, deps) : selected;
}

/** Refuses a slip that the ledger can tell: the uuid of a run in the place of a dataset's. */
export async function refuseRunId(datasetId: string, deps: OperatorDeps): Promise<void> {
  const ledger = await deps.stage.ledger();
  const run = await ledger.read<IdRow>(ledgerKeys.runId(datasetId.toLowerCase()));
  if (run === undefined) return;
  throw new UsageError(
    `${datasetId} is a campaign run${run.run === undefined ? '' : ` of ${run.run}`}, not a dataset: nothing was resolved`,
  );
}

/** Rows between two lines that say how far it came. */
const tellEvery = 50;

/** One after the other: a Ctrl-C ends it after the row in hand, so that each is either resolved or not. */
export async function resolveAll(
  rows: readonly Stored<ParkableRow>[],
  decided: { readonly verdict: RowVerdict; readonly decision: OperatorDecision },
  deps: OperatorDeps,
): Promise<readonly ResolveReport[]> {
  const interruption = deps.interruption();
  const reports: ResolveReport[] = [];
  for (const row of rows) {
    if (interruption.aborted) break;
    reports.push(await resolveRow(row, decided, deps));
    if (reports.length % tellEvery === 0 && reports.length < rows.length)
      deps.progress(`${reports.length} of ${rows.length}`);
  }
  return reports;
}

/** Waits for what becomes of a row that was sent again, and tells it with the rest. */
export async function withOutcome(
  report: ResolveReport,
  row: Stored<ParkableRow> | undefined,
  patience: WaitLimit,
  deps: OperatorDeps,
): Promise<ResolveReport> {
  if (row === undefined || report.problem !== undefined) return report;
  const next = await nextOutcome(row, patience, deps);
  return next === undefined ? report : { ...report, next };
}
