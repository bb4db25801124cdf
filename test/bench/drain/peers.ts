import { basename } from 'node:path/posix';
import type { S3Event, SQSRecord } from 'aws-lambda';
import type { WireRequest } from '#shared/gateway-client/transport/transport.ts';
import type { Environment } from '../../faults/model/world/virtual-function.ts';
import { createVirtualFunction, type VirtualFunction } from '../../faults/model/world/virtual-function.ts';
import type { BenchWorld } from './bench-world.ts';
import type { RatedGateway } from './rated-gateway.ts';
import { betweenBatchesMs } from './latencies.ts';

/**
 * Ways of sending a queue to a gateway that are found again and again. All have what an honest user
 * gives them: batches of ten with partial batch response, all records of a batch at once (as
 * Powertools does), a visibility timeout of six times the function's, and five deliveries. They
 * keep no ledger and read no file, so that nothing slows them down.
 */
export interface DrainPeer {
  readonly name: string;
  /**
   * What it does with an answer that is no good: how long to wait before the next attempt,
   * `undefined` to leave it to the queue.
   */
  readonly waitMs: (
    answer: { readonly retryAfterMs: number; readonly attempt: number },
    random: () => number,
  ) => number | undefined;
}

/** AWS recommends at least five deliveries, and six times the timeout. */
export const peerQueue = { maxReceiveCount: 5, visibilityMs: 180_000 } as const;
/** The records of a batch, all at once. */
export const peerBatchSize = 10;
const timeoutMs = 30_000;

/** What popular clients come with: three repeats, doubled from 100 ms with jitter. */
const mostRepeats = 3;
const firstBackOffMs = 100;

/** Without pacing, by how they take a 429. */
export const drainPeers: readonly DrainPeer[] = [
  { name: 'naive', waitMs: () => undefined },
  {
    name: 'retry only',
    waitMs: ({ attempt }, random) =>
      attempt > mostRepeats ? undefined : firstBackOffMs * 2 ** (attempt - 1) * (0.8 + 0.4 * random()),
  },
  {
    name: 'Retry-After only',
    waitMs: ({ attempt, retryAfterMs }) => (attempt > mostRepeats ? undefined : retryAfterMs),
  },
];

/** Deploys a peer behind the uploads queue. */
export function deployPeer(
  world: BenchWorld,
  gateway: RatedGateway,
  { peer, concurrency }: { readonly peer: DrainPeer; readonly concurrency: number },
): VirtualFunction {
  const { time } = world;
  return createVirtualFunction(time, {
    name: 'peer',
    queue: world.queues.uploads,
    batchSize: peerBatchSize,
    concurrency,
    timeoutMs,
    mostSkewMs: 0,
    betweenBatchesMs,
    build: (environment) => {
      const post = poster(gateway, environment, { peer, random: time.random });
      return async ({ Records }) => {
        const done = await Promise.all(Records.map(post));
        const failed = Records.filter((_, index) => done[index] !== true);
        return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
      };
    },
  });
}

function poster(
  gateway: RatedGateway,
  environment: Environment,
  { peer, random }: { readonly peer: DrainPeer; readonly random: () => number },
): (record: SQSRecord) => Promise<boolean> {
  const transport = gateway.transportOf(environment);
  return async (record) => {
    const request = requestOf(record);
    for (let attempt = 1; ; attempt += 1) {
      const { status, headers } = await transport.send(request);
      if (status !== undefined && status < 300) return true;
      const retryAfter = Number(headers['retry-after'] ?? 0);
      const waitMs = peer.waitMs({ retryAfterMs: retryAfter * 1000, attempt }, random);
      if (waitMs === undefined) return false;
      await environment.wait(waitMs);
    }
  };
}

function requestOf(record: SQSRecord): WireRequest {
  return {
    method: 'POST',
    path: '/datasets',
    headers: {},
    body: Buffer.from(JSON.stringify({ fileId: stemOf(record) })),
    fresh: true,
    headersMs: 15_000,
    totalMs: 15_000,
    maxBytes: 1e6,
  };
}

/** The file's name without its ending, as our rule has it. */
function stemOf({ body }: SQSRecord): string {
  const { Records }: S3Event = JSON.parse(body);
  return basename(Records[0]?.s3.object.key ?? '', '.csv');
}
