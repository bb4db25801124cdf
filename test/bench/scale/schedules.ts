import { aResolvedGateway } from '../../builders/resolved-gateway.ts';
import { mappingConcurrency } from '#infra/config/stage-numbers.ts';
import type { ConfigPart, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { createVirtualTime } from '../../faults/model/world/virtual-time.ts';
import { deployWorker, updateCampaignRuns } from '../../faults/model/world/wired-workers.ts';
import { createBenchWorld } from '../drain/bench-world.ts';
import { betweenBatchesMs, gatewayMs } from '../drain/latencies.ts';
import { createRatedGateway } from '../drain/rated-gateway.ts';
import { withTimersOf } from '../drain/with-timers.ts';
import { figuresOf, type ScaleFigures, type ScaleOptions } from './scenario.ts';

const schedulesAtOnce = 10_000;

/**
 * What EventBridge Scheduler invokes in one second (scheduler-quotas.html: 1,000 in the larger
 * Regions).
 */
export const schedulerPerSecond = 1000;

/** Rates of a stage. */
export interface RunRates {
  readonly runs: number;
  readonly reads: number;
}

/** With these, ten thousand starts are through before their half hour is over. */
export const ratesForSchedules: RunRates = { runs: 20, reads: 20 };
/** As automation.config.ts ships. */
export const exampleRates: RunRates = { runs: 0.5, reads: 2 };

/** How many of so many starts these rates let through before their half hour is over. */
export function startsInTime(starts: number, { runs }: RunRates): number {
  return Math.min(starts, Math.floor(runs * validForMinutes * 60));
}

const startMs = Date.parse('2026-11-20T22:00:00Z');
const validForMinutes = 30;
/** What is not started by then never will be; the stops come later, at their own time. */
const longestDrainMs = 4 * 3_600_000;

/**
 * Ten thousand schedules of as many campaigns that fire in the same minute: a start each, guarded,
 * read back, valid for half an hour.
 */
export async function schedulesAtOneMinute(rates: RunRates, { part, seed }: ScaleOptions): Promise<ScaleFigures> {
  const messages = Math.ceil(schedulesAtOnce * part);
  const time = createVirtualTime(seed, startMs);
  const changed = new Set<string>();
  const gateway = createRatedGateway(time, {
    requestsPerSecond: rates.runs + rates.reads,
    latencyMs: gatewayMs,
    onChange: (run) => void changed.add(run),
  });
  const world = createBenchWorld(time, gateway);
  const config = configOf(messages, rates);
  const { commands } = world.queues;
  const fn = deployWorker(
    world,
    {
      name: 'update-campaign-runs',
      queue: commands,
      batchSize: 1,
      concurrency: mappingConcurrency(config.gateway).commands,
      timeoutMs: 30_000,
      mostSkewMs: 0,
      betweenBatchesMs,
    },
    (environment, ports) => updateCampaignRuns(world, environment, ports, config),
  );

  for (let index = 0; index < messages; index += 1) {
    time.at((index / schedulerPerSecond) * 1000, () => commands.send(commandOf(index)));
  }
  const arrivalsMs = (messages / schedulerPerSecond) * 1000;
  const drainMs = await withTimersOf(time, async () => {
    await time.advance(arrivalsMs);
    await time.runUntil(() => commands.size() === 0, longestDrainMs);
    return time.nowMs() - startMs - arrivalsMs;
  });
  return figuresOf({
    world,
    gateway,
    changed: changed.size,
    usage: fn.usage(),
    messages,
    drainMs,
    mostWaiting: messages,
    queue: 'commands',
  });
}

function commandOf(index: number): string {
  const issuedAt = new Date(startMs).toISOString();
  const run = `run-${index}`;
  return JSON.stringify({
    version: 1,
    id: `${run}@${issuedAt}`,
    action: 'start',
    run,
    issuedAt,
    validFor: `PT${validForMinutes}M`,
    origin: { kind: 'schedule', name: run },
  });
}

function configOf(runCount: number, rates: RunRates): ConfigPart<'update-campaign-runs'> {
  const gateway = aResolvedGateway({ requestsPerSecond: { datasets: 1, ...rates } });
  const { commands } = mappingConcurrency(gateway);
  return {
    stage: 'scale',
    mode: 'act',
    timezone: 'UTC',
    blackouts: [],
    gateway,
    runs: Object.fromEntries(Array.from({ length: runCount }, (_, index) => [`run-${index}`, runOf(index)])),
    requestsPerSecond: rates.runs / commands,
    readsPerSecond: rates.reads / commands,
    runIdsLow: 1,
  };
}

function runOf(index: number): ResolvedRun {
  const name = `run-${index}`;
  return {
    name,
    campaign: name,
    campaignId: uuid(1_000_000 + index),
    guards: { target: name, overlap: 'skip' },
    campaignRunIds: [uuid(index)],
    stopAfter: 'PT8H',
  };
}

function uuid(number: number): string {
  return `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}
