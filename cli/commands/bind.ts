import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { isUsed, newRunIdPool, type RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { Command, CommandResult } from '../command.ts';
import type { CommandDeps } from '../deps.ts';
import { CliError, UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { holderOf, type IdsOfRuns } from '../id-holders.ts';
import { didYouMean } from '../nearest.ts';
import { isUuid } from '../run-subject.ts';
import { type ConfiguredIds, readConfiguredIds } from '../stage-config.ts';

const help = `autopilot bind RUN UUID…
autopilot bind RUN --list

Adds campaign run ids to a configured run, after those of its configuration: each start uses the next
one. No deployment is needed. --list shows which were used and which were added and are left. An id that
some run has already is refused, with every other of the call: in two places it would be started twice.

Examples
  autopilot bind nightly 0197f3a0-5b1c-7d2e-8f30-112233445566
  autopilot bind nightly --list`;

/** What `bind` tells. */
interface BindReport {
  readonly run: string;
  /** By this call. */
  readonly bound: readonly string[];
  /** Ids of its configuration, and added ones, that a start used. */
  readonly used: readonly UsedId[];
  /** Starts that used an id, those included whose ids are in no list any more. */
  readonly usedCount: number;
  /** Added by people and not used yet; those of the configuration come first and are not in the ledger. */
  readonly left: readonly string[];
}

/** An id that a start used. */
interface UsedId {
  readonly campaignRunId: string;
  /** It was started and is not stopped. */
  readonly isLive?: true;
}

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [name, ...ids] = args.positionals;
  if (name === undefined) throw new UsageError('bind needs a configured run: autopilot bind RUN UUID…');
  if (isUuid(name)) throw new UsageError(`the first word of bind is a configured run, and ${name} is a uuid`);
  const isList = args.flag('list');
  if (isList && ids.length > 0) throw new UsageError('--list only shows: leave out the ids');
  if (!isList && ids.length === 0) throw new UsageError(`bind ${name} needs at least one uuid, or --list`);
  const wanted = checkedIds(ids);
  const report = isList ? await list(name, deps) : await add(name, wanted, deps);
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

/** Also of a run that is not configured any more, as long as the ledger has its ids. */
async function list(name: string, { stage }: CommandDeps): Promise<BindReport> {
  const [ledger, configured] = await Promise.all([stage.ledger(), readConfiguredIds({ stage })]);
  const row = await ledger.read<RunIdPoolRow>(ledgerKeys.runIdPool(name));
  return reportOf({ name, bound: [], row, pool: row === undefined ? poolOf(name, configured) : configured.get(name) });
}

const tries = 5;

/** Several people and the worker write this row: a lost race is read again. */
async function add(name: string, ids: readonly string[], { stage }: CommandDeps): Promise<BindReport> {
  const [ledger, configured] = await Promise.all([stage.ledger(), readConfiguredIds({ stage })]);
  refuseRepeated(name, configured);
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const [pools, rows] = await Promise.all([readPools([...configured.keys()], ledger), readRuns(ids, ledger)]);
    refuseHeld(ids, { configured, pools, rows });
    const before = pools.find(({ run: one }) => one === name);
    const base = before ?? newRunIdPool(name);
    const written = await ledger.write<RunIdPoolRow>(before, { ...base, added: [...base.added, ...ids] });
    if (written !== undefined) return reportOf({ name, bound: ids, row: written, pool: configured.get(name) });
  }
  throw new CliError(`the ids of ${name} keep changing: nothing was bound, try again`, {
    exitCode: exitCodes.failed,
    code: 'LOST_RACE',
  });
}

/** @throws UsageError for a run that is not deployed: a slip in its name would bind for nobody */
function poolOf(name: string, configured: ConfiguredIds) {
  const pool = configured.get(name);
  if (pool !== undefined) return pool;
  const names = [...configured.keys()];
  const there = names.length === 0 ? 'this stage has none' : `there are ${names.join(', ')}`;
  throw new UsageError(`there is no run "${name}"${didYouMean(name, names)} (${there}; a new one is deployed first)`);
}

/** @throws UsageError for a run that no added id would ever be used of */
function refuseRepeated(name: string, configured: ConfiguredIds): void {
  const pool = poolOf(name, configured);
  if (pool.kind === 'list') return;
  throw new UsageError(
    `${name} starts ${pool.campaignRunId} again each time (campaignRunId) and would use no other: nothing was bound; for an id for each start write campaignRunIds in automation.config.ts and deploy`,
  );
}

async function readPools(names: readonly string[], ledger: Ledger) {
  const rows = await Promise.all(names.map(async (name) => ledger.read<RunIdPoolRow>(ledgerKeys.runIdPool(name))));
  return rows.filter((row) => row !== undefined);
}

async function readRuns(ids: readonly string[], ledger: Ledger) {
  const rows = await Promise.all(ids.map(async (id) => ledger.read<RunRow>(ledgerKeys.run(id))));
  return rows.filter((row) => row !== undefined);
}

/** @throws UsageError that tells of each id that some run has */
function refuseHeld(ids: readonly string[], runs: IdsOfRuns): void {
  const held = ids.flatMap((id) => {
    const holder = holderOf(id, runs);
    return holder === undefined ? [] : [`${id} ${holder}`];
  });
  if (held.length === 0) return;
  const next = held.length === 1 ? 'leave it out, or take a run' : 'leave them out, or take runs';
  throw new UsageError(`${held.join('; ')}: nothing was bound; ${next} that nobody has`);
}

function reportOf(about: {
  readonly name: string;
  readonly bound: readonly string[];
  readonly row: RunIdPoolRow | undefined;
  readonly pool: ResolvedRun['pool'] | undefined;
}): BindReport {
  const { name, bound, row, pool } = about;
  const { added = [], live = [], used = [] } = row ?? {};
  const isFree = (id: string) => row === undefined || !isUsed(row, id);
  const configured = pool?.kind === 'list' ? pool.campaignRunIds : [];
  const known = new Set([...configured, ...added].filter((id) => !isFree(id)));
  return {
    run: name,
    bound,
    used: [...known].map((campaignRunId) => ({
      campaignRunId,
      isLive: live.includes(campaignRunId) ? true : undefined,
    })),
    usedCount: used.length,
    left: [...new Set(added)].filter((id) => isFree(id)),
  };
}

function lines(report: BindReport, paint: Parameters<CommandResult['render']>[0]): readonly string[] {
  if (report.bound.length > 0) {
    return [`${paint('green', 'bound')} ${report.bound.length} to ${report.run}; ${report.left.length} added and left`];
  }
  return [
    `${report.run}: ${report.usedCount} used, ${report.left.length} added and left (those of the configuration come first)`,
    ...report.used.map(({ campaignRunId, isLive }) =>
      paint('dim', `  used  ${campaignRunId}${isLive === true ? '  in flight' : ''}`),
    ),
    ...report.left.map((id) => `  left  ${id}`),
  ];
}

/** `autopilot bind`. */
export const command: Command = { help, options: { list: { type: 'boolean' } }, run };
