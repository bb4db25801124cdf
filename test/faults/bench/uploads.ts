import { onTestFinished } from 'vitest';
import type { GatewayClientOptions } from '#shared/gateway-client/index.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { clientOf } from '../../integration/shared/gateway-client/clients.ts';
import { createUploadBench, type UploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';
import { askedWithinBounds, keptTheToken, madeNothingTwice, parkedWithReasons } from './kept-promises.ts';
import type { RawGateway } from './raw-gateway.ts';

/** The upload that most of these tests are about. */
export const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };

/** The messages of so many other uploads, whose objects are there. */
export function putMany(bench: UploadBench, count: number): string[] {
  return Array.from({ length: count }, (_, index) => bench.put({ key: `datasets/pii/${index}.csv`, versionId: 'v1' }));
}

/**
 * The upload worker over real sockets; ledger, store, queue and bus stay in memory. After the test it must have kept what holds whatever
 * happens: I2, I13, I18 and I19.
 * @param options - of its client, over quick repeats and the default deadlines
 */
export function uploadsTo(
  gateway: RawGateway,
  options: Partial<GatewayClientOptions> & Parameters<typeof createUploadBench>[0] = {},
): UploadBench {
  const { rules, ...clientOptions } = options;
  const bench = createUploadBench(rules === undefined ? {} : { rules });
  const client = clientOf(gateway.baseUrl, {
    onRequest: (info) =>
      void bench.lines.push({ event: logEvents.gatewayRequest, sentence: info.method, fields: { ...info } }),
    ...clientOptions,
  });
  bench.deps.createDataset = (input) => client.createDataset(input);
  onTestFinished(() => {
    madeNothingTwice(gateway);
    parkedWithReasons(bench.ledger.all());
    askedWithinBounds(gateway, 'POST', bench.state.attempts);
    keptTheToken(bench.ledger.all(), bench.lines, bench.events, bench.commands);
  });
  return bench;
}

/**
 * Delivers messages as their queue does, each again after the delay that the worker asks for, until all have ended or the time is over.
 * @returns how often each was delivered, and how many have not ended
 */
export async function workOff(
  bench: UploadBench,
  bodies: readonly string[],
  longestMs: number,
): Promise<{ readonly deliveries: readonly number[]; readonly open: number }> {
  const endMs = bench.state.nowMs + longestMs;
  const messages = bodies.map((body) => ({ body, dueMs: bench.state.nowMs, receiveCount: 0 }));
  for (;;) {
    const [next] = messages.toSorted((a, b) => a.dueMs - b.dueMs);
    if (next === undefined || next.dueMs > endMs) break;
    bench.pass(Math.max(0, next.dueMs - bench.state.nowMs));
    next.receiveCount += 1;
    const result = await bench.deliver(next.body, { receiveCount: next.receiveCount });
    next.dueMs = result.kind === 'done' ? Infinity : bench.state.nowMs + result.delayMs;
  }
  const open = messages.filter(({ dueMs }) => dueMs < Infinity).length;
  if (open > 0) bench.pass(endMs - bench.state.nowMs);
  return { deliveries: messages.map(({ receiveCount }) => receiveCount), open };
}
