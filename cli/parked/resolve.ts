import { OperatorError } from '#operator/errors.ts';
import { entriesOf, titleOf } from '#operator/parked/parked-rows.ts';
import {
  planResolve,
  refuseRunId,
  resolveAll,
  type ResolvePlan,
  wantedRows,
  withOutcome,
  leftEntries,
  resolveWords,
} from '#operator/parked/resolve-plan.ts';
import { doneWords, type ResolveReport, type RowVerdict } from '#operator/parked/resolve-rows.ts';
import { withInstants } from '#operator/readable.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import {
  type CommandDeps,
  type CommandResult,
  type ExitCode,
  exitCodes,
  exitOfReport,
  gravestExit,
} from '../terminal/command.ts';
import { type CommandArguments, patienceOf } from '../terminal/arguments.ts';
import { stageClock } from '#operator/run-state/run-report.ts';
import { filterWords } from './list.ts';
import { foundOf, resolveFound } from './resolve-found.ts';
import { listedRows, reportLines, type ResolveRequest, resolveRequest } from './resolve-request.ts';
import type { TextScreen } from '../terminal/times.ts';

/** `autopilot parked resolve`: a person's decision about parked rows, by their ids or all of a kind. */
export async function resolveCommand(
  ids: readonly string[],
  args: CommandArguments,
  deps: CommandDeps,
): Promise<CommandResult> {
  const clock = await stageClock(deps);
  const { now } = clock;
  const request = resolveRequest(ids, args, clock);
  const patience = patienceOf(args);
  if (request.verdict.kind === 'applied') await refuseRunId(request.verdict.datasetId, deps);

  const found = await foundOf(ids, deps);
  if (found.length > 0) return resolveFound(found, request, { deps, patience, now });

  const rows = await wantedRows(request.rows, deps);
  const decision = { by: deps.operator, reason: request.because ?? 'no reason given', at: now };
  const plan = planResolve(rows, { ...request, decision });
  if (request.isDryRun) return dryRun(plan, request, now);
  if (request.confirmed !== undefined) checkCount(plan.todo.length, request.confirmed);

  const done = await resolveAll(plan.todo, { verdict: request.verdict, decision }, deps);
  // Many outcomes are read in lists: waiting is for the few rows that a person named.
  const isAwaited = request.verdict.kind === 'repeat' && 'ids' in request.rows;
  const resolved = isAwaited
    ? await Promise.all(done.map((one, index) => withOutcome(one, plan.todo[index], patience, deps)))
    : done;
  return resultOf(resolved, plan);
}

function dryRun(plan: ResolvePlan, request: ResolveRequest, now: Date): CommandResult {
  const confirm = plan.todo.length === 0 ? undefined : confirmingLine(plan.todo.length, request, now);
  return {
    now,
    data: {
      isDryRun: true,
      decision: request.verdict.kind,
      count: plan.todo.length,
      rows: entriesOf(plan.todo),
      left: leftEntries(plan),
      confirm,
    },
    render: (screen) => dryRunLines(plan, request.verdict, confirm, screen),
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
  const left = leftEntries(plan).map(({ id, subject, reason, problem }) => ({ id, subject, reason, problem }));
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
    render: (screen) => reportLines({ resolved, left, untouched }, screen),
  };
}

function exitOf(report: ResolveReport): ExitCode {
  if (report.problem !== undefined) return exitCodes.failed;
  return report.next === undefined ? exitCodes.done : exitOfReport(report.next);
}

/**
 * The command that does what a dry run showed. Its times are instants and end now, so the rows can only become fewer; the count notices that.
 */
function confirmingLine(count: number, request: ResolveRequest, now: Date): readonly string[] {
  const { rows, verdict, because } = request;
  const isSuperseded = 'filter' in rows && rows.filter.isSuperseded === true;
  const before = isSuperseded ? undefined : now;
  const which = 'ids' in rows ? rows.ids : filterWords({ ...rows.filter, before: rows.filter.before ?? before });
  return [
    ...resolveWords(which, verdict, request.acceptsSecondEffect),
    ...(isSuperseded ? ['--superseded'] : []),
    ...(because === undefined ? [] : ['--reason', because]),
    ...('ids' in rows || isSuperseded ? [] : ['--yes', String(count)]),
  ];
}

function dryRunLines(
  { todo, left }: ResolvePlan,
  verdict: RowVerdict,
  confirm: readonly string[] | undefined,
  { paint, line, at, width }: TextScreen,
): readonly string[] {
  return [
    paint('bold', `dry run: ${countOf(todo.length)} would be ${doneWords[verdict.kind]}`),
    ...shownRows(todo, width),
    ...[...Map.groupBy(left, ({ problem }) => problem)].flatMap(([problem, rows]) => [
      `${paint('yellow', `${countOf(rows.length)} would be left`)}: ${withInstants(problem, at)}`,
      ...shownRows(
        rows.map(({ row }) => row),
        width,
      ),
    ]),
    ...startWarning(verdict, todo, paint),
    'nothing was done',
    ...(confirm === undefined ? [] : ['to do it:', `  ${line(confirm)}`]),
  ];
}

function shownRows(rows: readonly Stored<ParkableRow>[], width?: number): readonly string[] {
  return listedRows(
    entriesOf(rows).map((entry) => [entry.id, entry.reason, titleOf(entry)]),
    width,
  );
}

function countOf(count: number): string {
  return count === 1 ? '1 item' : `${count} items`;
}

/** A repeated start counts from now: however old the command is, its run starts at this hour. */
function startWarning(verdict: RowVerdict, todo: readonly ParkableRow[], paint: Paint): readonly string[] {
  if (verdict.kind !== 'repeat') return [];
  const starts = todo.flatMap((row) =>
    row.kind === 'command' && row.command.action === 'start'
      ? [row.command.run ?? row.command.campaignRunId ?? '']
      : [],
  );
  if (starts.length === 0) return [];
  const byRun = [...Map.groupBy(starts, (run) => run)].map(([run, all]) =>
    all.length === 1 ? run : `${run} ${all.length} times`,
  );
  return [paint('yellow', `  mind: a repeated start starts its run now: ${byRun.join(', ')}`)];
}
