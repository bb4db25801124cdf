import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { cappedDetail, listedDetail } from '#shared/ledger/rows/detail.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { type InFlight, newTargetRow, withRuns } from '#shared/ledger/rows/target-row.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { aRunInFlight } from '../../../builders/run-rows.ts';

test('every entry of every target is a run in flight, the oldest target first', async () => {
  const ledger = createMemoryLedger();
  const entries = ['first', 'second', 'third'].map((startId, hour) =>
    aRunInFlight({ startId, sentAt: `2026-11-20T2${hour}:00:00.000Z` }),
  );
  const [first, second, third] = entries as [InFlight, InFlight, InFlight];
  await ledger.write(undefined, withRuns(newTargetRow('later'), [third]));
  await ledger.write(undefined, withRuns(newTargetRow('earlier'), [second, first]));
  await ledger.write(undefined, newTargetRow('idle'));

  const found = await readRunsInFlight(ledger);

  expect(found.map(({ row, entry }) => [row.target, entry.startId])).toEqual([
    ['earlier', 'second'],
    ['earlier', 'first'],
    ['later', 'third'],
  ]);
});

const maxBytes = 2048;
const longText = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 2000 }))
  .map(([text, times]) => text.repeat(times));

describe('cappedDetail', () => {
  it.each(['', 'refused', 'ß'.repeat(1024), 'x'.repeat(2048)])('leaves a detail of up to 2 KB as it is', (text) => {
    expect(cappedDetail(text)).toBe(text);
  });

  it('never keeps more than 2 KB, cuts no character and says that it cut', () => {
    fc.assert(
      fc.property(longText, (text) => {
        const capped = cappedDetail(text);

        expect(Buffer.byteLength(capped)).toBeLessThanOrEqual(maxBytes);
        expect(capped === text || text.startsWith(capped.slice(0, -1))).toBe(true);
        expect(capped === text || (capped.endsWith('…') && capped.isWellFormed())).toBe(true);
      }),
      propertyRuns(60),
    );
  });
});

describe('listedDetail', () => {
  it('joins what fits', () => {
    expect(listedDetail(['a', 'b'], 'problems')).toBe('a; b');
  });

  it('counts what does not fit', () => {
    const detail = listedDetail(Array(100_000).fill('x'.repeat(98)), 'problems');

    expect(detail).toMatch(/^(x{98}; ){20}and 99980 more problems$/);
  });

  it('keeps the beginning of a first sentence that alone is too long', () => {
    const detail = listedDetail(['ß'.repeat(5000), 'b'], 'records');

    expect(Buffer.byteLength(detail)).toBeLessThanOrEqual(maxBytes);
    expect(detail).toMatch(/^ß+…; and 1 more records$/);
  });
});
