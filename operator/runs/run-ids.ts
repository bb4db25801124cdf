import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { isUuid } from '#shared/gateway-client/endpoints/schema.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { readOpenRuns } from '#shared/ledger/open-rows.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { isUsed, newRunIdPool, type RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { type CampaignRunCommand, longestRun } from '#shared/messages/campaign-run-command.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { readEither } from '../outcomes/outcome-report.ts';
import type { AskingDeps } from '../stage/operator-deps.ts';
import { type ConfiguredIds, readConfiguredIds } from '../stage/stage-config.ts';

/** What a command is about: a configured run, or any run by its uuid. */
export type RunSubject = Pick<CampaignRunCommand, 'run' | 'campaignRunId'>;

/** A run by its configured name, or by its uuid. */
export function runSubject(text: string): RunSubject {
  if (text.trim() === '') throw new UsageError('which run? give its configured name, or its uuid');
  if (text.length > longestRun)
    throw new UsageError(`"${text.slice(0, 40)}…" is no run: its name has at most ${longestRun} characters`);
  if (isUuid(text)) return { campaignRunId: text.toLowerCase() };
  // Long, and only what uuids are made of: a slip in a uuid rather than a name.
  if (/^[0-9a-f-]{28,}$/i.test(text))
    throw new UsageError(`"${text}" is not a whole uuid: 8-4-4-4-12 hexadecimal digits`);
  return { run: text };
}

/**
 * Refuses a name that no start, stop or update could be about. The worker would park it, and a
 * person would have to close its row. A name that the ledger knows passes, and so does any name if
 * the stage does not tell its runs: the worker judges it then.
 * @throws UsageError that names the runs there are
 */
export async function refuseUnknownRun({ run }: RunSubject, deps: AskingDeps): Promise<void> {
  if (run === undefined) return;
  const known = await readEither<RunIdPoolRow>(await deps.stage.ledger(), ledgerKeys.runIdPool(run));
  if (known !== undefined) return;
  const configured = await readConfiguredIds(deps).catch(() => undefined);
  if (configured !== undefined) poolOf(run, configured);
}

/** Returns true if the deployed configuration has a run of this name; false too if the stage does not answer. */
export async function isConfiguredRun(name: string, deps: AskingDeps): Promise<boolean> {
  const configured = await readConfiguredIds(deps).catch(() => undefined);
  return configured?.has(name) ?? false;
}

/** Returns true for the uuid of a run that the ledger knows. */
export async function isRecordedRun(text: string, { stage }: Pick<AskingDeps, 'stage'>): Promise<boolean> {
  return isUuid(text) && (await readRun(text.toLowerCase(), await stage.ledger())) !== undefined;
}

/**
 * The instant for a person's command: now, or 1 ms after the latest command that the ledger records for this run. If the clock of a laptop is
 * slow, its stop would else be earlier than the start, and superseded.
 */
export async function issueInstant(subject: RunSubject, now: Date, ledger: Ledger): Promise<Date> {
  const recorded = await recordedInstants(subject, ledger);
  return new Date(Math.max(now.getTime(), ...recorded.map((instant) => Date.parse(instant) + 1)));
}

async function recordedInstants(subject: RunSubject, ledger: Ledger): Promise<readonly string[]> {
  if (subject.campaignRunId !== undefined) return instantsOf(await readRun(subject.campaignRunId, ledger));
  const name = subject.run ?? '';
  const [pool, open] = await Promise.all([
    readEither<RunIdPoolRow>(ledger, ledgerKeys.runIdPool(name)),
    readOpenRuns(ledger),
  ]);
  const lastRun = pool?.lastUsed === undefined ? undefined : await readRun(pool.lastUsed, ledger);
  const runs = open.filter(({ run }) => run === name);
  const latestStop = pool?.latestStop?.issuedAt;
  return [...(latestStop === undefined ? [] : [latestStop]), ...[lastRun, ...runs].flatMap((run) => instantsOf(run))];
}

async function readRun(campaignRunId: string, ledger: Ledger): Promise<RunRow | undefined> {
  return readEither<RunRow>(ledger, ledgerKeys.run(campaignRunId));
}

/** Updates count too: a later update replaces an earlier one. */
function instantsOf(row: RunRow | undefined): readonly string[] {
  const commands = [row?.latest, row?.update?.applied, row?.update?.pending];
  return commands.flatMap((command) => (command === undefined ? [] : [command.issuedAt]));
}

/** The ids of a run: those that were added and those that are left. */
export interface BindReport {
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

/** Tells the ids of a run; also of one that is not configured any more, as long as the ledger has its ids. */
export async function listRunIds(name: string, deps: AskingDeps): Promise<BindReport> {
  const [ledger, configured] = await Promise.all([deps.stage.ledger(), readConfiguredIds(deps)]);
  const row = await ledger.read<RunIdPoolRow>(ledgerKeys.runIdPool(name));
  return idsReport({ name, bound: [], row, pool: row === undefined ? poolOf(name, configured) : configured.get(name) });
}

const tries = 5;

/**
 * Adds ids to a run. Several people and the worker write this row: a lost race is read again.
 * @throws UsageError for an id that some run has, and for a run that would never use one
 */
export async function addRunIds(name: string, ids: readonly string[], deps: AskingDeps): Promise<BindReport> {
  const [ledger, configured] = await Promise.all([deps.stage.ledger(), readConfiguredIds(deps)]);
  refuseRepeated(name, configured);
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const [pools, rows] = await Promise.all([readPools([...configured.keys()], ledger), readRuns(ids, ledger)]);
    refuseHeld(ids, { configured, pools, rows });
    const before = pools.find(({ run: one }) => one === name);
    const base = before ?? newRunIdPool(name);
    const written = await ledger.write<RunIdPoolRow>(before, { ...base, added: [...base.added, ...ids] });
    if (written !== undefined) return idsReport({ name, bound: ids, row: written, pool: configured.get(name) });
  }
  throw new OperatorError(`the ids of ${name} keep changing: nothing was bound, try again`, {
    code: 'LOST_RACE',
  });
}

/** @throws UsageError for a run that is not deployed: a slip in its name would bind for no run */
function poolOf(name: string, configured: ConfiguredIds) {
  const pool = configured.get(name);
  if (pool !== undefined) return pool;
  const names = [...configured.keys()];
  const there = names.length === 0 ? 'this stage has none' : `there are ${names.join(', ')}`;
  throw new UsageError(
    `there is no run "${name}"${didYouMean(name, names, ':')} (${there}; a new one is deployed first)`,
  );
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
  const next = held.length === 1 ? 'leave it out, or take a free run' : 'leave them out, or take free runs';
  throw new UsageError(`${held.join('; ')}: nothing was bound; ${next}`);
}

function idsReport(about: {
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

/** What tells to whom a campaign run id belongs: the deployed configuration, and what the ledger has of its runs. */
export interface IdsOfRuns {
  readonly configured: ConfiguredIds;
  /** Of the runs that have one. */
  readonly pools: readonly RunIdPoolRow[];
  /** Rows of the ids that are asked for, as far as there are any. */
  readonly rows: readonly RunRow[];
}

/** Which run has an id already, as the predicate of a sentence: `was used by nightly already`; undefined if none has. */
export function holderOf(id: string, { configured, pools, rows }: IdsOfRuns): string | undefined {
  const user = pools.find((row) => isUsed(row, id));
  if (user !== undefined) return `was used by ${user.run} already`;
  const adder = pools.find((row) => row.added.includes(id));
  if (adder !== undefined) return `is bound to ${adder.run} already`;
  const live = pools.find((row) => row.live.includes(id));
  if (live !== undefined) return `is in flight as ${live.run}`;
  const row = rows.find(({ campaignRunId, state }) => campaignRunId === id && state !== 'idle');
  if (row !== undefined) return row.run === undefined ? 'is in flight' : `is in flight as ${row.run}`;
  for (const [run, pool] of configured) {
    const ids = pool.kind === 'list' ? pool.campaignRunIds : [pool.campaignRunId];
    // A uuid is the same run in any case of its letters.
    if (ids.some((one) => one.toLowerCase() === id)) return `is configured for ${run} already`;
  }
  return undefined;
}
