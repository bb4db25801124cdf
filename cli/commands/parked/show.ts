import type { ParkableRow } from '#shared/ledger/rows/message-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandArguments } from '../../arguments.ts';
import type { CommandResult } from '../../command.ts';
import type { CommandDeps } from '../../deps.ts';
import { roughly } from '../../duration-argument.ts';
import { UsageError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { findParked } from '../../find-parked.ts';
import { type NewerVersion, newerVersion } from '../../newer-version.ts';
import { columns, type Paint, printable } from '../../output.ts';
import { type Advice, adviceFor, stageWords } from '../../parked-advice.ts';
import { uniqueHandle } from '../../parked-handles.ts';
import { entryOf, type ParkedEntry, titleOf } from '../../parked-rows.ts';
import { doneWords } from '../../resolve-rows.ts';
import { rowFacts } from './row-facts.ts';

/** One row as `show` tells it. */
interface ShownRow extends ParkedEntry {
  readonly isParked: boolean;
  /** Commands to paste; none where nobody is needed any more. */
  readonly advice: readonly Advice[];
  /** A later version of the same key. */
  readonly newer?: NewerVersion;
  readonly row: Stored<ParkableRow>;
}

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
  for (const row of rows) shown.push(await shownRow(row, uniqueHandle(row.pk, pks), stageWords(args), deps));
  return {
    exitCode: exitCodes.done,
    data: { parked: shown },
    render: (paint) => shown.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...rowLines(one, now, paint)]),
  };
}

async function shownRow(
  row: Stored<ParkableRow>,
  handle: string,
  stage: readonly string[],
  deps: CommandDeps,
): Promise<ShownRow> {
  const isParked = row.openState === 'PARKED';
  const newer = await newerVersion(row, deps);
  return {
    ...entryOf(row, handle),
    isParked,
    advice: isParked ? adviceFor(row, { handle, stage, isReplaced: newer?.takesItsPlace === true }) : [],
    ...(newer === undefined ? {} : { newer }),
    row,
  };
}

function rowLines(shown: ShownRow, now: Date, paint: Paint): readonly string[] {
  const { id, reason, since, isParked, row } = shown;
  const age = `${roughly(now.getTime() - Date.parse(since))} ago`;
  const state = isParked ? paint('red', `parked ${reason}`) : paint('green', `not parked any more: ${stateOf(row)}`);
  const facts = rowFacts(row, shown).filter(([, text]) => text !== '');
  return [
    `${paint('bold', id)}  ${state}  ${printable(titleOf(shown))}  ${paint('dim', age)}`,
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
  return [`${head}:`, ...indented(parked.message).map((line) => `    ${printable(line)}`)];
}

function indented(message: string): readonly string[] {
  try {
    return JSON.stringify(JSON.parse(message), null, 2).split('\n');
  } catch {
    // A message that cannot be read is often why it is parked: it is shown as it came.
    return message.split('\n');
  }
}
