import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type IdRow, idRowOf, poolKey, type RunRow } from '#shared/ledger/rows/run-row.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import { switchesOf } from '#shared/ledger/switches.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { type CommandSender, judgeMessage, repeatedId, type SentBy } from '#shared/messages/command-senders.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { earlierKeys, withMissedValidity } from './decide/missed-starts.ts';
import type { CommandState, MissedSchedule, Rows, RunsConfig } from './decide/state.ts';
import { entriesIn, type Found, idsOf, runNamed, runOfId } from './decide/rows.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';

/** What a command is loaded by. */
export interface Asked {
  readonly sent: CampaignRunCommand;
  /** When its message was sent. */
  readonly sentAt: Date;
  readonly sender?: CommandSender | undefined;
  /** Rows changed concurrently: the rows of the free ids are read too, since another run may have used one. */
  readonly isAgain?: boolean;
}

interface LoadDeps {
  readonly ledger: Pick<Ledger, 'readMany'>;
  /** Of a command that only gets its outcome no run is needed: its rows know the targets. */
  readonly config: Pick<RunsConfig, 'runs' | 'schedules'> &
    Partial<Pick<RunsConfig, 'blackouts'>> & {
      readonly gateway?: Pick<RunsConfig['gateway'], 'readsRuns'>;
    };
}

/** The rows of all ids of a pool are looked at, also of those that begin soon. */
const anyTime = new Date(0);

/** So many free ids are looked at in one go. */
const mostIds = 25;

/** No list of keys grows more often than this: own row, targets, entries, their commands. */
const mostReads = 6;

/**
 * Reads the rows of a command: those that the message and the configuration name in one read, those that these rows name in another.
 * @throws the ledger's error
 */
export async function loadState(asked: Asked, deps: LoadDeps): Promise<CommandState> {
  const { sent, sender } = asked;
  const schedule = scheduleOf(sent, deps.config.schedules);
  const earlier = schedule === undefined ? [] : earlierKeys(sent, schedule);
  let rows: Rows = new Map();
  for (let reads = 0; reads < mostReads; reads += 1) {
    const before = rows;
    const missing = [...keysOf(asked, before, deps), ...earlier].filter((key) => !before.has(key));
    if (missing.length === 0) break;
    const found = await deps.ledger.readMany(missing);
    rows = new Map([...before, ...missing.map((key) => [key, found.get(key)] as const)]);
  }
  rows = new Map([...knownIds(asked, rows, deps), ...rows]);
  return {
    sent,
    sender,
    command: asCounted(asked, rows, schedule),
    rows,
    targets: targetsOf(asked, rows, deps),
    run: runNamed(sent.run, deps.config),
    madeUpBy: schedule,
    switches: switchesIn(sent, rows, deps),
  };
}

/** The schedule of a start, if it makes up for missed ones. What a person fires has an id of its own. */
function scheduleOf(
  { action, id, issuedAt, origin }: CampaignRunCommand,
  schedules: RunsConfig['schedules'],
): MissedSchedule | undefined {
  const isOwn = action === 'start' && origin.kind === 'schedule' && id === commandIds.schedule(origin.name, issuedAt);
  const found = isOwn ? schedules.find(({ name }) => name === origin.name) : undefined;
  return found?.missedWithin === undefined ? undefined : { ...found, missedWithin: found.missedWithin };
}

/**
 * Reads the rows of a message and judges it by its sender.
 * @returns what is wrong with it, if anything is
 * @throws the ledger's error
 */
export async function loadJudged(
  sent: CampaignRunCommand,
  { senderId: id, sentAt }: { readonly senderId?: string; readonly sentAt: Date },
  deps: LoadDeps & Pick<SentBy, 'senders' | 'isDeadLetter'>,
): Promise<CommandState | string> {
  const { senders, isDeadLetter, config } = deps;
  const state = await loadState({ sent, sentAt }, deps);
  const repeated = repeatedId(sent.id);
  const judged = judgeMessage(
    sent,
    { id, sentAt, isDeadLetter, senders, schedules: config.schedules },
    {
      own: ownRowOf(sent, state.rows),
      repeated: rowOf<CommandRow>(state.rows, repeated && ledgerKeys.command(repeated)),
    },
  );
  if ('problem' in judged) return judged.problem;
  const { command, sender } = judged;
  return command === sent ? { ...state, sender } : loadState({ sent: command, sentAt, sender }, deps);
}

/**
 * A command from the future counts as issued when its message was sent. So it replaces none to come.
 * Its row keeps that instant. A start that its schedule makes up for is valid for longer.
 */
function asCounted({ sent, sentAt }: Asked, rows: Rows, schedule: CommandState['madeUpBy']): CampaignRunCommand {
  if (schedule !== undefined) return withMissedValidity(sent, schedule);
  if (sent.startId !== undefined) return sent;
  const own = ownRowOf(sent, rows);
  const isAhead = own === undefined && Date.parse(sent.issuedAt) > sentAt.getTime();
  const issuedAt = own?.sent ?? (isAhead ? sentAt.toISOString() : sent.issuedAt);
  return { ...sent, issuedAt };
}

function keysOf(asked: Asked, rows: Rows, deps: LoadDeps): readonly string[] {
  const { sent } = asked;
  const { id, run, campaignRunId } = sent;
  const own = ownRowOf(sent, rows);
  const ids = [campaignRunId, sent.action === 'start' ? own?.campaignRunId : undefined];
  const repeated = repeatedId(id);
  return [
    ledgerKeys.command(id),
    ...(repeated === undefined ? [] : [ledgerKeys.command(repeated)]),
    ...(run === undefined ? [] : [ledgerKeys.run(run)]),
    ...ids.flatMap((one) => (one === undefined ? [] : [ledgerKeys.runId(one)])),
    ...targetsOf(asked, rows, deps).map((name) => ledgerKeys.target(name)),
    ...switchKeys(sent, deps),
    ...calendarKeys(sent, deps),
    ...keysOfReadings(asked, rows, deps),
    ...(run === undefined || sent.action !== 'start' ? [] : [ledgerKeys.finding(run, 'RUN_UNSEEN')]),
    ...(sent.action === 'start' ? keysOfStart(asked, rows, deps) : keysOfStop(asked, rows, deps)),
  ];
}

/** What the configuration, the command's row, the row of its name and the row of its id know. */
function targetsOf({ sent }: Asked, rows: Rows, { config }: LoadDeps): readonly string[] {
  const { run, campaignRunId } = sent;
  const id = rowOf<IdRow>(rows, campaignRunId && ledgerKeys.runId(campaignRunId));
  const named = rowOf<RunRow>(rows, run && ledgerKeys.run(run));
  const configured =
    runNamed(run, config) ?? (campaignRunId === undefined ? undefined : runOfId(campaignRunId, config));
  // An id that an operator bound is in no list: it may be of any run.
  const isBound = configured === undefined && campaignRunId !== undefined;
  const all = isBound ? Object.values(config.runs).map(({ guards }) => guards.target) : [];
  const one = [configured?.guards.target, ownRowOf(sent, rows)?.target, id?.target];
  return [...new Set([...one, ...(named?.targets ?? []), ...all].filter((name) => name !== undefined))];
}

/** The commands that end the runs in a start's way; the ids that it may take. */
function keysOfStart(asked: Asked, rows: Rows, deps: LoadDeps): readonly string[] {
  const { sent, isAgain } = asked;
  const entries = entriesOf(asked, rows, deps).map(({ entry }) => entry);
  const run = runNamed(sent.run, deps.config);
  const pool = run?.pool === undefined ? [] : [poolKey(run.pool)];
  if (entries.some(({ startId }) => startId === sent.id)) return pool;
  const commands = entries.flatMap(({ startId }) => [commandIds.plannedStop(startId), commandIds.end(startId)]);
  const isCareful = isAgain === true || entries.length > 0 || ownRowOf(sent, rows) !== undefined;
  const isRead = rows.has(ledgerKeys.run(sent.run ?? ''));
  const ids = isRead && isCareful && run !== undefined ? idsOf({ rows }, run, anyTime).free.slice(0, mostIds) : [];
  return [...pool, ...commands.map((id) => ledgerKeys.command(id)), ...ids.map((id) => ledgerKeys.runId(id))];
}

/** What the watcher has read of the runs in flight, if runs can be read. */
function keysOfReadings(asked: Asked, rows: Rows, deps: LoadDeps): readonly string[] {
  if (asked.sent.action !== 'start' || deps.config.gateway?.readsRuns !== true) return [];
  const keys = entriesOf(asked, rows, deps).map(({ entry }) => ledgerKeys.confirmation(entry.campaignRunId));
  return keys.length === 0 ? [] : [ledgerKeys.runReadings(), ...keys];
}

/** The ids of the runs that a stop by name ends, each of which keeps its end. An entry knows the row of its id, unless another command wrote it since. */
function keysOfStop(asked: Asked, rows: Rows, deps: LoadDeps): readonly string[] {
  const unknown = namedIn(asked, rows, deps).filter(({ entry }) => asked.isAgain === true || entry.idRow === undefined);
  return unknown.map(({ entry }) => ledgerKeys.runId(entry.campaignRunId));
}

/** Rows of ids as their starts wrote them. The write of one that has changed since fails, and then it is read. */
function knownIds(asked: Asked, rows: Rows, deps: LoadDeps): Rows {
  const known = namedIn(asked, rows, deps).flatMap(({ row, entry }): readonly Stored<IdRow>[] =>
    entry.idRow === undefined ? [] : [{ ...idRowOf(entry, row.target), ...entry.idRow }],
  );
  return new Map(known.map((row) => [row.pk, row]));
}

function namedIn(asked: Asked, rows: Rows, deps: LoadDeps): readonly Found[] {
  const { run, action } = asked.sent;
  return action === 'stop' ? entriesOf(asked, rows, deps).filter(({ entry }) => entry.run === run) : [];
}

function entriesOf(asked: Asked, rows: Rows, deps: LoadDeps): readonly Found[] {
  return entriesIn({ rows, targets: targetsOf(asked, rows, deps) });
}

function ownRowOf({ id }: CampaignRunCommand, rows: Rows): Stored<CommandRow> | undefined {
  return rowOf<CommandRow>(rows, ledgerKeys.command(id));
}

function rowOf<Row extends CommandRow | RunRow | IdRow>(rows: Rows, key: string | undefined) {
  return key === undefined ? undefined : (rows.get(key) as Stored<Row> | undefined);
}

function calendarKeys({ action }: CampaignRunCommand, { config: { blackouts = [] } }: LoadDeps): readonly string[] {
  const isAsked = action === 'start' && blackouts.some(({ window }) => window.kind === 'calendar');
  return isAsked ? [ledgerKeys.calendars()] : [];
}

function switchKeys(sent: CampaignRunCommand, { config }: LoadDeps): readonly string[] {
  if (sent.action !== 'start') return [];
  const { campaign, guards } = runNamed(sent.run, config) ?? {};
  return switchesOf({ origin: sent.origin, campaign, haltOn: guards?.haltOn }).map(({ scope, name }) =>
    ledgerKeys.switch(scope, name),
  );
}

function switchesIn(sent: CampaignRunCommand, rows: Rows, deps: LoadDeps): readonly SwitchRow[] {
  const found = switchKeys(sent, deps).map((key) => rows.get(key) as SwitchRow | undefined);
  return found.flatMap((row) => (row?.isOn === true ? [row] : []));
}

/** The same state with the switches read again: a person may have frozen the stage while the campaign was read. */
export async function withSwitchesNow(state: CommandState, deps: LoadDeps): Promise<CommandState> {
  const found = await deps.ledger.readMany(switchKeys(state.sent, deps));
  return { ...state, switches: switchesIn(state.sent, found, deps) };
}

/**
 * Writes the rows of a decision, all or nothing, each on the condition that it is as it was read. The only writer of the rows of runs in the worker.
 * @returns the rows as they are stored now, or `'row-changed'` if any of them was written concurrently: read again, decide again
 */
export async function apply(
  writes: readonly LedgerRow[],
  rows: Rows,
  { ledger }: { readonly ledger: Pick<Ledger, 'writeAll'> },
): Promise<Rows | 'row-changed'> {
  if (writes.length === 0) return rows;
  const written = await ledger.writeAll(writes.map((after) => ({ before: rows.get(after.pk), after })));
  return written === 'row-changed' ? written : new Map([...rows, ...written.map((row) => [row.pk, row] as const)]);
}
