import { mappingConcurrency } from '#infra/config/stage-numbers.ts';
import type { ConfigPart, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { aResolvedGateway } from '../../builders/resolved-gateway.ts';
import { createVirtualTime, withTimersOf } from '../../faults/model/world/virtual-time.ts';
import { deployWorker, updateCampaignRuns } from '../../faults/model/world/wired-workers.ts';
import { createBenchWorld } from './drain.ts';
import { betweenBatchesMs } from './latencies.ts';

const starts = 100;
/** As automation.config.ts ships. */
const rates = { runs: 0.5, reads: 2 };

const startMs = Date.parse('2026-11-20T22:00:00Z');
const hourMs = 3_600_000;
const names = Array.from({ length: starts }, (_, index) => `run-${index}`);

/**
 * A hundred schedules of as many campaigns that fire at once: a start each, guarded, its campaign
 * read.
 * @returns seconds until the last start is sent
 * @throws Error if a start was lost, or sent twice
 */
export async function secondsOfStarts(): Promise<{ readonly seconds: number; readonly detail: string }> {
  const time = createVirtualTime(1, startMs);
  const world = createBenchWorld(time, rates.runs + rates.reads);
  const { commands } = world.queues;
  const config = configOf();
  const settings = {
    name: 'update-campaign-runs',
    queue: commands,
    batchSize: 1,
    concurrency: mappingConcurrency(config.gateway).commands,
    timeoutMs: 30_000,
    mostSkewMs: 0,
    betweenBatchesMs,
  };
  deployWorker(world, settings, (environment, ports) => updateCampaignRuns(world, environment, ports, config));

  for (const name of names) commands.send(startOf(name));
  await withTimersOf(time, () => time.runUntil(() => commands.size() === 0, hourMs));
  const { counts, requests } = world.gateway;
  const { refused, lastDoneMs } = counts;
  const sent = requests.filter(({ asks }) => asks === 'start').map(({ path }) => path);
  const made = new Set(sent).size;
  if (made !== starts || sent.length !== starts) throw new Error(`${made} of ${starts} runs, ${sent.length} starts`);
  const detail = `at the ${rates.runs} changes a second of the example; ideal ${starts / rates.runs} s; ${refused} requests were refused`;
  return { seconds: (lastDoneMs - startMs) / 1000, detail };
}

function startOf(run: string): string {
  const issuedAt = new Date(startMs).toISOString();
  const origin = { kind: 'schedule', name: run };
  return JSON.stringify({
    version: 1,
    id: `${run}-${Date.parse(issuedAt)}`,
    action: 'start',
    run,
    issuedAt,
    validFor: 'PT30M',
    origin,
  });
}

function configOf(): ConfigPart<'update-campaign-runs'> {
  const gateway = aResolvedGateway({ requestsPerSecond: { datasets: 1, ...rates } });
  const { commands } = mappingConcurrency(gateway);
  return {
    stage: 'bench',
    mode: 'act',
    timezone: 'UTC',
    blackouts: [],
    gateway,
    schedules: [],
    runs: Object.fromEntries(names.map((name, index) => [name, runOf(name, index)])),
    requestsPerSecond: rates.runs / commands,
    readsPerSecond: rates.reads / commands,
    runIdsLow: 1,
  };
}

function runOf(name: string, index: number): ResolvedRun {
  return {
    name,
    campaign: name,
    campaignId: uuid(1000 + index),
    guards: { target: name, overlap: 'skip' },
    campaignRunIds: [uuid(index)],
    stopAfter: 'PT8H',
  };
}

function uuid(number: number): string {
  return `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}
