import type { SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { done, later, type Outcome, type QueueRecord } from '#functions/_handler/queue-record.ts';
import { handleBatch, type QueueWorker } from '#functions/_handler/queue-worker.ts';
import type { LinkTestRow } from '#shared/ledger/rows/stage-rows.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { keyOfLinkTest, messageOfLinkTest } from '#shared/messages/link-test.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { failing, keptOutput } from '../../../builders/ports.ts';
import { createUploadBench, piiRule } from '../register-datasets/upload-bench.ts';
import { aCommand, createUpdateBench } from '../update-campaign-runs/harness/update-bench.ts';

const aRecord = (messageId: string): SQSRecord => ({
  messageId,
  body: `body of ${messageId}`,
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

/** A batch of messages by their ids, how it ends, and which of them the answer names. */
async function batch(
  ids: readonly string[],
  handleRecord: QueueWorker['handleRecord'],
  more: Partial<QueueWorker> & { readonly remainingMs?: () => number } = {},
) {
  const { lines, log } = keptOutput();
  const reported: { outcomes: readonly Outcome[]; laterCount: number }[] = [];
  const postponed: [string, number][] = [];
  const worker: QueueWorker = {
    handleRecord,
    postpone: async (receiptHandle, delayMs) => void postponed.push([receiptHandle, delayMs]),
    recordBudgetMs: 1000,
    reports: {
      log,
      count: () => {},
      level: () => {},
      reportBatch: async (outcomes, laterCount) => void reported.push({ outcomes, laterCount }),
    },
    now: () => new Date('2026-11-20T22:00:00Z'),
    random: () => 0.5,
    ...more,
  };
  const { remainingMs = () => 30_000 } = more;
  const answer = await handleBatch({ Records: ids.map((id) => aRecord(id)) }, { requestId: 'r1', remainingMs }, worker);
  const failed = answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  return { failed, reported, lines, postponed };
}

test('[C17] a visibility timeout that cannot be changed fails nothing', async () => {
  const postpone = failing(new Error('gone'));

  const { failed, lines } = await batch(['m1'], async () => later(1, 'busy'), { postpone });

  expect(failed).toEqual(['m1']);
  expect(lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
});

// They used to stay out of sight for the queue's whole visibility timeout: twelve minutes for an
// upload that no worker had begun.
test('[F9] records that do not fit into the time left are not begun, and come back within half a minute, not all at once', async () => {
  let left = 30_000;
  const randoms = [0, 0.5, 0.999];
  const handleRecord = async () => {
    left = 500;
    return done();
  };
  const bounds = { remainingMs: () => left, random: () => randoms.shift() ?? 0 };

  const { failed, postponed, lines } = await batch(['m1', 'm2', 'm3', 'm4'], handleRecord, bounds);

  expect(failed).toEqual(['m2', 'm3', 'm4']);
  expect(postponed).toEqual([
    ['receipt-m2', 0],
    ['receipt-m3', 15_000],
    ['receipt-m4', 29_970],
  ]);
  expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', event: 'deadline_near' }));
});

test('a function of short time still begins its first record', async () => {
  expect((await batch(['m1'], async () => done(), { remainingMs: () => 900 })).failed).toEqual([]);
});

test('a worker sees a record without any AWS event', async () => {
  const seen: QueueRecord[] = [];
  await batch(['m1'], async (record) => {
    seen.push(record);
    return done();
  });

  expect(seen).toEqual([
    {
      messageId: 'm1',
      body: 'body of m1',
      receiveCount: 1,
      sentAt: new Date(1_763_676_000_000),
      senderId: 'x',
      queueArn: 'arn:aws:sqs:eu-west-1:000000000000:commands',
    },
  ]);
});

test('as many records are under way together as the worker says, begun in their order, each an attempt of its own, and one that fails takes no other along', async () => {
  const under = new Set<string>();
  const begun: string[] = [];
  const attempts = new Set<string>();
  let most = 0;
  const handleRecord: QueueWorker['handleRecord'] = async ({ messageId }, { attemptId }) => {
    begun.push(messageId);
    attempts.add(attemptId);
    under.add(messageId);
    most = Math.max(most, under.size);
    await new Promise((resolve) => setImmediate(resolve));
    under.delete(messageId);
    if (messageId === 'm1') throw new Error('broken');
    return messageId === 'm2' ? later(1000, 'busy') : done({ kind: 'applied', subject: messageId });
  };
  const ids = Array.from({ length: 10 }, (_, index) => `m${index}`);

  const { failed, reported } = await batch(ids, handleRecord, { recordsAtOnce: 4 });

  expect(most).toBe(4);
  expect(begun).toEqual(ids);
  expect(attempts.size).toBe(ids.length);
  expect(failed).toEqual(['m1', 'm2']);
  expect(reported[0]?.outcomes.map(({ subject }) => subject)).toEqual(ids.filter((id) => !failed.includes(id)));
});

/** Marks of `autopilot doctor`, and what a person might try with one. */
const id = '018f0000-0000-4000-8000-00000000d0c1';
const mark = messageOfLinkTest({ id, link: 'command' });
const everywhere = { ...piiRule, prefix: 'datasets/' };
const marked = { key: keyOfLinkTest(id), versionId: 'v1', sizeBytes: 0, body: '' };
const rowLifeMs = 2 * 86_400_000;

describe('a marked command', () => {
  test.each(['act', 'observe'] as const)(
    'ends ignored, with a row for two days and its event, in the mode %s',
    async (mode) => {
      const bench = createUpdateBench({ mode });
      bench.closeGateFor(60_000);

      const result = await bench.deliver(mark);

      expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'ignored', subject: `link test ${id}` }] });
      const row = await bench.ledger.read<LinkTestRow>(ledgerKeys.linkTest(id));
      expect(row).toMatchObject({ link: 'command', worker: 'update-campaign-runs', outcome: { kind: 'ignored' } });
      expect((row?.expiresAt ?? 0) * 1000).toBeLessThanOrEqual(bench.now().getTime() + rowLifeMs);
      expect(bench.events).toEqual([
        { type: eventTypes.linkTested, detail: expect.objectContaining({ linkTest: id }) },
      ]);
      expect(bench.patches).toEqual([]);
    },
  );

  test('has no row before the bus took its event: it fails, and comes back', async () => {
    const bench = createUpdateBench();
    const publish = failing(new Error('not authorized to perform: events:PutEvents'));

    await expect(bench.deliver(mark, { bus: { publish } })).rejects.toThrow('events:PutEvents');
    expect(await bench.ledger.read(ledgerKeys.linkTest(id))).toBeUndefined();
  });

  test('of the role of the link tests is one of a schedule, whatever it says: people hear of no other', async () => {
    const bench = createUpdateBench();
    const notice = messageOfLinkTest({ id, link: 'notice' });

    await bench.deliver(notice, { senderId: 'AROA-link-tests:a-session' });

    expect(await bench.ledger.read(ledgerKeys.linkTest(id))).toMatchObject({ link: 'schedule' });
    expect(bench.events).toMatchObject([{ detail: { link: 'schedule' } }]);
  });

  test.each<[string, object]>([
    ['with a command beside it', { ...aCommand(), ...JSON.parse(mark) }],
    ['with one more field', { ...JSON.parse(mark), run: 'nightly' }],
    ['with an id that is no UUID', { version: 1, linkTest: 'x', link: 'command' }],
    ['with an unknown link', { version: 1, linkTest: id, link: 'stop' }],
  ])('%s is none: it is parked where a person sees it', async (_what, message) => {
    const bench = createUpdateBench();

    const result = await bench.deliver(JSON.stringify(message));

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'BAD_MESSAGE' }] });
  });
});

describe('a marked object', () => {
  test('ends ignored although a rule has its prefix: no upload, nothing read, nothing sent', async () => {
    const bench = createUploadBench({ rules: [everywhere] });

    const result = await bench.deliver(bench.put(marked));

    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'ignored', subject: `link test ${id}` }] });
    expect(await bench.ledger.read(ledgerKeys.linkTest(id))).toMatchObject({
      link: 'object',
      worker: 'register-datasets',
    });
    expect(bench.events.map(({ type }) => type)).toEqual([eventTypes.linkTested]);
    expect(await bench.row(marked)).toBeUndefined();
    expect(bench.reads).toEqual([]);
    expect(bench.posts).toEqual([]);
  });

  test.each([
    ['one byte', { ...marked, sizeBytes: 1 }],
    ['a name that is no UUID', { ...marked, key: keyOfLinkTest('first-names') }],
    ['a folder below', { ...marked, key: keyOfLinkTest(`a/${id}`) }],
  ])('with %s is an upload like any other', async (_what, object) => {
    const bench = createUploadBench({ rules: [everywhere] });

    await bench.deliver(bench.put(object));

    expect(await bench.row(object)).toMatchObject({ kind: 'upload' });
    expect(bench.events.map(({ type }) => type)).not.toContain(eventTypes.linkTested);
  });

  test('of another bucket is parked as any foreign event', async () => {
    const bench = createUploadBench({ rules: [everywhere] });

    const result = await bench.deliver(bench.put({ ...marked, bucket: 'theirs' }));

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'FOREIGN_EVENT' }] });
  });
});
