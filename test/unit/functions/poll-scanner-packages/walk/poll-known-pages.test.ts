import { describe, expect, test } from 'vitest';
import type { PollDeps } from '#functions/poll-scanner-packages/poll-state.ts';
import { fingerprintOf, type ListedPackage } from '#functions/poll-scanner-packages/walk/walk.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { WatchChunkRow, WatchPagesRow, WatchRow } from '#shared/ledger/rows/watch-row.ts';
import { aPackage, aWatch, baselined, createPollBench, knownIn, packages, pagesFrom } from '../poll-bench.ts';

const nine = packages(9);
const updated = (id: string) => aPackage(id, { availableUpdate: '2026-02' });
/** The nine on three pages; p5, on the second one, has an update. */
const fifthUpdated = nine.with(4, updated('p5'));
const anHourMs = 3_600_000;

type Bench = ReturnType<typeof createPollBench>;

/** Polls, and says which rows were read for it. */
async function readBy(bench: Bench, listed: readonly ListedPackage[], deps: Partial<PollDeps> = {}) {
  const keys: string[] = [];
  const ledger: PollDeps['ledger'] = {
    ...bench.ledger,
    async read(pk) {
      keys.push(pk);
      return bench.ledger.read(pk);
    },
  };
  const answer = await bench.poll(listed, { deps: { ledger, ...deps } });
  return { keys, answer, chunks: keys.filter((pk) => /#\d{3}$/.test(pk)).length };
}

/** A listing of this many of the three pages, whose digests are of the packages alone. */
const endingAt = (last: number) => ({
  listing: async function* () {
    for (let page = 0; page < last; page += 1) {
      const listed = nine.slice(page * 3, page * 3 + 3);
      const next = page + 1 < last ? { next: String(page + 1) } : {};
      yield { packages: listed, ...next, digest: JSON.stringify(listed) };
    }
  },
});

/** Time for so many pages. */
const timeFor = (pages: number) => {
  let left = pages + 1;
  return { remainingMs: () => ((left -= 1) > 0 ? 900_000 : 0) };
};

/** Something else is written into the row of a package than what the listing showed. */
async function spoil(bench: Bench, packageId: string, change: (row: WatchChunkRow) => WatchChunkRow['packages']) {
  const row = bench.ledger.all().find((one) => one.kind === 'watch-chunk' && packageId in one.packages);
  if (row?.kind !== 'watch-chunk') throw new Error(`${packageId} is in no row`);
  const { version: _version, writer: _writer, ...item } = row;
  await bench.ledger.write(row, { ...item, packages: change(row) });
}

describe('a listing whose every page is as it was', () => {
  test('is not compared: two rows are read, and the answer is the same', async () => {
    const bench = await baselined(aWatch(), nine);

    const { keys, answer } = await readBy(bench, nine);

    expect(keys).toEqual(['watch#vendor', 'watch#vendor#pages']);
    expect(answer).toMatchObject({ summary: '9 packages, nothing changed', packages: 9, pages: 3 });
    expect(await bench.head()).toMatchObject({ packages: 9, walkedAt: '2026-11-20T22:30:00.000Z' });
  });

  test('is compared once a day all the same, so that no fault stays in what is known', async () => {
    const bench = await baselined(aWatch(), nine);
    await spoil(bench, 'p1', ({ packages: known }) => ({ ...known, p1: { name: 'p1', fields: { id: 'spoilt' } } }));

    const before = (await readBy(bench, nine)).chunks;
    bench.advance(23 * anHourMs);
    const later = (await readBy(bench, nine)).chunks;
    bench.advance(anHourMs);
    const aDayLater = (await readBy(bench, nine)).chunks;

    expect([before, later]).toEqual([0, 0]);
    expect(aDayLater).toBeGreaterThan(0);
    expect(bench.events).toMatchObject([{ count: 1, changes: [{ packageId: 'p1' }] }]);
  });

  test('is not taken for the same if it ends earlier, even if its pages say nothing of the next one', async () => {
    const bench = createPollBench();

    for (const last of [3, 3, 2, 2]) await bench.poll([], { deps: endingAt(last) });

    expect(bench.events).toMatchObject([{ count: 3 }]);
    expect([...knownIn(bench.ledger).keys()].toSorted()).toEqual(nine.slice(0, 6).map(({ id }) => id));
  });
});

describe('a page that differs', () => {
  test('is compared, and what the pages beside it list is neither lost nor news', async () => {
    const bench = await baselined(aWatch(), nine);

    await bench.poll(fifthUpdated);
    const { chunks } = await readBy(bench, fifthUpdated);

    expect(bench.events).toMatchObject([{ count: 1, changes: [{ packageId: 'p5', fields: ['availableUpdate'] }] }]);
    expect(knownIn(bench.ledger).size).toBe(9);
    expect(chunks).toBe(0);
  });

  test('does not put off the day on which every page is compared', async () => {
    const bench = await baselined(aWatch(), nine);
    const since = (await bench.head())?.pages?.since;

    await bench.poll(fifthUpdated);

    expect(await bench.head()).toMatchObject({ pages: { since } });
  });

  test('concludes nothing beside rows that are not what the last look left, and the next poll compares every page', async () => {
    const bench = await baselined(aWatch(), nine);
    await spoil(bench, 'p1', () => ({}));

    await expect(bench.poll(fifthUpdated)).rejects.toMatchObject({ code: 'KNOWN_PACKAGE_LOST' });
    const sent = bench.events.length;
    await bench.poll(fifthUpdated);

    expect(sent).toBe(0);
    expect(knownIn(bench.ledger).size).toBe(9);
  });
});

describe('no page is vouched for', () => {
  test('by a walk in which something is missing: the next one, though its every page is the same, counts it', async () => {
    const bench = await baselined(aWatch(), nine);
    const withoutLast = nine.slice(0, 8);

    await bench.poll(withoutLast);
    const { pages } = (await bench.head()) ?? {};
    await bench.poll(withoutLast);

    expect(pages).toBeUndefined();
    expect(bench.events).toMatchObject([{ changes: [{ kind: 'removed', packageId: 'p9' }] }]);
  });

  test('by it, so that a package that comes back is missing no more', async () => {
    const bench = await baselined(aWatch(), nine);

    for (const listed of [nine.slice(0, 8), nine, nine, nine.slice(0, 8), nine]) await bench.poll(listed);

    expect(bench.events).toEqual([]);
    expect([...knownIn(bench.ledger).values()].filter(({ missing }) => missing !== undefined)).toEqual([]);
  });

  test('by a walk that lists a package twice: one of its pages alone does not say what was seen last', async () => {
    const bench = await baselined(aWatch(), nine);
    const twice = [updated('p9'), ...nine];

    await bench.poll(twice);
    const { pages } = (await bench.head()) ?? {};
    // The later of its two places goes: what counts now is the other one.
    await bench.poll(twice.with(9, aPackage('p10')));

    expect(pages).toBeUndefined();
    expect(bench.events.flatMap(({ changes }) => changes)).toMatchObject(
      [{ kind: 'added' }, { packageId: 'p9' }].toReversed(),
    );
  });

  test('if a page has no digest', async () => {
    const bench = await baselined(aWatch(), nine);
    const listing: PollDeps['listing'] = async function* () {
      for await (const { packages: listed, next } of pagesFrom(nine, undefined)) yield { packages: listed, next };
    };

    await bench.poll([], { deps: { listing } });
    await bench.poll(fifthUpdated);

    expect(bench.events).toMatchObject([{ count: 1 }]);
  });

  test.each<[string, (row: WatchPagesRow) => WatchPagesRow]>([
    ['that are written again', (row) => row],
    ['whose fingerprints were made otherwise', (row) => ({ ...row, form: 0 })],
  ])('by pages %s', async (_what, rewritten) => {
    const bench = await baselined(aWatch(), nine);
    const row = await bench.ledger.read<WatchPagesRow>(ledgerKeys.watchPages('vendor'));
    if (row === undefined) throw new Error('the baseline left no pages');
    const { version: _version, writer: _writer, ...item } = row;
    await bench.ledger.write(row, rewritten(item));

    const { chunks } = await readBy(bench, nine);

    expect(chunks).toBeGreaterThan(0);
  });

  test('while a poll writes: a worker that dies there leaves a look at every page', async () => {
    const bench = await baselined(aWatch(), nine);

    // The lease, the pages forgotten, the set, and one row of fingerprints.
    await bench.pollAndCrash(fifthUpdated, { at: 4, when: 'after' });
    const { pages } = (await bench.head()) ?? {};
    bench.advance(120_000);
    await bench.poll(nine);

    expect(pages).toBeUndefined();
    // It was seen, and it is as before again: both are told.
    expect(bench.events.map(({ count }) => count)).toEqual([1]);
    expect(knownIn(bench.ledger).get('p5')).toEqual(knownIn((await baselined(aWatch(), nine)).ledger).get('p5'));
  });
});

describe('a walk that is cut off', () => {
  test('and finds every page as before goes on as if it had not been: nothing is compared', async () => {
    const bench = await baselined(aWatch(), nine);
    await readBy(bench, nine, timeFor(1));

    const { chunks, answer } = await readBy(bench, nine);

    expect(chunks).toBe(0);
    expect(answer).toMatchObject({ summary: '9 packages, nothing changed', pages: 3 });
    expect(await bench.head()).toHaveProperty('pages');
  });

  test('keeps of a page that is as before its ids alone, and misses none of them when a later page differs', async () => {
    const bench = await baselined(aWatch(), nine);
    await bench.poll(fifthUpdated, { deps: timeFor(1) });
    const saved = bench.ledger.all().flatMap((row) => (row.kind === 'watch-walk' ? Object.entries(row.packages) : []));

    await bench.poll(fifthUpdated);
    const { chunks } = await readBy(bench, fifthUpdated);

    expect(Object.fromEntries(saved)).toEqual({ p1: 'known', p2: 'known', p3: 'known' });
    expect(bench.events).toMatchObject([{ count: 1, changes: [{ packageId: 'p5' }] }]);
    expect(chunks).toBe(0);
  });

  test('begins again if what it saw as known is not what the last look knew', async () => {
    const bench = await baselined(aWatch(), nine);
    await bench.poll(nine, { deps: timeFor(1) });
    const row = await bench.ledger.read<WatchPagesRow>(ledgerKeys.watchPages('vendor'));
    if (row === undefined) throw new Error('the baseline left no pages');
    const { version: _version, writer: _writer, ...item } = row;
    await bench.ledger.write(row, item);

    const answer = await bench.poll(nine, { deps: timeFor(1) });

    expect(answer).toMatchObject({ pages: 1, isUnfinished: true });
  });
});

/**
 * It writes the rows of what it saw, and says in the head row when; everything else in there it
 * leaves as it is.
 */
async function oldLook(bench: Bench, packageId: string, change: Parameters<typeof spoil>[2]) {
  await spoil(bench, packageId, change);
  const head = await bench.ledger.read<WatchRow>(ledgerKeys.watch('vendor'));
  if (head === undefined) throw new Error('there is no head row');
  const { version: _version, writer: _writer, ...item } = head;
  await bench.ledger.write(head, { ...item, walkedAt: '2026-11-20T23:59:00.000Z' });
}

describe('a look of the version before, which knows nothing of pages', () => {
  test('ends what pages vouch for: a package that it missed and that is there again is missing again from the first', async () => {
    const bench = await baselined(aWatch(), nine);
    await bench.poll(nine);
    await oldLook(bench, 'p5', ({ packages: known }) => {
      const p5 = known['p5'];
      if (p5 === undefined) throw new Error('p5 is not known');
      return { ...known, p5: { ...p5, missing: 1 } };
    });

    await bench.poll(nine);
    await bench.poll(nine.toSpliced(4, 1));

    expect(bench.events).toEqual([]);
  });

  test('a change that it reported and that is undone since is reported', async () => {
    const bench = await baselined(aWatch(), nine);
    await bench.poll(nine);
    const other = fingerprintOf(updated('p5'));
    await oldLook(bench, 'p5', ({ packages: known }) => ({ ...known, p5: other }));

    await bench.poll(nine);

    expect(bench.events).toHaveLength(1);
  });
});
