import { expect, test } from 'vitest';
import { BadStatusError } from '#shared/gateway-client/index.ts';
import { createUploadsQueue, workFor } from './queue-bench.ts';

/**
 * Lambda has no environment for the batch: the receive counts, the messages come back after their
 * visibility timeout.
 */
const throttled = async () => Promise.reject(new Error('TooManyRequestsException'));

function backlog(bench: ReturnType<typeof createUploadsQueue>['bench'], send: (body: string) => string): void {
  for (let index = 0; index < 500; index += 1) {
    // Other bytes each, so that none is another's duplicate.
    const body = `prompt,label\nignore rule ${index},true\nwhat is ${index}?,false\n`;
    send(bench.put({ key: `datasets/pii/${index}.csv`, versionId: 'v1', body }));
  }
}

test('[C10] twelve hours without concurrency and a backlog of 500: one worker then registers each once, none is dead-lettered', async () => {
  const { bench, queue, outcomes, invoke } = createUploadsQueue();
  backlog(bench, queue.send);

  await workFor(12, { bench, queue }, throttled);
  await workFor(1, { bench, queue }, invoke);

  expect([queue.left(), queue.deadLetters, queue.expired]).toEqual([0, [], []]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 500 }, () => 'applied'));
  expect(new Set(bench.posts.map(({ fileId }) => fileId)).size).toBe(500);
  expect(bench.posts).toHaveLength(500);
});

test('[C10] a gateway that refuses everything for an hour with 429 costs no message: all are registered once afterwards', async () => {
  const { bench, queue, outcomes, invoke } = createUploadsQueue();
  backlog(bench, queue.send);
  const busyUntilMs = bench.state.nowMs + 3_600_000;
  bench.faults.pace = async () => bench.pass(250);
  bench.faults.gateway = async () => {
    if (bench.state.nowMs >= busyUntilMs) return { id: `dataset-${bench.posts.length}` };
    throw new BadStatusError('POST /backend/v1/datasets', { status: 429, details: { text: 'slow down', fields: [] } });
  };

  await workFor(12, { bench, queue }, invoke);

  expect([queue.left(), queue.deadLetters]).toEqual([0, []]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 500 }, () => 'applied'));
});

test('[C10] the receives allowed are what saves them: of five, as is usual, nothing would be left', async () => {
  const { bench, queue } = createUploadsQueue({ mostReceives: 5 });
  backlog(bench, queue.send);

  await workFor(12, { bench, queue }, throttled);

  expect(queue.deadLetters).toHaveLength(500);
});
