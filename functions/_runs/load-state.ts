import { othersInFlight } from '#shared/guards/guards.ts';
import { instantOfWork } from '#shared/ledger/resolve-parked.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type SwitchRow, switchesOf } from '#shared/ledger/switches.ts';
import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { approvalsOf, type CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type GuardRow, withRunInFlight } from '#shared/ledger/rows/guard-row.ts';
import { freeIds, type RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import { holdsStart, type RunRow, startOf } from '#shared/ledger/rows/run-row.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { isNearlyDue } from './decide/judge-start.ts';
import type { RunCommandDeps, CommandState, Policy } from './decide/state.ts';
import { poolsAmong, runNamed, runOfId, startPolicy } from './run-policy.ts';

/** What a decision needs, without what the delivery and the rate limiter say about this moment. */
export type LoadedState = Omit<CommandState, 'delivery' | 'gateWaitMs' | 'slots'>;

/** The rows of a command, and what the configuration says about it. */
export interface Loaded {
  readonly state: LoadedState;
  readonly start: Policy['start'];
  /** The runs that it is about: one, or of a stop by name each that has no verdict yet. */
  readonly targets: readonly (string | undefined)[];
}

/**
 * Reads the rows of a command: what the configuration names in one read, the rest that those rows name in a second and third.
 * @param target of a stop by name: which of its runs; default the first
 */
export async function loadState(
  sent: CampaignRunCommand,
  now: Date,
  deps: Pick<RunCommandDeps, 'ledger' | 'config'>,
  target?: string,
): Promise<Loaded> {
  const rows: Rows = new Map();
  const configured = configuredRun(sent, deps);
  await load(firstKeys(sent, configured, deps), rows, deps.ledger);
  const row = rowAt<CommandRow>(rows, ledgerKeys.command(sent.id));
  const command = asApproved(sent, row, now);
  const run = configured ?? configuredRun(sent, deps, rows);
  const targets = await targetsOf({ command, row, run }, rows, deps);
  const campaignRunId = target ?? targets[0];
  const runKey = keyOf(ledgerKeys.run, campaignRunId);
  // An id that was bound belongs to a campaign that is known only now.
  await load([runKey, ...(command.action === 'start' ? switchKeys(sent, run) : [])], rows, deps.ledger);

  const runRow = rowAt<RunRow>(rows, runKey);
  const start = command.action === 'start' ? startPolicy(command, run, deps.config) : undefined;
  const guardKey = keyOf(ledgerKeys.guard, guardOf(command, runRow, start) ?? run?.guards.target);
  const poolKey = keyOf(ledgerKeys.runIdPool, poolOf(command, runRow, run));
  await load([guardKey, poolKey], rows, deps.ledger);
  const state: LoadedState = {
    sent,
    command,
    row,
    campaignRunId,
    run: runRow,
    pool: rowAt<RunIdPoolRow>(rows, poolKey),
    guard: rowAt<GuardRow>(rows, guardKey),
    others: new Map(),
    otherRuns: targets.filter((one) => one !== undefined && one !== campaignRunId).map(String),
    switches: switchRows(command, run, rows),
  };
  const others = await readOthers([...namedByRun(state), ...namedByGuard(state, start, now)], state, rows, deps);
  return { state: { ...state, others }, start, targets };
}

/**
 * The row of the run knows its guard row, also if the configuration has changed since; else the
 * policy does.
 */
function guardOf(
  { id, action }: CampaignRunCommand,
  runRow: RunRow | undefined,
  start: Policy['start'],
): string | undefined {
  const isOfRow = runRow !== undefined && (action !== 'start' || holdsStart(runRow, id));
  if (isOfRow) return startOf(runRow)?.guardName;
  return typeof start === 'object' ? start.guards.target : undefined;
}

/**
 * A command by name and a start know their pool. For any other, the row of the run does, also if
 * the configuration has changed since.
 */
function poolOf(
  { action, run }: CampaignRunCommand,
  runRow: RunRow | undefined,
  configured: ResolvedRun | undefined,
): string | undefined {
  const ofStart = action === 'start' ? configured?.name : undefined;
  return run ?? ofStart ?? runRow?.run ?? configured?.name;
}

/** The command as it counts now: a repeat that a person ordered counts as issued at that instant. */
function asApproved(command: CampaignRunCommand, row: CommandRow | undefined, now: Date): CampaignRunCommand {
  if (row?.resolutions === undefined || approvalsOf(row) === 0) return command;
  return { ...command, issuedAt: instantOfWork({ since: command.issuedAt, resolutions: row.resolutions }, now) };
}

/** The run that a command names, or that its uuid belongs to: by the configuration, or by the pools among the rows. */
function configuredRun(
  { run, campaignRunId = '' }: CampaignRunCommand,
  { config }: Pick<RunCommandDeps, 'config'>,
  rows: Rows = new Map(),
) {
  return run === undefined ? runOfId(campaignRunId, config, poolsAmong([...rows.values()])) : runNamed(run, config);
}

/** What the command and the configuration name. A uuid that no list holds may have been bound to any of the runs. */
function firstKeys(
  sent: CampaignRunCommand,
  run: ResolvedRun | undefined,
  { config }: Pick<RunCommandDeps, 'config'>,
): readonly (string | undefined)[] {
  const { id, action, campaignRunId } = sent;
  const mayBeBound = run === undefined && action === 'start' && campaignRunId !== undefined;
  return [
    ledgerKeys.command(id),
    keyOf(ledgerKeys.run, campaignRunId ?? repeatedId(run)),
    keyOf(ledgerKeys.runIdPool, run?.name ?? sent.run),
    keyOf(ledgerKeys.guard, run?.guards.target),
    ...(mayBeBound ? Object.keys(config.runs).map((name) => ledgerKeys.runIdPool(name)) : []),
    ...(action === 'start' ? switchKeys(sent, run) : []),
  ];
}

function keyOf(make: (name: string) => string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : make(name);
}

function switchKeys({ origin }: CampaignRunCommand, run: ResolvedRun | undefined): readonly string[] {
  return switchesOf({ origin, campaign: run?.campaign }).map(({ scope, name }) => ledgerKeys.switch(scope, name));
}

function switchRows(command: CampaignRunCommand, run: ResolvedRun | undefined, rows: Rows): readonly SwitchRow[] {
  if (command.action !== 'start') return [];
  return switchKeys(command, run)
    .map((key) => rowAt<SwitchRow>(rows, key))
    .filter((row) => row !== undefined)
    .filter(({ isOn }) => isOn);
}

/** The same state with the switches read again. */
export async function withSwitchesNow(
  state: LoadedState,
  { ledger, config }: Pick<RunCommandDeps, 'ledger' | 'config'>,
): Promise<LoadedState> {
  const rows: Rows = new Map();
  const run = configuredRun(state.command, { config }) ?? runNamed(state.pool?.run ?? '', config);
  await load(switchKeys(state.command, run), rows, ledger);
  return { ...state, switches: switchRows(state.command, run, rows) };
}

/** The runs that a command is about. */
async function targetsOf(
  { command, row, run }: { command: CampaignRunCommand; row: CommandRow | undefined; run: ResolvedRun | undefined },
  rows: Rows,
  deps: Pick<RunCommandDeps, 'ledger'>,
): Promise<readonly (string | undefined)[]> {
  if (command.campaignRunId !== undefined) return [command.campaignRunId];
  const pool = rowAt<RunIdPoolRow>(rows, ledgerKeys.runIdPool(command.run ?? ''));
  switch (command.action) {
    case 'update':
      return [currentRunId(run, pool)];
    case 'stop': {
      const left = runsToStop(run, pool).filter((id) => row?.runVerdicts?.[id] === undefined);
      return left.length === 0 ? [undefined] : left;
    }
    case 'start':
      return [(await heldId(row, rows, deps)) ?? (run && nextRunId(run, pool))];
  }
}

/** The id of a run that is started again each time. */
function repeatedId(run: ResolvedRun | undefined): string | undefined {
  return run?.pool.kind === 'repeat' ? run.pool.campaignRunId : undefined;
}

/** The id that the next start of a run uses; absent if none is left. */
function nextRunId({ pool: ids }: ResolvedRun, pool: RunIdPoolRow | undefined): string | undefined {
  return ids.kind === 'repeat' ? ids.campaignRunId : freeIds(pool, ids.campaignRunIds)[0];
}

/** The run that a name means to an update: the live one, the repeated one, or the one used last. */
function currentRunId(run: ResolvedRun | undefined, pool: RunIdPoolRow | undefined): string | undefined {
  return pool?.live.at(-1) ?? repeatedId(run) ?? pool?.lastUsed;
}

/**
 * The runs that a stop by name is about, the latest start first: the live ones, else the one that
 * is started again each time.
 */
function runsToStop(run: ResolvedRun | undefined, pool: RunIdPoolRow | undefined): readonly string[] {
  const live = pool?.live ?? [];
  if (live.length > 0) return live.toReversed();
  return [repeatedId(run)].filter((id) => id !== undefined);
}

/** The run id that a start holds already. */
async function heldId(
  row: CommandRow | undefined,
  rows: Rows,
  { ledger }: Pick<RunCommandDeps, 'ledger'>,
): Promise<string | undefined> {
  const key = keyOf(ledgerKeys.run, row?.campaignRunId);
  await load([key], rows, ledger);
  const held = rowAt<RunRow>(rows, key);
  return row !== undefined && held !== undefined && holdsStart(held, row.id) ? held.campaignRunId : undefined;
}

/** The rows of other commands that a decision looks at. */
async function readOthers(
  named: readonly string[],
  { sent }: LoadedState,
  rows: Rows,
  { ledger }: Pick<RunCommandDeps, 'ledger'>,
): Promise<CommandState['others']> {
  const ids = named.filter((id) => id !== sent.id);
  await load(
    ids.map((id) => ledgerKeys.command(id)),
    rows,
    ledger,
  );
  const found = ids.map((id) => rowAt<CommandRow>(rows, ledgerKeys.command(id)));
  return new Map(found.filter((row) => row !== undefined).map((row) => [row.id, row]));
}

function namedByRun({ run }: LoadedState): readonly string[] {
  if (run === undefined) return [];
  const ids: (string | undefined)[] = [];
  const start = startOf(run);
  const isUnknown = run.state === 'start-unknown' || run.state === 'starting';
  if (start !== undefined && (isUnknown || 'before' in run)) ids.push(start.startId);
  if ('stop' in run) ids.push(run.stop.id, run.stop.tookOver);
  return ids.filter((id) => id !== undefined);
}

/** Planned stops that are due, and the stops that `stop-previous` sends. */
function namedByGuard(state: LoadedState, start: Policy['start'], now: Date): readonly string[] {
  const { command, campaignRunId, row } = state;
  if (typeof start !== 'object') return [];
  const { guards } = start;
  const guard = withRunInFlight(state.guard, guards.target, state.run);
  const others = othersInFlight({ command, guards, campaignRunId, guard, now, effectAt: now });
  const approvals = approvalsOf(row);
  return others.flatMap((one) => {
    const due = isNearlyDue(one, now) ? [commandIds.dueStop(one.campaignRunId, one.plannedStopAt, one.startId)] : [];
    if (guards.overlap !== 'stop-previous') return due;
    return [...due, commandIds.previousStop({ id: command.id, approvals }, one)];
  });
}

/** Rows by key, each read once; `undefined` if there is none. */
type Rows = Map<string, Stored | undefined>;

async function load(
  keys: readonly (string | undefined)[],
  rows: Rows,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<void> {
  const missing = [...new Set(keys)].filter((key) => key !== undefined).filter((key) => !rows.has(key));
  if (missing.length === 0) return;
  const found = await ledger.readMany(missing);
  for (const key of missing) rows.set(key, found.get(key));
}
