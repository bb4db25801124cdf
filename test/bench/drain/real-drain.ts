import { startGateway } from '#gateway/server.ts';
import { createTransport } from '#shared/gateway-client/transport/transport.ts';
import { createBenchWorld } from './bench-world.ts';
import { deployProduct } from './drain-product.ts';
import { fileIdOf } from './rated-gateway.ts';
import { createRealTime } from './real-time.ts';
import { s3Message } from './s3-message.ts';

/** What a drain by the wall clock came to. */
export interface RealDrained {
  readonly ratio: number;
  readonly callsPerMessage: number;
  readonly refused: number;
  /** Uploads that are not exactly one dataset of the gateway: lost, parked, made twice. */
  readonly astray: number;
}

const token = 'the-token-of-a-loopback-gateway';
const mostTimesIdeal = 4;

/**
 * The same backlog, the same workers and their own pacing by the clock of this machine, over the
 * product's own client and sockets to the embedded gateway, which keeps the rate and answers after
 * the same latency. The ledger and the bucket stay simulated.
 */
export async function realDrain(options: {
  readonly messages: number;
  readonly requestsPerSecond: number;
  readonly latencyMs: number;
  readonly seed: number;
}): Promise<RealDrained> {
  const { messages, requestsPerSecond, latencyMs, seed } = options;
  const gateway = await startGateway({ port: 0, database: ':memory:', tokens: [token] });
  try {
    await arm(gateway.url, { rateLimit: { requestsPerSecond, retryAfter: 1 }, times: 'forever' });
    await arm(gateway.url, { delayMs: latencyMs, times: 'forever', apply: 'after' });

    const time = createRealTime(seed);
    const counts = { calls: 0, refused: 0, lastDoneMs: time.nowMs() };
    const made = new Map<string, number>();
    const world = {
      ...createBenchWorld(time, {
        transportOf() {
          const transport = createTransport({
            origin: gateway.url,
            connectMs: 3000,
            caBundle: undefined,
            proxy: undefined,
          });
          return {
            async send(request) {
              counts.calls += 1;
              const result = await transport.send(request);
              const { status } = result;
              if (status === 429) counts.refused += 1;
              if (request.method === 'POST' && (status === 201 || status === 200)) {
                counts.lastDoneMs = time.nowMs();
                const fileId = fileIdOf(request.body);
                made.set(fileId, (made.get(fileId) ?? 0) + 1);
              }
              return result;
            },
            close: async () => transport.close(),
          };
        },
      }),
      secret: { value: token },
    };
    const fileIds = Array.from({ length: messages }, (_, index) => `file-${index}`);
    for (const fileId of fileIds) world.queues.uploads.send(s3Message(`datasets/${fileId}.csv`, new Date()));
    const startMs = time.nowMs();
    deployProduct(world, { requestsPerSecond });
    const idealMs = (messages / requestsPerSecond) * 1000;
    const isDone = await time.runUntil(() => world.queues.uploads.size() === 0, mostTimesIdeal * idealMs);
    if (!isDone)
      throw new Error(
        `${world.queues.uploads.size()} of ${messages} messages were left after ${mostTimesIdeal} times the ideal time`,
      );
    return {
      ratio: (counts.lastDoneMs - startMs) / idealMs,
      callsPerMessage: counts.calls / messages,
      refused: counts.refused,
      astray: fileIds.filter((fileId) => made.get(fileId) !== 1).length,
    };
  } finally {
    await gateway.close();
  }
}

async function arm(url: string, fault: object): Promise<void> {
  const answer = await fetch(`${url}/_control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  });
  if (!answer.ok) throw new Error(`the gateway took no fault: ${answer.status} ${await answer.text()}`);
}
