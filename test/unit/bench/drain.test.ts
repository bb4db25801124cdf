import { expect, test } from 'vitest';
import { deployProduct, drain, type Drained, type DrainOptions } from '../../bench/drain/drain.ts';
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

// The virtual function ends an invocation at its timeout: its uploads would come late, or twice.
test.each([100, 0.1])(
  '[F15] our own worker does each upload once, at that rate: %s a second',
  async (requestsPerSecond) => {
    const options = { ...twenty, requestsPerSecond };

    const drained = await drain(options, (world) => deployProduct(world, { requestsPerSecond }));

    expect(drained).toMatchObject({ done: 20, doneTwice: 0, deadLetters: 0, astray: 0 });
    expect(drained.ratio).toBeLessThan(3);
  },
);
