import type { CommandArguments } from '../terminal/arguments.ts';
import type { CommandDeps, CommandResult } from '../command.ts';
import { OperatorError } from '#operator/errors.ts';
import { type ExitCode, exitCodes, exitOfReport, gravestExit } from '../exit-codes.ts';
import { entriesOf } from '#operator/parked/parked-rows.ts';
import { refuseRunId, resolveAll, wantedRows, withOutcome } from '#operator/parked/resolve-many.ts';
import { planResolve, type ResolvePlan } from '#operator/parked/resolve-plan.ts';
import type { ResolveReport } from '#operator/parked/resolve-rows.ts';
import { readStageMode } from '#operator/stage/stage-config.ts';
import { patienceOf } from '../terminal/value-arguments.ts';
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

  const rows = await wantedRows(request.rows, deps);
  const decision = { by: deps.operator, reason: request.because ?? 'no reason given', at: now };
  const { mode } = await readStageMode(deps);
  const plan = planResolve(rows, { ...request, decision, mode });
  if (request.isDryRun) return dryRun(plan, request, { args, now });
  if (request.confirmed !== undefined) checkCount(plan.todo.length, request.confirmed);

  const done = await resolveAll(plan.todo, { verdict: request.verdict, decision }, deps);
  // Many outcomes are read in lists: waiting is for the few rows that a person named.
  const isAwaited = request.verdict.kind === 'repeat' && 'ids' in request.rows;
  const resolved = isAwaited
    ? await Promise.all(done.map((one, index) => withOutcome(one, plan.todo[index], patience, deps)))
    : done;
  return resultOf(resolved, plan);
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
      confirm,
    },
    render: (paint) => dryRunLines(plan, request.verdict, confirm, paint),
  };
}

function checkCount(found: number, confirmed: number): void {
  if (found === confirmed) return;
  const are = found === 1 ? 'there is 1' : `there are ${found}`;
  throw new OperatorError(
    `the dry run counted ${confirmed}, and now ${are}: nothing was resolved, look again with --dry-run`,
    { code: 'ROWS_CHANGED' },
  );
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
