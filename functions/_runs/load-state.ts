import { othersInFlight } from '#shared/guards/guards.ts';
import { instantOfWork } from '#shared/ledger/resolve-parked.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type SwitchRow, switchesOf } from '#shared/ledger/switches.ts';
import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { approvalsOf, type CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type GuardRow, withRunInFlight } from '#shared/ledger/rows/guard-row.ts';
import type { RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import { holdsStart, type RunRow, startOf } from '#shared/ledger/rows/run-row.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import type { RunCommandDeps, CommandState, Policy } from './decide/state.ts';
import {
  currentRunId,
  nextRunId,
  poolsAmong,
  repeatedId,
  runNamed,
  runOfId,
  runsToStop,
  startPolicy,
} from './run-policy.ts';

/** What a decision needs, without what the delivery and the rate limiter say about this moment. */
export type LoadedState = Omit<CommandState, 'delivery' | 'gateWaitMs' | 'slots'>;

/** The rows of a command, and what the configuration says about it. */
export interface Loaded {
  readonly state: LoadedState;
  readonly start: Policy['start'];
  /** The runs that it is about: one, or of a stop by name each that has no verdict yet. */
  readonly targets: readonly (string | undefined)[];
}

/** A planned stop that is due this soon matters to a start. */
const soonMs = 60_000;

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
  const rows = createRows(deps.ledger);
  const configured = configuredRun(sent, deps);
  await rows.load(firstKeys(sent, configured, deps));
  const row = rows.get<CommandRow>(ledgerKeys.command(sent.id));
  const command = asApproved(sent, row, now);
  const run = configured ?? boundRun(sent, rows, deps);
  const targets = await targetsOf({ command, row, run }, rows);
  const campaignRunId = target ?? targets[0];
  const runKey = keyOf(ledgerKeys.run, campaignRunId);
  await rows.load([runKey]);

  const runRow = rows.get<RunRow>(runKey);
  const start = command.action === 'start' ? startPolicy(command, run, deps.config) : undefined;
  const guardKey = keyOf(ledgerKeys.guard, guardOf(command, runRow, start) ?? run?.guards.target);
  const poolKey = keyOf(ledgerKeys.runIdPool, poolOf(command, runRow, run));
  await rows.load([guardKey, poolKey]);
  const state: LoadedState = {
    sent,
    command,
    row,
    campaignRunId,
    run: runRow,
    pool: rows.get<RunIdPoolRow>(poolKey),
    guard: rows.get<GuardRow>(guardKey),
    others: new Map(),
    otherRuns: targets.filter((one) => one !== undefined && one !== campaignRunId).map(String),
    switches: switchRows(command, run, rows),
  };
  return { state: { ...state, others: await otherCommands(state, start, now, rows) }, start, targets };
}

/** The row of the run knows its guard row, whatever the configuration says by now; else the policy does. */
function guardOf(
  { id, action }: CampaignRunCommand,
  runRow: RunRow | undefined,
  start: Policy['start'],
): string | undefined {
  const isOfRow = runRow !== undefined && (action !== 'start' || holdsStart(runRow, id));
  if (isOfRow) return startOf(runRow)?.guardName;
  return typeof start === 'object' ? start.guards.target : undefined;
}

/** A command by name and a start know their pool; of any other the row of the run does, whatever the configuration says by now. */
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

function configuredRun({ run, campaignRunId = '' }: CampaignRunCommand, { config }: Pick<RunCommandDeps, 'config'>) {
  return run === undefined ? runOfId(campaignRunId, config) : runNamed(run, config);
}

function boundRun(sent: CampaignRunCommand, rows: Rows, { config }: Pick<RunCommandDeps, 'config'>) {
  if (sent.campaignRunId === undefined) return undefined;
  return runOfId(sent.campaignRunId, config, rows.pools());
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
    .map((key) => rows.get<SwitchRow>(key))
    .filter((row) => row !== undefined)
    .filter(({ isOn }) => isOn);
}

/** The same state with the switches read again. */
export async function withSwitchesNow(
  state: LoadedState,
  { ledger, config }: Pick<RunCommandDeps, 'ledger' | 'config'>,
): Promise<LoadedState> {
  const rows = createRows(ledger);
  const run = configuredRun(state.command, { config }) ?? runNamed(state.run?.run ?? '', config);
  await rows.load(switchKeys(state.command, run));
  return { ...state, switches: switchRows(state.command, run, rows) };
}

/** The runs that a command is about. */
async function targetsOf(
  { command, row, run }: { command: CampaignRunCommand; row: CommandRow | undefined; run: ResolvedRun | undefined },
  rows: Rows,
): Promise<readonly (string | undefined)[]> {
  if (command.campaignRunId !== undefined) return [command.campaignRunId];
  const pool = rows.get<RunIdPoolRow>(ledgerKeys.runIdPool(command.run ?? ''));
  switch (command.action) {
    case 'update':
      return [currentRunId(run, pool)];
    case 'stop': {
      const left = runsToStop(run, pool).filter((id) => row?.runVerdicts?.[id] === undefined);
      return left.length === 0 ? [undefined] : left;
    }
    case 'start':
      return [(await heldId(row, rows)) ?? (run && nextRunId(run, pool))];
  }
}

/** The run id that a start holds already. */
async function heldId(row: CommandRow | undefined, rows: Rows): Promise<string | undefined> {
  const key = keyOf(ledgerKeys.run, row?.campaignRunId);
  await rows.load([key]);
  const held = rows.get<RunRow>(key);
  return row !== undefined && held !== undefined && holdsStart(held, row.id) ? held.campaignRunId : undefined;
}

/** The rows of other commands that a decision looks at. */
async function otherCommands(
  state: LoadedState,
  start: Policy['start'],
  now: Date,
  rows: Rows,
): Promise<CommandState['others']> {
  const ids = [...new Set([...namedByRun(state), ...namedByGuard(state, start, now)])].filter(
    (id) => id !== state.sent.id,
  );
  await rows.load(ids.map((id) => ledgerKeys.command(id)));
  const found = ids.map((id) => [id, rows.get<CommandRow>(ledgerKeys.command(id))] as const);
  return new Map(found.flatMap(([id, row]) => (row === undefined ? [] : [[id, row] as const])));
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
    const isSoon = one.plannedStopAt !== undefined && Date.parse(one.plannedStopAt) <= now.getTime() + soonMs;
    const due = isSoon ? [commandIds.dueStop(one.campaignRunId, one.plannedStopAt, one.startId)] : [];
    if (guards.overlap !== 'stop-previous') return due;
    return [...due, commandIds.previousStop({ id: command.id, approvals }, one)];
  });
}

/** Rows that were read, each once. */
interface Rows {
  readonly load: (keys: readonly (string | undefined)[]) => Promise<void>;
  readonly get: <Row extends LedgerRow>(key: string | undefined) => Stored<Row> | undefined;
  readonly pools: () => readonly RunIdPoolRow[];
}

function createRows(ledger: Pick<Ledger, 'readMany'>): Rows {
  const read = new Map<string, Stored | undefined>();
  return {
    async load(keys) {
      const missing = [...new Set(keys)].filter((key) => key !== undefined).filter((key) => !read.has(key));
      if (missing.length === 0) return;
      const found = await ledger.readMany(missing);
      for (const key of missing) read.set(key, found.get(key));
    },
    get: <Row extends LedgerRow>(key: string | undefined) => (key === undefined ? undefined : rowAt<Row>(read, key)),
    pools: () => poolsAmong([...read.values()]),
  };
}

/** The state after a write: the rows as they are stored now. */
export function withWritten(state: LoadedState, written: readonly Stored[]): LoadedState {
  let next = state;
  for (const row of written) {
    if (row.kind === 'run') next = { ...next, run: row };
    else if (row.kind === 'run-id-pool') next = { ...next, pool: row };
    else if (row.kind === 'guard') next = { ...next, guard: row };
    else if (row.kind === 'command' && row.id === state.sent.id) next = { ...next, row };
    else if (row.kind === 'command') next = { ...next, others: new Map([...next.others, [row.id, row]]) };
  }
  return next;
}

/** The moment of a decision. */
export function atMoment(
  state: LoadedState,
  moment: Pick<CommandState, 'delivery' | 'gateWaitMs' | 'slots'>,
): CommandState {
  return { ...state, ...moment };
}
