/** The product's workers over a simulated world, wired as their handlers wire them. */
import { stageSenders } from '../../../builders/commands-by-sender.ts';
import { aroundPosts, callTimes } from '#functions/_gateway/gateway-calls.ts';
import { createPacer, createRateLimiter, requestDistanceMs } from '#functions/_gateway/rate-limiter.ts';
import { handleBatch, type QueueWorker } from '#functions/_handler/queue-worker.ts';
import type { RunCommandDeps } from '#functions/_runs/decide/state.ts';
import { handleCommand } from '#functions/_runs/handle-command.ts';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import { createMutex, type PostingGateway, type UploadDeps } from '#functions/register-datasets/upload.ts';
import { createGatewayCalls } from '#functions/update-campaign-runs/send-patch.ts';
import { watchCampaigns } from '#functions/watch-campaigns/watch-campaigns.ts';
import { uploadsAtOnce } from '#shared/uploads/object-events.ts';
import { bucket, runCallTimes } from '../stage-config.ts';
import { clientOf, gateOf, type Ports, portsOf } from './ports.ts';
import {
  createVirtualFunction,
  type Environment,
  type FunctionOptions,
  type VirtualFunction,
} from './virtual-function.ts';
import type { WorkersWorld } from './world.ts';

/** What one worker is beside its wrapper. */
export type Work = Pick<QueueWorker, 'handleRecord' | 'recordBudgetMs' | 'recordsAtOnce'>;

/** Deploys a worker of ours behind its queue. */
export function deployWorker(
  world: WorkersWorld,
  settings: Omit<FunctionOptions, 'build'>,
  work: (environment: Environment, ports: Ports) => Work,
): VirtualFunction {
  const { time } = world;
  return createVirtualFunction(time, {
    ...settings,
    build(environment) {
      const ports = portsOf(world, environment, { functionName: settings.name });
      const { postpone } = ports.queue(settings.queue);
      const { reports } = ports;
      const worker = { ...work(environment, ports), postpone, reports, now: environment.now, random: time.random };
      return async (event, invocation) => handleBatch(event, invocation, worker);
    },
  });
}

/** As functions/register-datasets/handler.ts. */
export function registerDatasets(
  world: WorkersWorld,
  environment: Environment,
  ports: Ports,
  settings: { readonly rules: UploadDeps['config']['datasetRules']; readonly requestsPerSecond: number },
): Work {
  const { time, queues } = world;
  const { ledger, bus, objects, token } = ports;
  let made: PostingGateway | undefined;
  const deps: UploadDeps = {
    ledger,
    objects,
    bus,
    token,
    gate: gateOf(world, environment, ports),
    commands: ports.queue(queues.commands),
    gatewayWithin(functionMs) {
      const { totalMs, budgetMs } = callTimes(functionMs, aroundPosts);
      made ??= { gateway: clientOf(world, environment, { token, timeouts: { totalMs } }), callBudgetMs: budgetMs };
      return made;
    },
    checking: createMutex(),
    pace: createPacer(settings.requestsPerSecond, { monotonicMs: time.nowMs, sleep: environment.wait }),
    random: time.random,
    sleep: environment.wait,
    bucket,
    config: { mode: 'act', gateway: { postMayRepeatOn: [] }, datasetRules: settings.rules },
  };
  const handleRecord: QueueWorker['handleRecord'] = (record, context) => handleUploadMessage({ deps, record, context });
  return { recordBudgetMs: 1000, recordsAtOnce: uploadsAtOnce, handleRecord };
}

/** As functions/update-campaign-runs/handler.ts. */
export function updateCampaignRuns(
  world: WorkersWorld,
  environment: Environment,
  ports: Ports,
  config: RunCommandDeps['config'],
): Work {
  const { time } = world;
  const { ledger, bus, token } = ports;
  const timeouts = { totalMs: runCallTimes.totalMs };
  const gateway = clientOf(world, environment, { token, timeouts, repeatGets: false });
  const clock = { monotonicMs: time.nowMs, sleep: environment.wait };
  const gate = gateOf(world, environment, ports);
  const shares = { runs: config.requestsPerSecond, reads: config.readsPerSecond };
  const { budgetMs: callBudgetMs } = runCallTimes;
  const deps: RunCommandDeps = {
    ledger,
    acting: ledger,
    bus,
    senders: stageSenders,
    commands: ports.queue(world.queues.commands),
    gate,
    rateLimiter: createRateLimiter(shares, { distanceMs: requestDistanceMs(shares), clock }),
    callBudgetMs,
    calls: createGatewayCalls({ gateway, gate, callBudgetMs, config }),
    config,
    random: time.random,
    count: () => {},
  };
  const handleRecord: QueueWorker['handleRecord'] = (record, context) => handleCommand(record, context, deps);
  return { recordBudgetMs: 20_000, handleRecord };
}

/** What the watcher of a simulation looks at. */
export interface WatcherSettings {
  readonly readsPerSecond: number;
  readonly readsRuns?: true;
}

/** The longest that one read and the writes after it take, in a function of 60 s. */
const callBudgetMs = 17_000;

/**
 * As functions/watch-campaigns/handler.ts.
 * @returns one tick; it rejects if a part of the tick failed, and the next tick makes up for that
 */
export function watcherOf(world: WorkersWorld, { readsPerSecond, readsRuns }: WatcherSettings): () => Promise<void> {
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
  const gateway = clientOf(world, environment, { token: ports.token, timeouts, repeatGets: false });
  const deps = {
    ledger: ports.ledger,
    commands: ports.queue(world.queues.commands),
    bus: ports.bus,
    gate: gateOf(world, environment, ports),
    rateLimiter: createRateLimiter(
      { reads: readsPerSecond, runs: readsPerSecond },
      { clock: { monotonicMs: time.nowMs, sleep: time.sleep } },
    ),
    callBudgetMs,
    remainingMs: environment.remainingMs,
    gateway,
    config: { mode: 'act', gateway: { status: { stop: 'cancelled' }, readsRuns } },
    reports: { log: world.log, count: world.metrics.count, level: world.metrics.level },
    now: environment.now,
    random: () => 0.5,
  } as const;
  return async () => void (await watchCampaigns(deps));
}
