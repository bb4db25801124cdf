import { describe, expect, test } from 'vitest';
import { ListingVanishedError } from '#functions/poll-scanner-packages/compare-packages.ts';
import type { ListedPackage } from '#functions/poll-scanner-packages/known-packages.ts';
import { aPackage, aWatch, baselined, packageRowsOf, packages } from './poll-bench.ts';

const updated = aPackage('p2', { availableUpdate: '2026-02' });

describe('a listing that cannot be believed', () => {
  test.each([
    ['more than half of ten are missing', packages(10), packages(4)],
    ['it is empty', packages(3), []],
  ])('is an error that changes nothing: %s', async (_, known, listed) => {
    const bench = await baselined(aWatch(), known);
    const before = packageRowsOf(bench.ledger);

    await expect(bench.poll(listed)).rejects.toBeInstanceOf(ListingVanishedError);
    await expect(bench.poll(listed)).rejects.toBeInstanceOf(ListingVanishedError);
    await bench.poll(known);

    expect(bench.events).toEqual([]);
    expect(packageRowsOf(bench.ledger)).toEqual(before);
  });

  test('half of ten may be removed', async () => {
    const bench = await baselined(aWatch(), packages(10));

    await bench.poll(packages(5));
    await bench.poll(packages(5));

    expect(bench.events[0]).toMatchObject({ count: 5 });
  });
});

async function* brokenAfterFirstPage(listed: readonly ListedPackage[]) {
  yield listed.slice(0, 3);
  throw new Error('page 2 was answered 503');
}

describe('a walk that does not end well', () => {
  test('lets its error escape and changes nothing', async () => {
    const bench = await baselined(aWatch(), packages(6));
    const before = packageRowsOf(bench.ledger);

    await expect(bench.poll(brokenAfterFirstPage([updated, ...packages(6)]))).rejects.toThrow('page 2');

    expect(packageRowsOf(bench.ledger)).toEqual(before);
    expect((await bench.head())?.walkedAt).toBe('2026-11-20T22:15:00.000Z');
  });
});
