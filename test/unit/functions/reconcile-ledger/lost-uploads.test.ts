import { expect, test } from 'vitest';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { keyOfLinkTest } from '#shared/messages/link-test.ts';
import { failing } from '../../../builders/ports.ts';
import { createReconcileBench, hourMs, minuteMs } from './reconcile-bench.ts';

/** A stage whose reconciler has run before: prefixes are known from then on. */
async function deployed(...args: Parameters<typeof createReconcileBench>) {
  const bench = createReconcileBench(...args);
  await bench.tick();
  bench.pass(5 * minuteMs);
  return bench;
}

test('[D9] an upload without a notification is sent to its worker as S3 would have sent it, and rings', async () => {
  const bench = await deployed();
  const version = bench.put('datasets/naïve + 100%.csv', { sizeBytes: 42 });

  const answer = await bench.tick(16 * minuteMs);

  expect(bench.sent).toMatchObject([
    {
      object: {
        bucket: 'uploads',
        key: version.key,
        versionId: version.versionId,
        versionKey: version.versionId,
        etag: version.etag,
        sizeBytes: 42,
        eventTime: version.lastModified.toISOString(),
      },
    },
  ]);
  expect(bench.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { event: 'upload_found', fields: { key: version.key, versionId: version.versionId } },
  ]);
  expect(bench.metric('ReconcilerFound')).toEqual([0, 0, 1]);
  expect(bench.metric('ReconcilerHeartbeat')).toEqual([1, 1]);
  expect(answer).toMatchObject({ found: 1, summary: expect.stringContaining('1 without a notification') });
});

test('I1: a lost upload is still found if a rule for its folder is deployed before it was', async () => {
  const bench = await deployed();
  bench.put('datasets/pii/lost.csv');
  bench.pass(10 * minuteMs);
  bench.state.watched = [...bench.state.watched, { prefix: 'datasets/pii/' }];
  await bench.tick();

  await bench.tick(10 * minuteMs);

  expect(bench.keysSent()).toEqual(['datasets/pii/lost.csv']);
});

test('a mark that a killed doctor left behind is no missed notification', async () => {
  const bench = await deployed();
  const left = '018f0000-0000-4000-8000-00000000d0c1';
  bench.put(keyOfLinkTest(left), { sizeBytes: 0 });
  const hidden = bench.put(keyOfLinkTest(left), { sizeBytes: 1 });

  await bench.tick(16 * minuteMs);

  expect(bench.sent.map(({ object }) => object)).toMatchObject([{ key: hidden.key, sizeBytes: 1 }]);
});

test('a notification has 15 minutes before the reconciler looks for it', async () => {
  const bench = await deployed();
  bench.put('datasets/young.csv');

  await bench.tick(14 * minuteMs);
  const early = bench.keysSent();
  await bench.tick(2 * minuteMs);

  expect(early).toEqual([]);
  expect(bench.keysSent()).toEqual(['datasets/young.csv']);
});

test('what has a row, a folder marker, and what lies below no watched prefix are left alone', async () => {
  const bench = await deployed([{ prefix: 'datasets/pii/' }]);
  await bench.register(bench.put('datasets/pii/known.csv'));
  bench.put('datasets/pii/', { sizeBytes: 0 });
  bench.put('datasets/elsewhere.csv');
  bench.put('datasets/pii/suspended.csv', { versionId: 'null' });

  await bench.tick(16 * minuteMs);

  expect(bench.sent).toEqual([]);
});

test('switching on over an old bucket registers nothing that was there before', async () => {
  const bench = createReconcileBench();
  bench.put('datasets/of-last-year.csv', { lastModified: new Date(bench.state.nowMs - 400 * 24 * hourMs) });
  bench.put('datasets/of-yesterday.csv', { lastModified: new Date(bench.state.nowMs - 24 * hourMs) });

  await bench.tick();
  await bench.tick(25 * hourMs);

  expect(bench.sent).toEqual([]);
});

test('[D15] an upload of the second in which its prefix is first seen is found, though S3 lists whole seconds', async () => {
  const bench = createReconcileBench();
  await bench.tick(700);
  bench.put('datasets/same-second.csv', { lastModified: new Date(bench.state.nowMs - 700) });

  await bench.tick(20 * minuteMs);

  expect(bench.keysSent()).toEqual(['datasets/same-second.csv']);
});

// On a disk that was full at the first tick, the next one began later: six uploads were lost.
test('a first tick of which only the begin could be written keeps the time of its begin', async () => {
  const memory = createMemoryLedger();
  let writes = 0;
  const failAfterFirst: Ledger['write'] = async (...args) => {
    writes += 1;
    if (writes > 1) throw new Error('the disk is full');
    return memory.write(...args);
  };
  const bench = createReconcileBench(undefined, { ...memory, write: async (...args) => ledger.write(...args) });
  const ledger = { write: failAfterFirst };
  await bench.tick();
  bench.put('datasets/acknowledged.csv', { lastModified: new Date(bench.state.nowMs + minuteMs) });
  ledger.write = async (...args) => memory.write(...args);

  await bench.tick(5 * minuteMs);
  await bench.tick(15 * minuteMs);

  expect(bench.keysSent()).toEqual(['datasets/acknowledged.csv']);
});

test('a `since` in the configuration reaches back as far as it says, and never further than 30 days', async () => {
  const bench = await deployed();
  const ago = (days: number) => ({ lastModified: new Date(bench.state.nowMs - days * 24 * hourMs) });
  bench.put('datasets/29-days.csv', ago(29));
  bench.put('datasets/31-days.csv', ago(31));
  bench.put('datasets/pii/29-days.csv', ago(29));
  bench.state.watched = [{ prefix: 'datasets/', since: '2026-01-01T00:00:00.000Z' }, { prefix: 'datasets/pii/' }];

  await bench.tick();

  // The longest prefix decides, and datasets/pii/ was seen for the first time just now.
  expect(bench.keysSent()).toEqual(['datasets/29-days.csv']);
});

test('while its queue holds messages, an upload without a row is one that may still come: it is looked at again', async () => {
  const bench = await deployed();
  bench.state.isEmpty = false;
  bench.put('datasets/behind-others.csv');

  await bench.tick(16 * minuteMs);
  for (let hours = 0; hours < 3; hours += 1) await bench.tick(hourMs);
  const whileWaiting = bench.keysSent();
  bench.state.isEmpty = true;
  await bench.tick(5 * minuteMs);

  expect(whileWaiting).toEqual([]);
  expect(bench.keysSent()).toEqual(['datasets/behind-others.csv']);
});

test('[D16] an upload that waits in its queue is sent again every six hours, and nothing rings', async () => {
  const bench = await deployed();
  bench.state.isEmpty = false;
  bench.put('datasets/lost.csv');
  const askedAfterMinutes: number[] = [];

  for (let minutes = 5; minutes <= 13 * 60; minutes += 5) {
    bench.pass(5 * minuteMs);
    const before = bench.sent.length;
    await bench.tick();
    if (bench.sent.length > before) askedAfterMinutes.push(minutes);
  }

  expect(askedAfterMinutes).toEqual([6 * 60, 12 * 60]);
  const happened = bench.counts.filter(({ value }) => value > 0).map(({ metric }) => metric);
  expect(happened.filter((metric) => metric === metricNames.reconcilerAskedAgain)).toHaveLength(2);
  expect(happened).not.toContain(metricNames.reconcilerFound);
  expect(bench.lines.map(({ event }) => event)).not.toContain(logEvents.uploadFound);
});

test('an old bucket costs listings and no reads: a row is read once for what is new, and once a day for 30 days', async () => {
  const bench = await deployed();
  for (let n = 0; n < 60; n += 1) await bench.register(bench.put(`datasets/${n}.csv`));
  await bench.tick(2 * hourMs);
  bench.state.rowReads = 0;

  await bench.register(bench.put('datasets/new.csv'));
  const readsOfTick: number[] = [];
  for (let tick = 0; tick < 288; tick += 1) {
    bench.pass(5 * minuteMs);
    const before = bench.state.rowReads;
    await bench.tick();
    readsOfTick.push(bench.state.rowReads - before);
  }

  const [mostReads, ...others] = readsOfTick.toSorted((a, b) => b - a);
  expect(mostReads).toBe(61);
  expect(Math.max(...others)).toBe(1);
  expect(bench.sent).toEqual([]);
});

test('an upload in parts that took hours, or a row that a restore took away, is found within a day', async () => {
  const bench = await deployed();
  await bench.tick(10 * hourMs);
  bench.put('datasets/in-parts.csv', { lastModified: new Date(bench.state.nowMs - 8 * hourMs) });

  for (let hours = 0; hours < 24; hours += 1) await bench.tick(hourMs);

  expect(bench.keysSent()).toContain('datasets/in-parts.csv');
});

test('a pass goes on over many ticks if the time is short, from the version at which it stopped', async () => {
  const bench = await deployed();
  bench.state.pageSize = 2;
  bench.state.pageMs = 60_000;
  for (let version = 0; version < 7; version += 1) bench.put('datasets/one-key.csv');
  bench.put('datasets/z.csv');
  bench.pass(16 * minuteMs);
  const completed: unknown[] = [];

  for (let tick = 0; tick < 4; tick += 1) {
    completed.push((await bench.tick())['isComplete']);
    bench.pass(5 * minuteMs);
  }

  expect(completed).toEqual([false, false, false, true]);
  const versions = bench.sent.map(({ object }) => object.versionId);
  expect(versions).toHaveLength(bench.bucket.length);
  expect(new Set(versions)).toEqual(new Set(bench.bucket.map(({ versionId }) => versionId)));
});

test('a send that fails costs one page: what was sent before it may be sent again, and nothing is left out', async () => {
  const bench = await deployed();
  bench.state.pageSize = 2;
  for (const name of ['a', 'b', 'c', 'd']) bench.put(`datasets/${name}.csv`);
  bench.pass(16 * minuteMs);
  bench.faults.send = async (body) => {
    if (body.includes('d.csv')) throw new Error('the queue refused');
  };

  await expect(bench.tick()).rejects.toThrow('the queue refused');
  bench.faults.send = async () => {};
  await bench.tick(5 * minuteMs);

  expect(bench.metric('ReconcilerHeartbeat')).toEqual([1, 1]);
  expect(bench.keysSent()).toEqual(['a', 'b', 'c', 'c', 'd'].map((name) => `datasets/${name}.csv`));
});

test('two ticks never run side by side; the lease of one that died ends by itself', async () => {
  const bench = await deployed();
  const since = (await bench.row())?.since ?? {};
  const lease = { owner: 'dead', until: new Date(bench.state.nowMs + 2 * minuteMs).toISOString() };
  await bench.write({ pk: ledgerKeys.reconcile(), kind: 'reconcile', since, lease });
  const beats = bench.metric('ReconcilerHeartbeat').length;

  const refused = await bench.tick();
  const beatsAfter = bench.metric('ReconcilerHeartbeat').length;
  const taken = await bench.tick(3 * minuteMs);

  expect(refused['summary']).toContain('another reconciler is under way');
  expect(beatsAfter).toBe(beats);
  expect(taken).toMatchObject({ isComplete: true });
  expect((await bench.row())?.lease).toBeUndefined();
});

test('a bus that takes no notice fails the tick, after it found the uploads without a notification', async () => {
  const bench = createReconcileBench();
  await bench.tick();
  await bench.tick(11.8 * hourMs);
  await bench.tick(5 * minuteMs);
  bench.put('datasets/lost.csv');
  bench.faults.publish = failing(new Error('the bus is down'));
  bench.pass(25 * minuteMs);

  await expect(bench.tick()).rejects.toThrow('the bus is down');

  expect(bench.keysSent()).toEqual(['datasets/lost.csv']);
  expect(bench.metric('ReconcilerHeartbeat')).toHaveLength(3);
});
