import type { ParkableRow } from '#shared/ledger/rows/message-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandArguments } from '../terminal/arguments.ts';
import { stageWords } from '../terminal/asked-stages.ts';
import { filterWords } from './filter-arguments.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { entriesOf, titleOf } from '#operator/parked/parked-rows.ts';
import { commandLine } from '#operator/readable.ts';
import type { ResolvePlan } from '#operator/parked/resolve-plan.ts';
import { doneWords, type Verdict } from '#operator/parked/resolve-rows.ts';
import type { ResolveRequest } from './resolve-request.ts';

/**
 * The command that does what a dry run showed. Its times are instants and end now, so the rows can only become fewer; the count notices that.
 */
export function confirmingLine(
  count: number,
  request: ResolveRequest,
  { args, now }: { readonly args: CommandArguments; readonly now: Date },
): string {
  const { rows, verdict, because } = request;
  const which = 'ids' in rows ? rows.ids : filterWords({ before: now, ...rows.filter });
  return commandLine([
    'autopilot',
    'parked',
    'resolve',
    ...which,
    ...(verdict.kind === 'applied' ? ['--applied', verdict.datasetId] : [`--${verdict.kind}`]),
    ...(request.acceptsSecondEffect ? ['--accept-second-effect'] : []),
    ...(because === undefined ? [] : ['--because', because]),
    ...('ids' in rows ? [] : ['--yes', String(count)]),
    ...stageWords(args),
  ]);
}

/** Rows that a dry run lists; the count is of all. */
const maxShown = 20;

/** What would be done, what would be left, and the command that does it. */
export function dryRunLines(
  { todo, left }: ResolvePlan,
  verdict: Verdict,
  confirm: string | undefined,
  paint: Paint,
): readonly string[] {
  return [
    paint('bold', `dry run: ${countOf(todo.length)} would be ${doneWords[verdict.kind]}`),
    ...shownRows(todo),
    ...[...Map.groupBy(left, ({ problem }) => problem)].flatMap(([problem, rows]) => [
      `${paint('yellow', `${countOf(rows.length)} would be left`)}: ${problem}`,
      ...shownRows(rows.map(({ row }) => row)),
    ]),
    ...startWarning(verdict, todo, paint),
    'nothing was done',
    ...(confirm === undefined ? [] : ['to do it:', `  ${confirm}`]),
  ];
}

function shownRows(rows: readonly Stored<ParkableRow>[]): readonly string[] {
  const entries = entriesOf(rows);
  return [
    ...entries.slice(0, maxShown).map((entry) => `  ${entry.id}  ${entry.reason}  ${titleOf(entry)}`),
    ...(entries.length > maxShown ? [`  and ${entries.length - maxShown} more`] : []),
  ];
}

function countOf(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

/** A repeated start counts from now: however old the command is, its run starts at this hour. */
function startWarning(verdict: Verdict, todo: readonly ParkableRow[], paint: Paint): readonly string[] {
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
