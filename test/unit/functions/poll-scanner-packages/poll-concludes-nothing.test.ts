import { describe, expect, test } from 'vitest';
import { ListingVanishedError } from '#functions/poll-scanner-packages/compare-packages.ts';
import type { ListedPackage } from '#functions/poll-scanner-packages/walk/walk.ts';
import { LeaseLostError } from '#functions/_watch/leased-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { WatchRow } from '#shared/ledger/rows/watch-row.ts';
import { aPackage, aWatch, baselined, inPages, packages } from './poll-bench.ts';

const updated = aPackage('p2', { availableUpdate: '2026-02' });
const withUpdate = [aPackage('p1'), updated, aPackage('p3')];

describe('a listing that cannot be believed', () => {
  test.each([
    ['more than half of ten are missing', packages(10), packages(4)],
    ['it is empty', packages(3), []],
  ])('is an error that changes nothing: %s', async (_, known, listed) => {
    const bench = await baselined(aWatch(), known);
    const before = structuredClone(bench.ledger.all().filter(({ kind }) => kind === 'watch-chunk'));

    await expect(bench.poll(listed)).rejects.toBeInstanceOf(ListingVanishedError);
    await expect(bench.poll(listed)).rejects.toBeInstanceOf(ListingVanishedError);
    await bench.poll(known);

    expect(bench.events).toEqual([]);
    expect(bench.ledger.all().filter(({ kind }) => kind === 'watch-chunk')).toEqual(before);
  });

  test('half of ten may be removed', async () => {
    const bench = await baselined(aWatch(), packages(10));

    await bench.poll(packages(5));
    await bench.poll(packages(5));

    expect(bench.events[0]).toMatchObject({ count: 5 });
  });
});

async function* brokenAfterFirstPage(listed: readonly ListedPackage[]) {
  for await (const page of inPages(listed)) {
    yield page;
    throw new Error('page 2 was answered 503');
  }
}

describe('a walk that does not end well', () => {
  test('lets its error escape, changes nothing and lets the next poll in at once', async () => {
    const bench = await baselined(aWatch(), packages(6));
    const before = structuredClone(bench.ledger.all().filter(({ kind }) => kind === 'watch-chunk'));

    await expect(bench.poll(brokenAfterFirstPage([updated, ...packages(6)]))).rejects.toThrow('page 2');

    expect(bench.ledger.all().filter(({ kind }) => kind === 'watch-chunk')).toEqual(before);
    expect((await bench.head())?.lease).toBeUndefined();
    expect((await bench.head())?.walkedAt).toBe('2026-11-20T22:15:00.000Z');
  });
});

describe('the lease', () => {
  test('keeps a second poll away while the first one works', async () => {
    const bench = await baselined();
    let second: ReturnType<typeof bench.poll> | undefined;
    async function* slowly() {
      yield packages(3);
      bench.advance(-15 * 60_000);
      second = bench.poll([...packages(3), aPackage('p9')]);
      await second;
    }

    await bench.poll(slowly());

    expect(await second).toMatchObject({ summary: expect.stringContaining('another poll of vendor is under way') });
    expect(bench.events).toEqual([]);
    expect(bench.logged.filter(({ event }) => event === 'packages_walked')).toHaveLength(2);
  });

  test('is renewed between the pages of a long walk', async () => {
    const bench = await baselined();
    let until: string | undefined;
    async function* slowly() {
      yield packages(3);
      bench.advance(60_000);
      yield [];
      until = (await bench.head())?.lease?.until;
    }

    await bench.poll(slowly());

    expect(until).toBe('2026-11-20T22:32:30.000Z');
  });

  test('lost to another poll ends this one before it sends anything', async () => {
    const bench = await baselined();
    async function* overtaken() {
      yield withUpdate;
      const head = await bench.head();
      const taken = { owner: 'other', until: '2026-11-20T23:00:00Z' };
      await bench.ledger.write<WatchRow>(head, {
        pk: ledgerKeys.watch('vendor'),
        kind: 'watch',
        name: 'vendor',
        filtersHash: head?.filtersHash ?? '',
        baselineAt: head?.baselineAt ?? '',
        lease: taken,
      });
    }

    await expect(bench.poll(overtaken())).rejects.toBeInstanceOf(LeaseLostError);

    expect(bench.commands).toEqual([]);
    expect((await bench.head())?.lease?.owner).toBe('other');
  });
});
