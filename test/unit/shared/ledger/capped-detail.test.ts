import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cappedDetail, listedDetail } from '#shared/ledger/capped-detail.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

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
      { numRuns: propertyRuns(200), seed: 20_261_120 },
    );
  });

  it('keeps as much as fits', () => {
    expect(Buffer.byteLength(cappedDetail('🚀'.repeat(5000)))).toBeGreaterThan(maxBytes - 8);
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

  it('is empty where there is nothing to list', () => {
    expect(listedDetail([], 'problems')).toBe('');
  });
});
