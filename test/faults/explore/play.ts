import type { RunsConfig } from '#functions/_runs/decide/state.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { Choices } from './search.ts';
import type { CampaignShown, PatchFate, Stint } from './counting-gateway.ts';
import { type Arrival, judge, told } from './oracle.ts';
import { createStage } from './stage.ts';
import { createWatchedWrites } from './light-ledger.ts';

/** What stands before a history begins; the rest are its choices. */
export interface Scenario {
  readonly startMs: number;
  readonly arrivals: readonly Arrival[];
  readonly config: RunsConfig;
  readonly campaign: CampaignShown;
  readonly campaignId: string;
  /** What may become of one of the first PATCHes beside `ok`. */
  readonly fates: readonly PatchFate[];
  readonly mostFaults: number;
  readonly mostDeaths: number;
  /** What the watcher sends comes a second time so much later. */
  readonly dueAgainMs?: number;
}

/** The PATCHes that may go wrong: no three commands need more before each has met the gateway. */
const patchesAtRisk = 4;
/** An attempt has at most ten points at which it can die. */
const pointsAtRisk = 24;
const dayMs = 26 * 3_600_000;

/** How a history ended. */
export interface Played {
  readonly faults: readonly string[];
  readonly choices: readonly number[];
  /** Each time that a run was running. */
  readonly stints: readonly Stint[];
  /** How each command ended: kind and reason. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** What happened, line by line. */
  readonly told: () => string;
}

/**
 * Plays one history to its end: until nothing is pending, at most 26 hours; then every message
 * comes once more, and nothing may change.
 */
export async function playHistory(scenario: Scenario, choices: Choices): Promise<Played> {
  const { arrivals, startMs, config } = scenario;
  const seen = createWatchedWrites();
  const path: number[] = [];
  let patches = 0;
  let faults = 0;
  let deaths = 0;
  let points = 0;
  const choose = (options: number) => {
    const choice = choices.choose(options);
    path.push(choice);
    return choice;
  };

  const stage = createStage({
    ...scenario,
    config: () => config,
    skewMs: ({ id }) => arrivals.find(({ command }) => command.id === id)?.skewMs ?? 0,
    fateOf() {
      patches += 1;
      if (patches > patchesAtRisk || faults >= scenario.mostFaults) return 'ok';
      const choice = choose(scenario.fates.length + 1);
      if (choice > 0) faults += 1;
      return choice === 0 ? 'ok' : (scenario.fates[choice - 1] ?? 'ok');
    },
    dies(where) {
      points += 1;
      if (points > pointsAtRisk || deaths >= scenario.mostDeaths) return false;
      const choice = choose(where === 'before a PATCH' ? 3 : 2);
      if (choice > 0) deaths += 1;
      return choice === 0 ? false : choice === 1 ? 'dead' : 'late';
    },
    onWritten: (rows, nowMs) => seen.see(rows, nowMs),
  });
  for (const { command, atMs } of arrivals) stage.send(command, atMs);
  const found: string[] = [];
  try {
    await stage.world.runUntil(startMs + dayMs);
    if (stage.waiting.size > 0) found.push(`I1: ${stage.waiting.size} messages are pending at the end`);
    found.push(...(await judgeDuplicates()));
  } catch (error) {
    found.push(`threw ${String(error)}`);
  }

  async function judgeDuplicates(): Promise<readonly string[]> {
    const before = stage.gateway.effects.length;
    for (const { command } of arrivals) stage.send(command);
    for (const [, { row }] of seen.outcomes) stage.send(row.command);
    await stage.world.runUntil(startMs + 2 * dayMs);
    const more = stage.gateway.effects.slice(before);
    return more.length === 0 ? [] : [`I2: a message that came again made ${more.length} effects`];
  }

  const open = [...stage.ledger.all()].filter(({ openState }) => openState === 'RUN_IN_FLIGHT');
  const isStopParked = [...seen.outcomes.values()].some(({ kind, row }) => kind === 'parked' && row.command.plannedBy);
  if (open.length > 0 && !isStopParked) found.push(`I10: ${open.length} runs are in flight for ever`);
  found.push(...seen.faults, ...stage.errors);
  found.push(
    ...judge({
      arrivals,
      gateway: stage.gateway,
      outcomes: seen.outcomes,
      nameOf: (id) => nameOf(config, id),
      stopAfterMs: (id) => stopAfterOf(arrivals, config, id),
      endMs: stage.world.nowMs(),
    }),
  );
  const { stints, effects } = stage.gateway;
  return {
    faults: found,
    choices: path,
    stints,
    outcomes: Object.fromEntries(
      [...seen.outcomes].map(([id, { kind, reason }]) => [id, [kind, reason].filter(Boolean).join(' ')]),
    ),
    told: () => told(effects, seen.outcomes, startMs),
  };
}

function stopAfterOf(arrivals: readonly Arrival[], { runs }: RunsConfig, id: string): number | undefined {
  const command = arrivals.find((one) => one.command.id === id)?.command;
  return durationMs(command?.stopAfter ?? runs[command?.run ?? '']?.stopAfter ?? '');
}

/** The configured run of an id. */
export function nameOf({ runs }: RunsConfig, campaignRunId: string): string | undefined {
  return Object.values(runs).find(({ pool }) =>
    pool.kind === 'repeat' ? pool.campaignRunId === campaignRunId : pool.campaignRunIds.includes(campaignRunId),
  )?.name;
}
