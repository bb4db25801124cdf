import type { ParkableRow } from '#shared/ledger/rows/message-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandArguments } from '../terminal/arguments.ts';
import { stageWords } from '../terminal/asked-stages.ts';
import type { CommandDeps, CommandResult } from '../command.ts';
import { UsageError } from '#operator/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { findParked } from '#operator/parked/find-parked.ts';
import { columns } from '../terminal/output.ts';
import { noteLines, type When } from '../terminal/times.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { uniqueHandle } from '#shared/ledger/parked-handles.ts';
import { titleOf } from '#operator/parked/parked-rows.ts';
import { doneWords } from '#operator/parked/resolve-rows.ts';
import { type ShownRow, shownRow } from '#operator/parked/shown-row.ts';
import { rowFacts } from '#operator/parked/row-facts.ts';

/** `autopilot parked show ID…`: everything that is known about rows and what is not, their messages included; resolved rows too. */
export async function showCommand(
  ids: readonly string[],
  args: CommandArguments,
  deps: CommandDeps,
): Promise<CommandResult> {
  if (ids.length === 0) throw new UsageError('parked show needs an id: autopilot parked list shows them');
  const now = await deps.now();
  const rows = await findParked(ids, deps);
  const pks = rows.map((row) => row.pk);
  const shown: ShownRow[] = [];
  for (const row of rows)
    shown.push(await shownRow(row, { handle: uniqueHandle(row.pk, pks), stage: stageWords(args) }, deps));
  return {
    exitCode: exitCodes.done,
    data: { parked: shown },
    render: (paint, times) => [
      ...noteLines(times(now), paint),
      ...shown.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...rowLines(one, times(now), paint)]),
    ],
  };
}

function rowLines(shown: ShownRow, when: When, paint: Paint): readonly string[] {
  const { id, reason, since, isParked, row } = shown;
  const state = isParked ? paint('red', `parked ${reason}`) : paint('green', `not parked any more: ${stateOf(row)}`);
  const facts = rowFacts(row, shown, when.at).filter(([, text]) => text !== '');
  return [
    `${paint('bold', id)}  ${state}  ${titleOf(shown)}  ${paint('dim', when.at(since))}`,
    ...columns(facts).map((line) => `  ${line}`),
    ...messageLines(row),
    ...adviceLines(shown, paint),
  ];
}

function stateOf(row: Stored<ParkableRow>): string {
  const last = row.resolutions?.at(-1);
  if (row.outcome?.kind === 'parked' && last !== undefined) return `${doneWords[last.decision]} by ${last.by}`;
  if (row.outcome !== undefined) return row.outcome.kind;
  return last === undefined ? 'under way' : 'sent again, no outcome yet';
}

function adviceLines({ advice }: ShownRow, paint: Paint): readonly string[] {
  if (advice.length === 0) return [];
  return [
    '  paste what fits',
    ...advice.flatMap(({ when, command }) => [paint('dim', `    # ${when}`), `    ${command}`]),
  ];
}

/** An event of S3 says at length what `what came` says: the messages that people wrote are worth their lines. */
function messageLines({ kind, parked }: Stored<ParkableRow>): readonly string[] {
  if (parked === undefined) return [];
  const head = `  message, kept for the ${parked.queue} queue`;
  if (kind === 'upload' || kind === 'plan') return [`${head}: ${parked.message.length} characters, in --json`];
  return [`${head}:`, ...indented(parked.message).map((line) => `    ${line}`)];
}

function indented(message: string): readonly string[] {
  try {
    return JSON.stringify(JSON.parse(message), null, 2).split('\n');
  } catch {
    // A message that cannot be read is often why it is parked: it is shown as it came.
    return message.split('\n');
  }
}
