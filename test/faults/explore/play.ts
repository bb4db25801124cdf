import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { type Chance, hourMs, type History, minuteMs, tenOClock } from './history.ts';
import type { SeenEntry, SeenOutcome } from './evidence.ts';
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
  const outcomes = new Map<string, SeenOutcome>();
  const entries = new Map<string, SeenEntry>();
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
    for (const { before, after } of rows) {
      if (after.kind === 'target') seeTarget(after, nowMs);
      if (after.kind === 'command') seeCommand(before?.kind === 'command' ? before : undefined, after, nowMs);
    }
  });

  function seeTarget({ target, runs }: TargetRow, nowMs: number): void {
    for (const entry of runs) {
      const before = entries.get(entry.startId);
      const madeMs = before?.sentAt === entry.sentAt ? before.madeMs : nowMs;
      entries.set(entry.startId, { ...entry, target, madeMs });
    }
  }

  function seeCommand(before: Stored<CommandRow> | undefined, row: Stored<CommandRow>, atMs: number): void {
    const { outcome, id } = row;
    if (row.openState === 'DEFERRED') deferred.push({ command: row.command, atMs });
    if (outcome === undefined) return;
    const earlier = before?.outcome;
    if (earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(outcome)) found.push(`${id} ended twice`);
    if (outcome.kind === 'parked' && (outcome.reason === undefined || row.parked === undefined)) {
      found.push(`${id} is parked without a reason or its message`);
    }
    if (earlier === undefined) outcomes.set(id, { ...outcome, atMs, row });
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
  const { effects } = model;
  const seen = { commands, effects, outcomes, entries, requests, deferred, refused, purged, reported, deaths };
  return {
    faults: [...found, ...stage.errors, ...judge({ history, ...seen })],
    outcomes: Object.fromEntries(
      [...outcomes].map(([id, { kind, reason }]) => [id, [kind, reason].filter(Boolean).join(' ')]),
    ),
    told: () => told(stage, outcomes),
  };
}

/** What the history sets going. */
function arrange(history: History, stage: Stage, purged: Set<string>): void {
  for (const { command, atMs, copiesMs = [], skewMs } of history.arrivals) {
    stage.send(command, atMs, skewMs);
    for (const copyMs of copiesMs) stage.send(command, atMs + copyMs, skewMs);
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
