import { type BindingItem, ledgerKeys } from '../../shared/ledger/items.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
import type { Command, CommandResult } from '../command.ts';
import { CliError, UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { isUuid } from '../run-subject.ts';

const help = `autopilot bind RUN UUID…
autopilot bind RUN --list

Adds campaign run ids to a configured run, after those of its configuration: each start uses the next
one. No deployment is needed. --list shows which were used and which were added and are left.

Examples
  autopilot bind nightly 0197f3a0-5b1c-7d2e-8f30-112233445566
  autopilot bind nightly --list`;

/** What `bind` tells. */
interface BindReport {
  readonly run: string;
  /** By this call. */
  readonly bound: readonly string[];
  readonly used: BindingItem['used'];
  /** Added by people and not used yet; those of the configuration come first and are not in the ledger. */
  readonly left: readonly string[];
  readonly isKnown: boolean;
}

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [name, ...ids] = args.positionals;
  if (name === undefined) throw new UsageError('bind needs a configured run: autopilot bind RUN UUID…');
  if (isUuid(name)) throw new UsageError(`the first word of bind is a configured run, and ${name} is a uuid`);
  const isList = args.flag('list');
  if (isList && ids.length > 0) throw new UsageError('--list only shows: leave out the ids');
  if (!isList && ids.length === 0) throw new UsageError(`bind ${name} needs at least one uuid, or --list`);
  const wanted = checkedIds(ids);
  const ledger = await deps.stage.ledger();
  const report = isList ? await read(name, ledger) : await add(name, wanted, ledger);
  return { exitCode: exitCodes.done, data: report, render: (paint) => lines(report, paint) };
}

function checkedIds(ids: readonly string[]): readonly string[] {
  const wrong = ids.find((id) => !isUuid(id));
  if (wrong !== undefined) throw new UsageError(`"${wrong}" is not a uuid: nothing was bound`);
  const lower = ids.map((id) => id.toLowerCase());
  const twice = lower.find((id, index) => lower.indexOf(id) !== index);
  if (twice !== undefined) throw new UsageError(`${twice} is there twice: nothing was bound`);
  return lower;
}

async function read(name: string, ledger: Ledger): Promise<BindReport> {
  return reportOf(name, [], await ledger.read<BindingItem>(ledgerKeys.binding(name)), undefined);
}

const tries = 5;

/** Several people and the worker write this row: a lost race is read again. */
async function add(name: string, ids: readonly string[], ledger: Ledger): Promise<BindReport> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const before = await ledger.read<BindingItem>(ledgerKeys.binding(name));
    refuseKnown(name, ids, before);
    const base = before ?? { pk: ledgerKeys.binding(name), kind: 'binding', run: name, used: [], added: [] };
    const written = await ledger.write<BindingItem>(before, { ...base, added: [...base.added, ...ids] });
    if (written !== undefined) return reportOf(name, ids, written, before);
  }
  throw new CliError(`the ids of ${name} keep changing: nothing was bound, try again`, {
    exitCode: exitCodes.failed,
    code: 'LOST_RACE',
  });
}

function refuseKnown(name: string, ids: readonly string[], row: BindingItem | undefined): void {
  const used = ids.find((id) => row?.used.some((use) => use.campaignRunId === id));
  if (used !== undefined) throw new UsageError(`${used} was used by ${name} already: nothing was bound`);
  const added = ids.find((id) => row?.added.includes(id));
  if (added !== undefined) throw new UsageError(`${added} is bound to ${name} already: nothing was bound`);
}

function reportOf(
  name: string,
  bound: readonly string[],
  row: BindingItem | undefined,
  before: BindingItem | undefined,
): BindReport {
  const used = row?.used ?? [];
  const left = (row?.added ?? []).filter((id) => !used.some((use) => use.campaignRunId === id));
  return { run: name, bound, used, left, isKnown: (bound.length > 0 ? before : row) !== undefined };
}

function lines(report: BindReport, paint: Parameters<CommandResult['render']>[0]): readonly string[] {
  const unknown = paint(
    'yellow',
    `  the ledger has not seen a run "${report.run}" before: check the name in automation.config.ts`,
  );
  if (report.bound.length > 0) {
    const head = `${paint('green', 'bound')} ${report.bound.length} to ${report.run}; ${report.left.length} added and left`;
    return report.isKnown ? [head] : [head, unknown];
  }
  return [
    `${report.run}: ${report.used.length} used, ${report.left.length} added and left (those of the configuration come first)`,
    ...report.used.map((use) => paint('dim', `  used  ${use.campaignRunId}  ${use.at}  ${use.commandId}`)),
    ...report.left.map((id) => `  left  ${id}`),
    ...(report.isKnown ? [] : [unknown]),
  ];
}

/** `autopilot bind`. */
export const command: Command = { help, options: { list: { type: 'boolean' } }, run };
