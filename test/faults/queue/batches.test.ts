import * as fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { done, later, type RecordResult } from '#functions/_handler/queue-record.ts';
import { handleBatch, type QueueWorker } from '#functions/_handler/queue-worker.ts';
import { createUploadsQueue, createPolledQueue, keptReports } from './queue-bench.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

test('[C6] I15: of ten messages with one bad nine are registered and one is parked, in one batch', async () => {
  const { bench, queue, outcomes, invoke } = createUploadsQueue();
  for (let index = 0; index < 10; index += 1) {
    const body = `prompt,label\nrule ${index},true\nwhat?,false\n`;
    const event = bench.put({ key: `datasets/pii/${index}.csv`, versionId: 'v1', body });
    queue.send(index === 4 ? event.slice(0, -3) : event);
  }

  const given = await queue.poll(invoke);

  expect(given).toBe(10);
  expect(queue.left()).toBe(0);
  expect(outcomes.map(({ kind, reason }) => reason ?? kind).toSorted()).toEqual([
    'BAD_MESSAGE',
    ...Array.from({ length: 9 }, () => 'applied'),
  ]);
});

/** What a worker may do with a record. */
type Turn = { readonly kind: 'result'; readonly result: RecordResult } | { readonly kind: 'throw' };

const outcome = { kind: 'applied', subject: 'part' } as const;
const turn = fc.oneof(
  fc.constantFrom<Turn>(
    { kind: 'result', result: done(outcome) },
    { kind: 'result', result: done() },
    { kind: 'throw' },
  ),
  fc
    .record({ ms: fc.double(), part: fc.boolean() })
    .map(({ ms, part }): Turn => ({ kind: 'result', result: later(ms, 'busy', part ? [outcome] : []) })),
);

function workerOf(handleRecord: QueueWorker['handleRecord'], postpone: QueueWorker['postpone']): QueueWorker {
  const { reports } = keptReports();
  return { handleRecord, postpone, recordBudgetMs: 1000, reports, now: () => new Date(0), random: () => 0.5 };
}

test('[C8] whatever a worker does, and however little time is left, each message is ended or given back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 10 }),
      fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (turns, remaining, isPostponeBroken) => {
        const ended: string[] = [];
        const worker = workerOf(
          async ({ messageId, body }) => {
            const next = turns[Number(body)];
            if (next === undefined || next.kind === 'throw') throw new Error('broken');
            if (next.result.kind === 'done') ended.push(messageId);
            return next.result;
          },
          async () => (isPostponeBroken ? Promise.reject(new Error('ReceiptHandleIsInvalid')) : undefined),
        );
        const queue = createPolledQueue(() => 0, 1);
        const sent = turns.map((_, index) => queue.send(String(index)));
        let asked = 0;
        const remainingMs = () => remaining[asked++ % remaining.length] ?? 0;

        await queue.poll(async (event) => {
          const answer = await handleBatch(event, { requestId: 'r', remainingMs }, worker);
          const givenBack = answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
          expect([...ended, ...givenBack].toSorted()).toEqual(sent.toSorted());
          return answer;
        });
        expect(queue.left()).toBe(sent.length - ended.length);
      },
    ),
    propertyRuns(150),
  );
});

// @ts-expect-error -- a forgotten return: Lambda would take `undefined` for "all succeeded"
const forgetful: QueueWorker['handleRecord'] = async () => {};

test('[C8] a worker that answers nothing does not compile; and were it to run, its batch would come back', async () => {
  expectTypeOf<Awaited<ReturnType<QueueWorker['handleRecord']>>>().toEqualTypeOf<RecordResult>();
  const queue = createPolledQueue(() => 0, 1);
  queue.send('work');

  await queue.poll((event) =>
    handleBatch(
      event,
      { requestId: 'r', remainingMs: () => 9000 },
      workerOf(forgetful, async () => {}),
    ),
  );

  expect(queue.left()).toBe(1);
});
