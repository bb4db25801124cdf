import type { ParkableRow } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { Decision } from '#shared/ledger/resolve-parked.ts';
import type { CommandArguments } from '../../arguments.ts';
import type { CommandResult } from '../../command.ts';
import type { CommandDeps } from '../../deps.ts';
import { CliError, UsageError } from '../../errors.ts';
import { type ExitCode, exitCodes, gravestExit } from '../../exit-codes.ts';
import { findParked } from '../../find-parked.ts';
import { exitOfReport } from '../../outcome-report.ts';
import { isSelected } from '../../parked-filter.ts';
import { entriesOf, listParked } from '../../parked-rows.ts';
import { planResolve, type ResolvePlan } from '../../resolve-plan.ts';
import { nextOutcome, type ResolveReport, resolveRow, type Verdict } from '../../resolve-rows.ts';
import { readStageMode } from '../../stage-config.ts';
import { patienceOf } from '../../waiting.ts';
import { confirmingLine, dryRunLines } from './dry-run.ts';
import { reportLines } from './resolve-report.ts';
import { type ResolveRequest, resolveRequest } from './resolve-request.ts';

/** `autopilot parked resolve`: a person's decision about parked rows, by their ids or all of a kind. */
export async function resolveCommand(
  ids: readonly string[],
  args: CommandArguments,
  deps: CommandDeps,
): Promise<CommandResult> {
  const now = await deps.now();
  const request = resolveRequest(ids, args, now);
  const patience = patienceOf(args);
  if (request.verdict.kind === 'applied') await refuseRunId(request.verdict.datasetId, deps);

  const rows = await rowsOf(request, deps);
  const decision = { by: deps.operator, reason: request.because ?? 'no reason given', at: now };
  const { mode } = await readStageMode(deps);
  const plan = planResolve(rows, { ...request, decision, mode });
  if (request.isDryRun) return dryRun(plan, request, { args, now });
  if (request.confirmed !== undefined) checkCount(plan.todo.length, request.confirmed);

  const done = await resolveAll(plan.todo, { verdict: request.verdict, decision }, deps);
  // Many outcomes are read in lists: waiting is for the few rows that somebody named.
  const isAwaited = request.verdict.kind === 'repeat' && 'ids' in request.rows;
  const resolved = isAwaited
    ? await Promise.all(done.map((one, index) => withOutcome(one, plan.todo[index], patience, deps)))
    : done;
  return resultOf(resolved, plan);
}

async function withOutcome(
  report: ResolveReport,
  row: Stored<ParkableRow> | undefined,
  patience: ReturnType<typeof patienceOf>,
  deps: CommandDeps,
): Promise<ResolveReport> {
  if (row === undefined || report.problem !== undefined) return report;
  const next = await nextOutcome(row, patience, deps);
  return next === undefined ? report : { ...report, next };
}

/** A slip that the ledger can tell: the uuid of a run in the place of a dataset's. */
async function refuseRunId(datasetId: string, deps: CommandDeps): Promise<void> {
  const ledger = await deps.stage.ledger();
  const run = await ledger.read<RunRow>(ledgerKeys.run(datasetId.toLowerCase()));
  if (run === undefined) return;
  throw new UsageError(
    `${datasetId} is a campaign run${run.run === undefined ? '' : ` of ${run.run}`}, not a dataset: nothing was resolved`,
  );
}

async function rowsOf({ rows }: ResolveRequest, deps: CommandDeps): Promise<readonly Stored<ParkableRow>[]> {
  if ('ids' in rows) return findParked(rows.ids, deps);
  return (await listParked(await deps.stage.ledger())).filter((row) => isSelected(row, rows.filter));
}

function dryRun(
  plan: ResolvePlan,
  request: ResolveRequest,
  how: { readonly args: CommandArguments; readonly now: Date },
): CommandResult {
  const confirm = plan.todo.length === 0 ? undefined : confirmingLine(plan.todo.length, request, how);
  return {
    exitCode: exitCodes.done,
    data: {
      isDryRun: true,
      decision: request.verdict.kind,
      count: plan.todo.length,
      rows: entriesOf(plan.todo),
      left: entriesOf(plan.left.map(({ row }) => row)).map((entry, index) => ({
        ...entry,
        problem: plan.left[index]?.problem,
      })),
      ...(confirm === undefined ? {} : { confirm }),
    },
    render: (paint) => dryRunLines(plan, request.verdict, confirm, paint),
  };
}

function checkCount(found: number, confirmed: number): void {
  if (found === confirmed) return;
  const are = found === 1 ? 'there is 1' : `there are ${found}`;
  throw new CliError(
    `the dry run counted ${confirmed}, and now ${are}: nothing was resolved, look again with --dry-run`,
    {
      exitCode: exitCodes.failed,
      code: 'ROWS_CHANGED',
    },
  );
}

/** Rows between two lines that say how far it came. */
const tellEvery = 50;

/** One after the other: a Ctrl-C ends it after the row in hand, so that each is either resolved or not. */
async function resolveAll(
  rows: readonly Stored<ParkableRow>[],
  decided: { readonly verdict: Verdict; readonly decision: Decision },
  deps: CommandDeps,
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

function resultOf(resolved: readonly ResolveReport[], plan: ResolvePlan): CommandResult {
  const left = entriesOf(plan.left.map(({ row }) => row)).map(({ id, subject, reason }, index) => ({
    id,
    subject,
    reason,
    problem: plan.left[index]?.problem ?? '',
  }));
  const untouched = plan.todo.length - resolved.length;
  const codes = [
    ...resolved.map((report) => exitOf(report)),
    ...(untouched > 0 ? [exitCodes.failed] : []),
    // What is left needs a person still. By its own id nothing was done of what was asked.
    ...(left.length > 0 ? [resolved.length === 0 ? exitCodes.failed : exitCodes.parked] : []),
  ];
  return {
    exitCode: gravestExit(codes),
    data: { resolved, left, untouched },
    render: (paint) => reportLines({ resolved, left, untouched }, paint),
  };
}

function exitOf(report: ResolveReport): ExitCode {
  if (report.problem !== undefined) return exitCodes.failed;
  return report.next === undefined ? exitCodes.done : exitOfReport(report.next);
}
