import { createVirtualTime } from '../../faults/model/world/virtual-time.ts';
import type { VirtualFunction } from '../../faults/model/world/virtual-function.ts';
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

/**
 * What a drain came to. Uploads are told apart by the `fileId` that they are posted with: a
 * duplicate is no second upload.
 */
export interface Drained {
  /** Time until the last message was done at the gateway, against messages ÷ rate. */
  readonly ratio: number;
  readonly callsPerMessage: number;
  /** Healthy messages that ended in the dead-letter queue. */
  readonly deadLetters: number;
  /** Uploads of which the gateway has at least one dataset. */
  readonly done: number;
  /** Those of which it has more than one. */
  readonly doneTwice: number;
  /** Uploads that were not done, done more than once, or ended in the dead-letter queue. */
  readonly astray: number;
  readonly refused: number;
  readonly drainMs: number;
  readonly usage: ReturnType<VirtualFunction['usage']>;
  readonly world: BenchWorld;
  readonly gateway: RatedGateway;
}

const startMs = Date.parse('2026-11-20T22:00:00Z');
/** A drain that takes a hundred times the ideal is not going to end better. */
const mostTimesIdeal = 100;

/**
 * Sends the backlog, deploys a function behind it, and waits until every message is gone from the
 * queue.
 */
export async function drain(
  options: DrainOptions,
  deploy: (world: BenchWorld, gateway: RatedGateway) => VirtualFunction,
): Promise<Drained> {
  const { messages, requestsPerSecond, latencyMs = gatewayMs } = options;
  const time = createVirtualTime(options.seed, startMs);
  const made = new Map<string, number>();
  const onChange = (fileId: string) => void made.set(fileId, (made.get(fileId) ?? 0) + 1);
  const gateway = createRatedGateway(time, { requestsPerSecond, latencyMs, onChange });
  const world = createBenchWorld(time, gateway, options);
  const { uploads } = world.queues;
  const idealMs = (messages / requestsPerSecond) * 1000;

  const sent = Array.from({ length: messages }, (_, index) => {
    const body = s3Message(`datasets/file-${index}.csv`, new Date(startMs));
    uploads.send(body);
    return { fileId: `file-${index}`, body };
  });
  const fn = deploy(world, gateway);
  await withTimersOf(time, () => time.runUntil(() => uploads.size() === 0, mostTimesIdeal * idealMs));

  const { calls, refused, lastDoneMs } = gateway.counts;
  const dead = new Set(world.deadLetters.sent().map(({ body }) => body));
  return {
    ratio: (lastDoneMs - startMs) / idealMs,
    drainMs: lastDoneMs - startMs,
    callsPerMessage: calls / messages,
    deadLetters: world.deadLetters.size(),
    done: made.size,
    doneTwice: [...made.values()].filter((times) => times > 1).length,
    astray: sent.filter(({ fileId, body }) => made.get(fileId) !== 1 || dead.has(body)).length,
    refused,
    usage: fn.usage(),
    world,
    gateway,
  };
}
