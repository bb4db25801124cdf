import type { SQSRecord } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import type { Log } from '#functions/_handler/log.ts';
import { done, later, type Outcome } from '#functions/_handler/outcome.ts';
import { handleBatch, type QueueRecord, type QueueWorker } from '#functions/_handler/queue-worker.ts';

const aRecord = (messageId: string, body = messageId): SQSRecord => ({
  messageId,
  body,
  receiptHandle: `receipt-${messageId}`,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '1763676000000',
    SenderId: 'x',
    ApproximateFirstReceiveTimestamp: '1763676000000',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:commands',
  awsRegion: 'eu-west-1',
});

const applied = (subject: string): Outcome => ({ kind: 'applied', subject });

function createBench(handleRecord: QueueWorker['handleRecord']) {
  const reported: { outcomes: readonly Outcome[]; laterCount: number }[] = [];
  const log = {
    debug: vi.fn<Log['info']>(),
    info: vi.fn<Log['info']>(),
    warn: vi.fn<Log['info']>(),
    error: vi.fn<Log['info']>(),
  };
  const postponed: [string, number][] = [];
  const worker: QueueWorker = {
    handleRecord,
    postpone: async (receiptHandle, delayMs) => {
      postponed.push([receiptHandle, delayMs]);
    },
    recordBudgetMs: 1000,
    reports: {
      log,
      count: () => {},
      level: () => {},
      reportBatch: async (outcomes, laterCount) => {
        reported.push({ outcomes, laterCount });
      },
    },
    now: () => new Date('2026-11-20T22:00:00Z'),
    random: () => 0.5,
  };
  return { worker, reported, log, postponed };
}

const invocation = (remainingMs = 30_000) => ({ requestId: 'r1', remainingMs: () => remainingMs });

test('[C6] one bad record of ten does not change the outcome of its neighbours', async () => {
  const bench = createBench(async (record) => {
    if (record.body === 'm3') throw new Error('broken');
    return done(applied(record.messageId));
  });
  const records = Array.from({ length: 10 }, (_, index) => aRecord(`m${index}`));

  const answer = await handleBatch({ Records: records }, invocation(), bench.worker);

  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm3' }] });
  expect(bench.reported[0]?.outcomes).toHaveLength(9);
  expect(bench.log.error).toHaveBeenCalledWith('failed', expect.stringContaining('broken'), expect.anything());
});

test('a record that waits goes back with its own visibility timeout', async () => {
  const bench = createBench(async () => later(42_000, 'the gateway is busy'));

  const answer = await handleBatch({ Records: [aRecord('m1')] }, invocation(), bench.worker);

  expect(answer.batchItemFailures).toEqual([{ itemIdentifier: 'm1' }]);
  expect(bench.postponed).toEqual([['receipt-m1', 42_000]]);
  expect(bench.reported[0]).toMatchObject({ laterCount: 1 });
});

test('[C17] a visibility timeout that cannot be changed fails nothing', async () => {
  const bench = createBench(async () => later(1, 'busy'));
  const worker = { ...bench.worker, postpone: async () => Promise.reject(new Error('gone')) };

  const answer = await handleBatch({ Records: [aRecord('m1')] }, invocation(), worker);

  expect(answer.batchItemFailures).toEqual([{ itemIdentifier: 'm1' }]);
  expect(bench.log.warn).toHaveBeenCalled();
});

test('[F9] a record that does not fit into the time left is not begun, and is given back', async () => {
  const begun: string[] = [];
  let remainingMs = 30_000;
  const bench = createBench(async (record) => {
    begun.push(record.messageId);
    remainingMs = 500;
    return done(applied(record.messageId));
  });

  const answer = await handleBatch(
    { Records: [aRecord('m1'), aRecord('m2'), aRecord('m3')] },
    { requestId: 'r1', remainingMs: () => remainingMs },
    bench.worker,
  );

  expect(begun).toEqual(['m1']);
  expect(answer.batchItemFailures.map((failure) => failure.itemIdentifier)).toEqual(['m2', 'm3']);
});

// They used to stay out of sight for the queue's whole visibility timeout: twelve minutes for an upload that nobody had begun.
test('records that were not begun come back within half a minute, not all at once', async () => {
  const bench = createBench(async () => done());
  let remainingMs = 30_000;
  const randoms = [0, 0.5, 0.999];
  const worker = {
    ...bench.worker,
    handleRecord: async () => {
      remainingMs = 500;
      return done();
    },
    random: () => randoms.shift() ?? 0,
  };

  await handleBatch(
    { Records: [aRecord('m1'), aRecord('m2'), aRecord('m3'), aRecord('m4')] },
    { requestId: 'r1', remainingMs: () => remainingMs },
    worker,
  );

  expect(bench.postponed).toEqual([
    ['receipt-m2', 0],
    ['receipt-m3', 15_000],
    ['receipt-m4', 29_970],
  ]);
  expect(bench.log.warn).toHaveBeenCalledWith('deadline_near', expect.any(String), expect.anything());
});

test('a function of short time still begins its first record', async () => {
  const bench = createBench(async (record) => done(applied(record.messageId)));

  const answer = await handleBatch({ Records: [aRecord('m1')] }, invocation(900), bench.worker);

  expect(answer.batchItemFailures).toEqual([]);
});

test('[C8] every record is either ended or given back', async () => {
  const results = [done(applied('a')), later(1, 'x'), done(), later(1, 'y', [applied('part')])];
  const bench = createBench(async (record) => results[Number(record.body)] ?? done());
  const records = results.map((_, index) => aRecord(`m${index}`, String(index)));

  const answer = await handleBatch({ Records: records }, invocation(), bench.worker);

  expect(answer.batchItemFailures.map((failure) => failure.itemIdentifier)).toEqual(['m1', 'm3']);
  expect(bench.reported[0]?.outcomes.map((outcome) => outcome.subject)).toEqual(['a', 'part']);
});

test('a worker sees a record without any AWS event', async () => {
  const seen: QueueRecord[] = [];
  const bench = createBench(async (record) => {
    seen.push(record);
    return done();
  });

  await handleBatch({ Records: [aRecord('m1', 'body')] }, invocation(), bench.worker);

  expect(seen).toEqual([
    {
      messageId: 'm1',
      body: 'body',
      receiveCount: 1,
      sentAt: new Date(1_763_676_000_000),
      queueArn: 'arn:aws:sqs:eu-west-1:000000000000:commands',
    },
  ]);
});

test('as many records are under way together as the worker says, begun in their order, and one that fails takes nobody along', async () => {
  const under = new Set<string>();
  const begun: string[] = [];
  let most = 0;
  const bench = createBench(async ({ messageId }) => {
    begun.push(messageId);
    under.add(messageId);
    most = Math.max(most, under.size);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    under.delete(messageId);
    if (messageId === 'm1') throw new Error('broken');
    return messageId === 'm2' ? later(1000, 'busy') : done(applied(messageId));
  });
  const records = Array.from({ length: 10 }, (_, index) => aRecord(`m${index}`));

  const answer = await handleBatch({ Records: records }, invocation(), { ...bench.worker, recordsAtOnce: 4 });

  expect(most).toBe(4);
  expect(begun).toEqual(records.map(({ messageId }) => messageId));
  expect(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(['m1', 'm2']);
  expect(bench.reported[0]?.outcomes.map(({ subject }) => subject)).toEqual([
    'm0',
    'm3',
    'm4',
    'm5',
    'm6',
    'm7',
    'm8',
    'm9',
  ]);
});

test('without a word of the worker one record is under way at a time, and none is begun once too little time is left', async () => {
  let remainingMs = 30_000;
  const begun: string[] = [];
  const bench = createBench(async ({ messageId }) => {
    begun.push(messageId);
    remainingMs -= 20_000;
    return done(applied(messageId));
  });
  const left = { requestId: 'r1', remainingMs: () => remainingMs };

  const answer = await handleBatch({ Records: [aRecord('m1'), aRecord('m2'), aRecord('m3')] }, left, {
    ...bench.worker,
    recordBudgetMs: 15_000,
  });

  expect(begun).toEqual(['m1']);
  expect(answer.batchItemFailures).toHaveLength(2);
});

test('[F7] each record of a batch is an attempt with a name of its own: what one holds, its neighbour does not give back', async () => {
  const names: string[] = [];
  const bench = createBench(async (record, { attemptId }) => {
    names.push(attemptId);
    return done(applied(record.messageId));
  });

  // The same message twice, as a standard queue may send it.
  await handleBatch({ Records: [aRecord('m1'), aRecord('m1'), aRecord('m2')] }, invocation(), bench.worker);

  expect(new Set(names).size).toBe(3);
});
