import type { ParkableRow } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { Decision } from '#shared/ledger/resolve-parked.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { UsageError } from '../errors.ts';
import { findParked } from './find-parked.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { type ParkedFilter, isSelected, listParked } from './parked-rows.ts';
import { nextOutcome, type ResolveReport, resolveRow, type Verdict } from './resolve-rows.ts';
import type { Patience } from '../outcomes/outcome-report.ts';

/** Rows by name, or all that a filter selects. */
export type WantedRows = { readonly ids: readonly string[] } | { readonly filter: ParkedFilter };

/** Reads the rows that a person means. */
export async function wantedRows(rows: WantedRows, deps: OperatorDeps): Promise<readonly Stored<ParkableRow>[]> {
  if ('ids' in rows) return findParked(rows.ids, deps);
  return (await listParked(await deps.stage.ledger())).filter((row) => isSelected(row, rows.filter));
}

/**
 * Refuses a slip that the ledger can tell: the uuid of a run in the place of a dataset's.
 * @throws UsageError that names the run
 */
export async function refuseRunId(datasetId: string, deps: OperatorDeps): Promise<void> {
  const ledger = await deps.stage.ledger();
  const run = await ledger.read<RunRow>(ledgerKeys.run(datasetId.toLowerCase()));
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
  decided: { readonly verdict: Verdict; readonly decision: Decision },
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
  patience: Patience,
  deps: OperatorDeps,
): Promise<ResolveReport> {
  if (row === undefined || report.problem !== undefined) return report;
  const next = await nextOutcome(row, patience, deps);
  return next === undefined ? report : { ...report, next };
}
