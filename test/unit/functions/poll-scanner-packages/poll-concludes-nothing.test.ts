import { describe, expect, test } from 'vitest';
import { ListingVanishedError } from '#functions/poll-scanner-packages/compare-packages.ts';
import { aWatch, baselined, packageRowsOf, packages } from './poll-bench.ts';

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
