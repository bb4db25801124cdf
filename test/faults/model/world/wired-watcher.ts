import { createRateLimiter } from '#functions/_gateway/rate-limiter.ts';
import { watchCampaigns } from '#functions/watch-campaigns/watch-campaigns.ts';
import type { WatchedCampaign } from '#shared/config/resolve/resolved-automation.ts';
import { getCampaign } from '#shared/gateway-client/endpoints/campaigns.ts';
import { callOf, gateOf, portsOf } from './ports.ts';
import { runCallTimes } from '../stage-config.ts';
import type { Environment } from './virtual-function.ts';
import type { WorkersWorld } from './world.ts';

/** What the watcher of a simulation looks at. */
export interface WatcherSettings {
  readonly campaigns: readonly WatchedCampaign[];
  readonly readsPerSecond: number;
}

/** The longest that one read and the writes after it take, in a function of 60 s. */
const callBudgetMs = 17_000;

/**
 * As functions/watch-campaigns/handler.ts.
 * @returns one tick; it rejects if a part of the tick failed, and the next tick makes up for that
 */
export function watcherOf(world: WorkersWorld, { campaigns, readsPerSecond }: WatcherSettings): () => Promise<void> {
  const { time } = world;
  const environment: Environment = {
    id: 'watch-campaigns-1',
    now: () => new Date(time.nowMs()),
    wait: time.sleep,
    remainingMs: () => 60_000,
    async effect(latencyMs, act) {
      await time.sleep(latencyMs);
      return act();
    },
  };
  const ports = portsOf(world, environment, { functionName: 'watch-campaigns' });
  const timeouts = { totalMs: runCallTimes.totalMs };
  const call = callOf(world, environment, { token: ports.token, timeouts, repeatGets: false });
  const deps = {
    ledger: ports.ledger,
    commands: ports.queue(world.queues.commands),
    bus: ports.bus,
    gate: gateOf(world, environment, ports),
    rateLimiter: createRateLimiter(
      { reads: readsPerSecond },
      { clock: { monotonicMs: time.nowMs, sleep: time.sleep } },
    ),
    callBudgetMs,
    remainingMs: environment.remainingMs,
    gateway: { getCampaign: async (input: Parameters<typeof getCampaign>[1]) => getCampaign(call, input) },
    config: { mode: 'act', campaigns },
    reports: { log: world.log, count: world.metrics.count },
    now: environment.now,
  } as const;
  return async () => void (await watchCampaigns(deps));
}
