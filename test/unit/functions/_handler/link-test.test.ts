import { describe, expect, test } from 'vitest';
import type { LinkTestRow } from '#shared/ledger/link-tests.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { keyOfLinkTest, linkTestInMessage, messageOfLinkTest } from '#shared/messages/link-test.ts';
import { eventTypes } from '#shared/vocabulary/event-types.ts';
import { createUploadBench, piiRule } from '../register-datasets/upload-bench.ts';
import { aCommand, createUpdateBench } from '../update-campaign-runs/harness/update-bench.ts';

/** Marks of `autopilot doctor --deep`, and what somebody might try with one. */

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
      const row = await bench.table.read<LinkTestRow>(ledgerKeys.linkTest(id));
      expect(row).toMatchObject({ link: 'command', worker: 'update-campaign-runs', outcome: { kind: 'ignored' } });
      expect((row?.expiresAt ?? 0) * 1000).toBeLessThanOrEqual(bench.now().getTime() + rowLifeMs);
      expect(bench.events).toEqual([
        { type: eventTypes.linkTested, detail: expect.objectContaining({ linkTest: id }) },
      ]);
      expect(bench.patches).toEqual([]);
    },
  );

  test('delivered twice is counted once, and its event has the same id', async () => {
    const bench = createUpdateBench();
    await bench.deliver(mark);

    expect(await bench.deliver(mark, { receiveCount: 2 })).toEqual({ kind: 'done', outcomes: [] });
    expect(new Set(bench.events.map(({ detail }) => detail['eventId'])).size).toBe(1);
  });

  test('goes back to the queue if the bus refuses its event', async () => {
    const bench = createUpdateBench();
    const refusing = { publish: async () => Promise.reject(new Error('not authorized to perform: events:PutEvents')) };

    expect(await bench.deliver(mark, { bus: refusing })).toMatchObject({ kind: 'later', outcomes: [{}] });
  });

  test.each<[string, object]>([
    ['with a command beside it', { ...aCommand(), ...JSON.parse(mark) }],
    ['with one more field', { ...JSON.parse(mark), run: 'nightly' }],
    ['with an id that is no UUID', { version: 1, linkTest: 'x', link: 'command' }],
    ['with a link that nobody tests', { version: 1, linkTest: id, link: 'stop' }],
  ])('%s is none: it is parked where a person sees it', async (_what, message) => {
    const bench = createUpdateBench();

    const result = await bench.deliver(JSON.stringify(message));

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'BAD_MESSAGE' }] });
  });

  test('is read of no other text', () => {
    for (const text of ['', 'null', '[]', '{}', '"x"']) expect(linkTestInMessage(text)).toBeUndefined();
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
