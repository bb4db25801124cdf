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
import { entriesIn, type Found, idsOf, rowOf, runNamed, runOfId, storedOwn } from './decide/rows.ts';
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
    const missing = [...keysOf(asked, seenIn(asked, before, deps), deps), ...earlier].filter((key) => !before.has(key));
    if (missing.length === 0) break;
    const found = await deps.ledger.readMany(missing);
    rows = new Map([...before, ...missing.map((key) => [key, found.get(key)] as const)]);
  }
  const seen = seenIn(asked, rows, deps);
  return {
    sent,
    sender,
    command: schedule === undefined ? asCounted(asked, seen.own) : withMissedValidity(sent, schedule),
    rows: new Map([...knownIds(asked, seen), ...rows]),
    targets: seen.targets,
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
    { own: storedOwn(state), repeated: rowOf<CommandRow>(state.rows, repeated && ledgerKeys.command(repeated)) },
  );
  if ('problem' in judged) return judged.problem;
  const { command, sender } = judged;
  return command === sent ? { ...state, sender } : loadState({ sent: command, sentAt, sender }, deps);
}

/** A command from the future counts as issued when its message was sent. So it replaces none to come. Its row keeps that instant. */
function asCounted({ sent, sentAt }: Asked, own: CommandRow | undefined): CampaignRunCommand {
  if (sent.startId !== undefined) return sent;
  const isAhead = own === undefined && Date.parse(sent.issuedAt) > sentAt.getTime();
  const issuedAt = own?.sent ?? (isAhead ? sentAt.toISOString() : sent.issuedAt);
  return { ...sent, issuedAt };
}

/** What the rows so far tell about a command. */
type Seen = ReturnType<typeof seenIn>;

/** Its targets are those that the configuration, its own row, the row of its name and the row of its id know. */
function seenIn({ sent }: Asked, rows: Rows, { config }: LoadDeps) {
  const { id, run, campaignRunId } = sent;
  const own = rowOf<CommandRow>(rows, ledgerKeys.command(id));
  const byId = rowOf<IdRow>(rows, campaignRunId && ledgerKeys.runId(campaignRunId));
  const byName = rowOf<RunRow>(rows, run && ledgerKeys.run(run));
  const configured = runNamed(run, config) ?? runOfId(campaignRunId ?? '', config);
  // An id that an operator bound is in no list: it may be of any run.
  const isBound = configured === undefined && campaignRunId !== undefined;
  const all = isBound ? Object.values(config.runs).map(({ guards }) => guards.target) : [];
  const one = [configured?.guards.target, own?.target, byId?.target];
  const targets = [...new Set([...one, ...(byName?.targets ?? []), ...all].filter((name) => name !== undefined))];
  return { rows, own, targets, entries: entriesIn({ rows, targets }) };
}

/** The runs that a stop by name ends. */
function namedIn({ sent: { action, run } }: Asked, { entries }: Seen): readonly Found[] {
  return action === 'stop' ? entries.filter(({ entry }) => entry.run === run) : [];
}

function keysOf(asked: Asked, seen: Seen, deps: LoadDeps): readonly string[] {
  const { id, run, campaignRunId, action } = asked.sent;
  const repeated = repeatedId(id);
  const keys = [
    ledgerKeys.command(id),
    repeated && ledgerKeys.command(repeated),
    run && ledgerKeys.run(run),
    campaignRunId && ledgerKeys.runId(campaignRunId),
    ...seen.targets.map((name) => ledgerKeys.target(name)),
    ...(action === 'start' ? keysOfStart(asked, seen, deps) : keysOfStop(asked, seen)),
  ];
  return keys.filter((key) => key !== undefined);
}

/** The commands that end the runs in a start's way, and the ids that it may take. */
function keysOfStart({ sent, isAgain }: Asked, seen: Seen, { config }: LoadDeps): readonly string[] {
  const { rows, own, entries } = seen;
  const run = runNamed(sent.run, config);
  const isHeld = entries.some(({ entry }) => entry.startId === sent.id);
  const others = isHeld ? [] : entries;
  const isCareful = isAgain === true || others.length > 0 || own !== undefined;
  const mayTake = !isHeld && isCareful && run !== undefined && rows.has(ledgerKeys.run(run.name));
  const ids = [own?.campaignRunId, ...(mayTake ? idsOf(seen, run, anyTime).free.slice(0, mostIds) : [])];
  const ends = others.flatMap(({ entry: { startId } }) => [commandIds.plannedStop(startId), commandIds.end(startId)]);
  return [
    ...ids.filter((id) => id !== undefined).map(ledgerKeys.runId),
    ...ends.map(ledgerKeys.command),
    ...(run?.pool === undefined ? [] : [poolKey(run.pool)]),
    ...keysOfGuards(sent, seen, config),
  ];
}

/** What is asked before a start; what the watcher has read of the runs in flight is, if runs can be read. */
function keysOfGuards(sent: CampaignRunCommand, { entries }: Seen, config: LoadDeps['config']): readonly string[] {
  const hasCalendars = config.blackouts?.some(({ window }) => window.kind === 'calendar') === true;
  const isRead = config.gateway?.readsRuns === true && entries.length > 0;
  const readings = entries.map(({ entry }) => ledgerKeys.confirmation(entry.campaignRunId));
  return [
    ...switchKeys(sent, config),
    ...(hasCalendars ? [ledgerKeys.calendars()] : []),
    ...(isRead ? [ledgerKeys.runReadings(), ...readings] : []),
    ...(sent.run === undefined ? [] : [ledgerKeys.finding(sent.run, 'RUN_UNSEEN')]),
  ];
}

/** The ids of the runs that a stop by name ends, each of which keeps its end. An entry knows the row of its id, unless another command wrote it since. */
function keysOfStop(asked: Asked, seen: Seen): readonly string[] {
  const unknown = namedIn(asked, seen).filter(({ entry }) => asked.isAgain === true || entry.idRow === undefined);
  return unknown.map(({ entry }) => ledgerKeys.runId(entry.campaignRunId));
}

/** Rows of ids as their starts wrote them. The write of one that has changed since fails, and then it is read. */
function knownIds(asked: Asked, seen: Seen): Rows {
  const known = namedIn(asked, seen).flatMap(({ row, entry }): readonly Stored<IdRow>[] =>
    entry.idRow === undefined ? [] : [{ ...idRowOf(entry, row.target), ...entry.idRow }],
  );
  return new Map(known.map((row) => [row.pk, row]));
}

function switchKeys(sent: CampaignRunCommand, config: LoadDeps['config']): readonly string[] {
  if (sent.action !== 'start') return [];
  const { campaign, guards } = runNamed(sent.run, config) ?? {};
  return switchesOf({ origin: sent.origin, campaign, haltOn: guards?.haltOn }).map(({ scope, name }) =>
    ledgerKeys.switch(scope, name),
  );
}

function switchesIn(sent: CampaignRunCommand, rows: Rows, { config }: LoadDeps): readonly SwitchRow[] {
  const found = switchKeys(sent, config).map((key) => rowOf<SwitchRow>(rows, key));
  return found.flatMap((row) => (row?.isOn === true ? [row] : []));
}

/** The same state with the switches read again: a person may have frozen the stage while the campaign was read. */
export async function withSwitchesNow(state: CommandState, deps: LoadDeps): Promise<CommandState> {
  const found = await deps.ledger.readMany(switchKeys(state.sent, deps.config));
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
