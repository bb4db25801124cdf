import { expect, test } from 'vitest';
import { bestOf, drainWithPeer, type PeerDrained } from '../../bench/drain/best-concurrency.ts';
import { drain, type Drained, type DrainOptions } from '../../bench/drain/drain.ts';
import { deployProduct } from '../../bench/drain/drain-product.ts';
import { drainPeers } from '../../bench/drain/peers.ts';
import { resultOf } from '../../bench/drain/real-row.ts';
import { figuresOf } from '../../bench/drain/rows.ts';
import type { WireRequest } from '#shared/gateway-client/transport/transport.ts';
import { createVirtualFunction } from '../../faults/model/world/virtual-function.ts';

const twenty: DrainOptions = { messages: 20, requestsPerSecond: 100, seed: 1 };

/** What a worker does with an upload: so many POSTs, and then it may say that it has failed. */
interface Work {
  readonly posts: number;
  readonly isGivenBack?: boolean;
}

const givesBack = (posts: number) => (index: number) => (index === 3 ? { posts, isGivenBack: true } : { posts: 1 });

/** A worker that keeps nothing. */
async function drainBy(workOf: (index: number) => Work, options: Partial<DrainOptions> = {}): Promise<Drained> {
  return drain({ ...twenty, visibilityMs: 100, ...options }, ({ time, queues }, gateway) =>
    createVirtualFunction(time, {
      name: 'careless',
      queue: queues.uploads,
      batchSize: 1,
      concurrency: 1,
      timeoutMs: 1000,
      mostSkewMs: 0,
      build: (environment) => async (event) => {
        const transport = gateway.transportOf(environment);
        for (const { messageId, body } of event.Records) {
          const index = Number(/file-(\d+)\.csv/.exec(body)?.[1]);
          const { posts, isGivenBack = false } = workOf(index);
          for (let post = 0; post < posts; post += 1) await transport.send(postOf(`file-${index}`));
          if (isGivenBack) return { batchItemFailures: [{ itemIdentifier: messageId }] };
        }
        return { batchItemFailures: [] };
      },
    }),
  );
}

function postOf(fileId: string): WireRequest {
  const body = Buffer.from(JSON.stringify({ fileId }));
  const times = { headersMs: 1000, totalMs: 1000 };
  return { method: 'POST', path: '/backend/v1/datasets', headers: {}, body, fresh: true, maxBytes: 1000, ...times };
}

function healthyDeadLetters(drained: Drained): { readonly value: number; readonly detail: string } | undefined {
  return figuresOf(twenty, drained).find(({ name }) => name === 'healthy dead letters at 100/s');
}

test('an upload that is done twice does not make up for one that is lost', async () => {
  const drained = await drainBy((index) => ({ posts: index === 3 ? 2 : index === 7 ? 0 : 1 }));

  expect(drained).toMatchObject({ done: 19, doneTwice: 1, deadLetters: 0, astray: 2 });
  expect(healthyDeadLetters(drained)).toMatchObject({
    value: 2,
    detail: '1 not done, 1 done twice, 0 in the dead-letter queue',
  });
});

test('an upload that ends in the dead-letter queue counts once, also if it was done, or done several times', async () => {
  const never = await drainBy(givesBack(0), { maxReceiveCount: 1 });
  const done = await drainBy(givesBack(1), { maxReceiveCount: 1 });
  const often = await drainBy(givesBack(1), { maxReceiveCount: 3 });

  expect(never).toMatchObject({ done: 19, doneTwice: 0, deadLetters: 1, astray: 1 });
  expect(done).toMatchObject({ done: 20, doneTwice: 0, deadLetters: 1, astray: 1 });
  expect(often).toMatchObject({ done: 20, doneTwice: 1, deadLetters: 1, astray: 1 });
});

test('our own worker does each upload once', async () => {
  const drained = await drain(twenty, (world) => deployProduct(world, { requestsPerSecond: 100 }));

  expect(drained).toMatchObject({ done: 20, doneTwice: 0, deadLetters: 0, astray: 0 });
  expect(healthyDeadLetters(drained)?.value).toBe(0);
});

test('a peer is shown at our concurrency and at the one that is best for it', async () => {
  const [naive] = drainPeers;
  if (naive === undefined) throw new Error('there is no peer');
  const options = { messages: 2000, requestsPerSecond: 500, seed: 1 };

  const { asOurs, best } = await drainWithPeer(options, naive, 20);

  expect(asOurs.concurrency).toBe(20);
  expect(best.concurrency).toBeLessThan(20);
  expect(best.drained.ratio).toBeLessThan(asOurs.drained.ratio / 5);
  expect(best.drained.refused).toBeLessThan(asOurs.drained.refused);
});

test('the best concurrency loses the fewest uploads, then takes the least time, then makes the fewest calls', () => {
  const lossy: PeerDrained = { concurrency: 2, drained: { deadLetters: 5, ratio: 1, callsPerMessage: 1, refused: 0 } };
  const slow = { concurrency: 3, drained: { ...lossy.drained, deadLetters: 0, ratio: 7 } };
  const eager = { concurrency: 20, drained: { ...slow.drained, ratio: 1.001, callsPerMessage: 1.9 } };
  const gentle = { concurrency: 4, drained: { ...slow.drained, ratio: 1.003, callsPerMessage: 1.1 } };

  expect(bestOf([lossy, slow])).toBe(slow);
  expect(bestOf([slow, lossy, eager, gentle])).toBe(gentle);
});

test('the wall clock is judged by its middle run, either side of the virtual one', () => {
  const run = { ratio: 0.5, callsPerMessage: 1, refused: 0, astray: 0 };
  const slow = resultOf(
    [
      { ...run, ratio: 1.02 },
      { ...run, ratio: 3 },
      { ...run, ratio: 1.04 },
    ],
    { ratio: 1 },
  );
  const quick = resultOf([run], { ratio: 1 });
  const lossy = resultOf([run, { ...run, astray: 3 }, run], { ratio: 1 });

  expect(slow.figures[0]).toMatchObject({ name: 'ratio of ratios', value: 1.04 });
  expect(slow.notes.join()).toContain('the middle one of 3 runs, each 1.020, 3.000, 1.040');
  expect(quick.figures[0]).toMatchObject({ value: 2 });
  expect(lossy.figures[2]).toMatchObject({ value: 3, bar: 0 });
  expect(quick.notes.join()).toContain('one run');
});
