import { createVirtualTime } from '../../faults/model/virtual-time.ts';
import type { VirtualFunction } from '../../faults/model/virtual-function.ts';
import { type BenchWorld, type BenchWorldOptions, createBenchWorld } from './bench-world.ts';
import { gatewayMs } from './latencies.ts';
import { createRatedGateway, type RatedGateway } from './rated-gateway.ts';
import { s3Message } from './s3-message.ts';
import { withTimersOf } from './with-timers.ts';

/** A backlog that is there at once, and a gateway that takes so many requests a second. */
export interface DrainOptions extends BenchWorldOptions {
  readonly messages: number;
  readonly requestsPerSecond: number;
  readonly seed: number;
  /** @default 40 */
  readonly latencyMs?: number;
}

/** What a drain came to. */
export interface Drained {
  /** Time until the last message was done at the gateway, against messages ÷ rate. */
  readonly ratio: number;
  readonly callsPerMessage: number;
  /** Healthy messages that ended in the dead-letter queue. */
  readonly deadLetters: number;
  /** Messages that were done at the gateway. */
  readonly done: number;
  readonly refused: number;
  readonly drainMs: number;
  readonly usage: ReturnType<VirtualFunction['usage']>;
  readonly world: BenchWorld;
  readonly gateway: RatedGateway;
}

const startMs = Date.parse('2026-11-20T22:00:00Z');
/** A drain that takes a hundred times the ideal is not going to end better. */
const mostTimesIdeal = 100;

/** Sends the backlog, deploys a function behind it, and waits until every message is gone from the queue. */
export async function drain(
  options: DrainOptions,
  deploy: (world: BenchWorld, gateway: RatedGateway) => VirtualFunction,
): Promise<Drained> {
  const { messages, requestsPerSecond, latencyMs = gatewayMs } = options;
  const time = createVirtualTime(options.seed, startMs);
  const gateway = createRatedGateway(time, { requestsPerSecond, latencyMs });
  const world = createBenchWorld(time, gateway, options);
  const { uploads } = world.queues;
  const idealMs = (messages / requestsPerSecond) * 1000;

  for (let index = 0; index < messages; index += 1) {
    uploads.send(s3Message(`datasets/file-${index}.csv`, new Date(startMs)));
  }
  const fn = deploy(world, gateway);
  await withTimersOf(time, () => time.runUntil(() => uploads.size() === 0, mostTimesIdeal * idealMs));

  const { calls, done, refused, lastDoneMs } = gateway.counts;
  return {
    ratio: (lastDoneMs - startMs) / idealMs,
    drainMs: lastDoneMs - startMs,
    callsPerMessage: calls / messages,
    deadLetters: world.deadLetters.size(),
    done,
    refused,
    usage: fn.usage(),
    world,
    gateway,
  };
}
