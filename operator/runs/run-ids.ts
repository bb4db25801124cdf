import { isUuid } from '#shared/gateway-client/operation.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { readRunsInFlight, type RunInFlight } from '#shared/ledger/open-rows.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type IdRow, isFreeId, isUsed, newRunRow, type RunRow } from '#shared/ledger/rows/run-row.ts';
import { type CampaignRunCommand, longestRunName } from '#shared/messages/campaign-run-command.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { OperatorError, UsageError } from '../errors.ts';
import type { AskingDeps } from '../stage/operator-deps.ts';
import { type ConfiguredIds, readConfiguredIds } from '../stage/stage-config.ts';
import { findSchedule } from '../switches/pause-subject.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';

/** What a command is about: a configured run, or any run by its uuid. */
export type RunSubject = Pick<CampaignRunCommand, 'run' | 'campaignRunId'>;

/** A run by its configured name, or by its uuid. */
export function runSubject(text: string): RunSubject {
  if (text.trim() === '') throw new UsageError('which run? give its configured name, or its uuid');
  if (text.length > longestRunName)
    throw new UsageError(`"${text.slice(0, 40)}…" is no run: its name has at most ${longestRunName} characters`);
  if (isUuid(text)) return { campaignRunId: text.toLowerCase() };
  // Long, and only what uuids are made of: a slip in a uuid rather than a name.
  if (/^[0-9a-f-]{28,}$/i.test(text))
    throw new UsageError(`"${text}" is not a whole uuid: 8-4-4-4-12 hexadecimal digits`);
  return { run: text };
}

/**
 * Refuses a name that no start or stop could be about. The worker would park it, and a
 * person would have to close its row. A name that the ledger knows passes, and so does any name if
 * the stage does not tell its runs: the worker judges it then.
 */
export async function refuseUnknownRun(
  { run, action }: RunSubject & Partial<Pick<CampaignRunCommand, 'action'>>,
  deps: AskingDeps,
): Promise<void> {
  if (run === undefined) return;
  const known = await (await deps.stage.ledger()).read<RunRow>(ledgerKeys.run(run));
  if (known !== undefined) return;
  const configured = await readConfiguredIds(deps).catch(() => undefined);
  if (configured === undefined || configured.has(run)) return;
  throw (await otherThanRun(run, action, deps)) ?? unknownRun(run, configured);
}

/** What a person means by a word that is no run: the beginning of a uuid, or a schedule. */
async function otherThanRun(
  word: string,
  action: CampaignRunCommand['action'] | undefined,
  deps: AskingDeps,
): Promise<UsageError | undefined> {
  if (isHalfUuid(word)) {
    const ids = (await readRunsInFlight(await deps.stage.ledger())).map(({ entry }) => entry.campaignRunId);
    const [found, ...others] = ids.filter((id) => id.startsWith(word.toLowerCase()));
    const says = `"${word}" is not a whole uuid`;
    if (found === undefined) return new UsageError(`${says}, and no run in flight begins with it`);
    if (others.length > 0) return new UsageError(`${says}: runs in flight are ${[found, ...others].join(', ')}`);
    return new UsageError(
      `${says}: a run in flight begins with it`,
      action === 'stop' ? { command: ['autopilot', 'send', 'stop', found] } : {},
    );
  }
  // Who may start a run need not be allowed to read schedules.
  const schedule = await findSchedule(word, deps).catch(() => undefined);
  if (schedule === undefined) return undefined;
  return new UsageError(
    `"${word}" is a schedule, not a run`,
    action === 'start' ? { command: ['autopilot', 'fire', word] } : {},
  );
}

/** Only what uuids are made of, up to the middle of one. */
function isHalfUuid(word: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]*$/i.test(word);
}

/** Returns true if the deployed configuration has a run of this name; false too if the stage does not answer. */
export async function isConfiguredRun(name: string, deps: AskingDeps): Promise<boolean> {
  const configured = await readConfiguredIds(deps).catch(() => undefined);
  return configured?.has(name) ?? false;
}

/** The names of the runs of the deployed configuration. */
export async function configuredRuns(deps: AskingDeps): Promise<readonly string[]> {
  return [...(await readConfiguredIds(deps)).keys()];
}

/** Returns true for the uuid of a run that the ledger knows. */
export async function isRecordedRun(text: string, { stage }: Pick<AskingDeps, 'stage'>): Promise<boolean> {
  return isUuid(text) && (await readId(text.toLowerCase(), await stage.ledger())) !== undefined;
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
  if (subject.campaignRunId !== undefined) {
    const row = await readId(subject.campaignRunId, ledger);
    return row?.issuedAt === undefined ? [] : [row.issuedAt];
  }
  const name = subject.run ?? '';
  const [row, runs] = await Promise.all([ledger.read<RunRow>(ledgerKeys.run(name)), readRunsInFlight(ledger)]);
  const inFlight = runs.filter(({ entry }) => entry.run === name).map(({ entry }) => entry.issuedAt);
  return row?.latest === undefined ? inFlight : [row.latest.issuedAt, ...inFlight];
}

async function readId(campaignRunId: string, ledger: Ledger): Promise<IdRow | undefined> {
  return ledger.read<IdRow>(ledgerKeys.runId(campaignRunId));
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
  const [row, runs] = await Promise.all([ledger.read<RunRow>(ledgerKeys.run(name)), readRunsInFlight(ledger)]);
  const ids = row === undefined ? idsOf(name, configured) : configured.get(name);
  return idsReport({ name, bound: [], row, ids, runs });
}

const tries = 5;

/**
 * Adds ids to a run, in either mode: what is bound while the stage observes holds once it acts.
 * Several people and the worker write this row: a lost race is read again.
 */
export async function addRunIds(name: string, ids: readonly string[], deps: AskingDeps): Promise<BindReport> {
  const [ledger, configured] = await Promise.all([deps.stage.acting(), readConfiguredIds(deps)]);
  idsOf(name, configured);
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const [rows, idRows, runs] = await Promise.all([
      readRows<RunRow>([...configured.keys()].map(ledgerKeys.run), ledger),
      readRows<IdRow>(ids.map(ledgerKeys.runId), ledger),
      readRunsInFlight(ledger),
    ]);
    refuseHeld(ids, { configured, rows, ids: idRows });
    const before = rows.find(({ run: one }) => one === name);
    const base = before ?? newRunRow(name);
    const row = await ledger.write<RunRow>(before, { ...base, bound: [...base.bound, ...ids] });
    if (row !== undefined) return idsReport({ name, bound: ids, row, ids: configured.get(name), runs });
  }
  throw new OperatorError(`the ids of ${name} keep changing: nothing was bound, try again`, {
    code: 'LOST_RACE',
  });
}

/** @throws UsageError for a run that is not deployed: a slip in its name would bind for no run */
function idsOf(name: string, configured: ConfiguredIds): readonly string[] {
  const ids = configured.get(name);
  if (ids === undefined) throw unknownRun(name, configured);
  return ids;
}

function unknownRun(name: string, configured: ConfiguredIds): UsageError {
  const names = [...configured.keys()];
  const there = names.length === 0 ? 'this stage has none' : `there are ${names.join(', ')}`;
  return new UsageError(
    `there is no run "${name}"${didYouMean(name, names, ':')} (${there}; a new one is deployed first)`,
  );
}

async function readRows<Row extends LedgerRow>(keys: readonly Row['pk'][], ledger: Ledger) {
  const rows = await Promise.all(keys.map(async (key) => ledger.read<Row>(key)));
  return rows.filter((row) => row !== undefined);
}

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
  readonly row: RunRow | undefined;
  readonly ids: readonly string[] | undefined;
  readonly runs: readonly RunInFlight[];
}): BindReport {
  const { name, bound, row, ids = [], runs } = about;
  const live = runs.filter(({ entry }) => entry.run === name).map(({ entry }) => entry.campaignRunId);
  const used = new Set([...ids.filter((id) => row !== undefined && isUsed(row, id)), ...live]);
  return {
    run: name,
    bound,
    used: [...used].map((campaignRunId) => ({
      campaignRunId,
      isLive: live.includes(campaignRunId) ? true : undefined,
    })),
    usedCount: row?.used.length ?? 0,
    left: [...new Set(row?.bound)],
  };
}

/** What tells to whom a campaign run id belongs: the deployed configuration, and what the ledger has of its runs. */
interface IdsOfRuns {
  readonly configured: ConfiguredIds;
  /** Of the runs that have one. */
  readonly rows: readonly RunRow[];
  /** Rows of the ids that are asked for, as far as there are any. */
  readonly ids: readonly IdRow[];
}

/** Which run has an id already, as the predicate of a sentence: `was used by nightly already`; undefined if none has. */
function holderOf(id: string, { configured, rows, ids }: IdsOfRuns): string | undefined {
  const row = ids.find(({ campaignRunId }) => campaignRunId === id);
  if (row !== undefined && !isFreeId(row)) {
    if (row.run !== undefined) return `was used by ${row.run} already`;
    return row.begunElsewhere === undefined ? 'was stopped' : 'began without a start of this stage';
  }
  const binder = rows.find(({ bound }) => bound.includes(id));
  if (binder !== undefined) return `is bound to ${binder.run} already`;
  for (const [run, listed] of configured) {
    // A uuid is the same run in any case of its letters.
    if (listed.some((one) => one.toLowerCase() === id)) return `is configured for ${run} already`;
  }
  return undefined;
}
