import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { stranger } from '../../builders/commands-by-sender.ts';
import { type Chance, hourMs, type History, minuteMs, tenOClock } from './history.ts';
import { createSeen, isExcused, type SeenOutcome } from './evidence.ts';
import { judge } from './judge.ts';
import { createStage, type Stage } from './stage.ts';

/** A command has a day, and what is lost is sent again after an hour. */
const lengthMs = 28 * hourMs;

/** A person orders no more of them for one command. */
const mostRepeats = 2;

/** How a history ended. */
export interface Played {
  readonly faults: readonly string[];
  /** How each command ended: kind and reason. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** What happened, line by line. */
  readonly told: () => string;
}

/** Plays one history to its end; then every message comes once more, and nothing may change. */
export async function play(history: History, chance: Chance): Promise<Played> {
  const { outcomes, entries, see } = createSeen();
  const purged = new Set<string>();
  const deferred: { command: CampaignRunCommand; atMs: number }[] = [];
  const found: string[] = [];
  const commands: CampaignRunCommand[] = history.arrivals.map(({ command }) => command);
  let deaths = 0;
  const counting: Chance = {
    fate: chance.fate,
    death(where) {
      const death = chance.death(where);
      if (death !== false) deaths += 1;
      return death;
    },
  };

  const stage: Stage = createStage(history, counting, (rows, nowMs) => {
    see(rows, nowMs);
    for (const { before, after } of rows) {
      if (after.kind === 'command') seeCommand(before?.kind === 'command' ? before : undefined, after, nowMs);
    }
  });

  function seeCommand(before: Stored<CommandRow> | undefined, row: Stored<CommandRow>, atMs: number): void {
    const { outcome, id } = row;
    if (row.openState === 'DEFERRED') deferred.push({ command: row.command, atMs });
    if (outcome === undefined) return;
    const earlier = before?.outcome;
    if (earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(outcome)) found.push(`${id} ended twice`);
    if (outcome.kind === 'parked' && (outcome.reason === undefined || row.parked === undefined)) {
      found.push(`${id} is parked without a reason or its message`);
    }
    if (earlier === undefined && outcome.kind === 'parked') orderRepeat(row);
  }

  /** A person has looked: a start whose run is running is not repeated. */
  function orderRepeat({ id, command, campaignRunId = '' }: CommandRow): void {
    const { repeatsAfterMinutes } = history;
    const isOurs = commands.some((one) => one.id === id);
    if (repeatsAfterMinutes === undefined || !isOurs || id.endsWith(`~${mostRepeats + 1}`)) return;
    stage.time.at(repeatsAfterMinutes * minuteMs, () => {
      if (stage.model.stateOf(campaignRunId) === 'running' && command.action === 'start') return;
      const issuedAt = new Date(stage.time.nowMs()).toISOString();
      const repeat: CampaignRunCommand = { ...command, id: commandIds.repeat(id), issuedAt };
      commands.push(repeat);
      stage.send(repeat);
    });
  }

  arrange(history, stage, purged);
  try {
    await stage.time.advance(lengthMs);
    if (stage.waiting.size > 0) found.push(`I1: ${stage.waiting.size} messages are pending at the end`);
    stage.model.passTo(stage.time.nowMs());
    const before = stage.model.effects.length;
    const again = [...outcomes.values()].map(({ row }) => row.command);
    for (const command of again) stage.send(command);
    await stage.time.advance(lengthMs);
    stage.model.passTo(stage.time.nowMs());
    if (stage.model.effects.length > before) found.push('I2: a message that came again had an effect');
  } catch (error) {
    found.push(`threw ${error instanceof Error ? error.stack : String(error)}`);
  }
  const open = [...stage.ledger.all()].filter(({ openState }) => openState === 'RUN_IN_FLIGHT');
  if (open.length > 0) found.push('I10: a run is in flight for ever');
  const { model, requests, refused, reported } = stage;
  const ended = { history, outcomes, liedAbout: new Set<string>(), refused, purged, deaths };
  const seen = {
    commands,
    effects: model.effects,
    entries,
    requests,
    deferred,
    unended: new Set([...purged, ...reported]),
  };
  const latestEndMs = (endsAtMs: number) => endsAtMs + slackMs(ended);
  return {
    faults: [...found, ...stage.errors, ...judge({ ...ended, ...seen, latestEndMs }), ...judgePersons(ended)],
    outcomes: Object.fromEntries(
      [...outcomes].map(([id, { kind, reason }]) => [id, [kind, reason].filter(Boolean).join(' ')]),
    ),
    told: () => told(stage, outcomes),
  };
}

/** What the history sets going. */
function arrange(history: History, stage: Stage, purged: Set<string>): void {
  for (const { command, atMs, copiesMs = [], skewMs } of history.arrivals) {
    for (const forged of history.forged ?? []) stage.send(forged, { atMs: atMs - 1, senderId: stranger });
    stage.send(command, { atMs, skewMs });
    for (const copyMs of copiesMs) stage.send(command, { atMs: atMs + copyMs, skewMs });
  }
  const { purgedAtMinute, frozen } = history;
  if (purgedAtMinute !== undefined) {
    stage.time.at(purgedAtMinute * minuteMs, () => {
      for (const { command } of stage.purge(({ sentMs }) => sentMs <= stage.time.nowMs())) purged.add(command.id);
    });
  }
  if (frozen === undefined) return;
  for (const [minute, isOn] of [
    [frozen.from, true],
    [frozen.from + frozen.lasts, false],
  ] as const) {
    stage.time.at(minute * minuteMs, async () => {
      await setSwitch(stage.ledger, stageSwitch, {
        isOn,
        by: 'ann',
        reason: 'CHG-7',
        at: new Date(stage.time.nowMs()),
      });
    });
  }
}

/** For reports: what happened, in order. */
function told({ model, requests }: Stage, outcomes: ReadonlyMap<string, SeenOutcome>): string {
  const lines = [
    ...requests.map(({ by, atMs }) => ({ atMs, text: `${by}: a request leaves` })),
    ...model.effects.map(({ atMs, kind, by, campaignRunId }) => ({
      atMs,
      text: `${campaignRunId.slice(-4)} ${kind}, by ${by}`,
    })),
    ...[...outcomes].map(([id, { atMs, kind, reason, detail }]) => ({
      atMs,
      text: `${id}: ${kind} ${reason ?? ''} ${detail ?? ''}`,
    })),
  ];
  return lines
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, text }) => `${((atMs - tenOClock) / 1000).toFixed(1)}s ${text}`)
    .join('\n');
}

/** What its people would say. */
interface Ended {
  readonly history: History;
  readonly outcomes: ReadonlyMap<string, SeenOutcome>;
  readonly liedAbout: ReadonlySet<string>;
  readonly refused: ReadonlyMap<string, readonly number[]>;
  readonly purged: ReadonlySet<string>;
  readonly deaths: number;
}

/** A tick, a queue, a few answers that fail; a lost message is sent again after an hour. */
function slackMs({ history, purged, deaths }: Ended): number {
  const { watcherDown, gateClosed, observing } = history;
  // A stage that observes sends no stop; a command that it began for real waits a quarter of an hour at a time.
  const outage =
    (watcherDown?.lasts ?? 0) +
    Math.min(gateClosed?.lasts ?? 0, 2) +
    (observing === undefined ? 0 : observing.lasts + 15);
  return (16 + outage + deaths * 4 + (purged.size > 0 ? 75 : 0)) * minuteMs;
}

/** Runs can be read at any time, and no message is lost. */
function canReadRuns({ history, purged }: Ended): boolean {
  const { config, unreadable, deployed } = history;
  return config.gateway.readsRuns === true && unreadable === undefined && deployed === undefined && purged.size === 0;
}

/** Nothing needs a person but what the gateway refuses for good, three deaths, an empty pool, a name that is gone. */
function judgePersons(evidence: Ended): string[] {
  const isRead = canReadRuns(evidence);
  return [...evidence.outcomes].flatMap(([id, { kind, reason = '', row }]) => {
    if (isRead && reason === 'UNCONFIRMED') return [`${id} is UNCONFIRMED though its run can be read`];
    if (kind !== 'parked' || isForPerson(reason, row, evidence)) return [];
    return [`a person is needed for ${id}: ${reason}`];
  });
}

const ofTime = new Set(['START_OUTCOME_UNKNOWN', 'HORIZON_EXCEEDED', 'CRASH_LOOP']);

function isForPerson(reason: string, { id, command, campaignRunId = '' }: CommandRow, evidence: Ended): boolean {
  const { refused, deaths, history } = evidence;
  if (reason === 'NO_RUN_LEFT') return true;
  if (reason === 'CONFIG') return history.deployed !== undefined;
  // Without a validity a start waits for the run that nothing ends.
  if (reason === 'HORIZON_EXCEEDED') return command.override?.guards.includes('validity') === true;
  if (ofTime.has(reason)) return deaths >= 3;
  // A stop that was parked has ended its run all the same.
  if (reason === 'CONFLICT' && isExcused({ campaignRunId, by: id }, evidence)) return true;
  return (refused.get(id) ?? []).some((status) => status < 500 && status !== 429);
}
