import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '#shared/gateway-client/failures/retry-after.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const now = Date.parse('2026-11-20T22:00:00Z');

describe('parseRetryAfter', () => {
  it.each([
    ['30', 30_000],
    [' 2 ', 2000],
    ['0', 1000],
    ['1.5', 1500],
    ['1000000000', 900_000],
    ['9'.repeat(400), 900_000],
    ['Fri, 20 Nov 2026 22:01:00 GMT', 60_000],
    ['Fri, 20 Nov 2026 21:00:00 GMT', 1000],
    ['Sun, 20 Nov 2033 22:00:00 GMT', 900_000],
    ['-1', undefined],
    ['soon', undefined],
    ['', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['2026-11-20', undefined],
    [undefined, undefined],
  ])('reads %o as %o', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  it('is total and stays between a second and a quarter of an hour', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.date().map(String), fc.integer().map(String)), (value) => {
        const delay = parseRetryAfter(value, now) ?? 1000;
        expect(delay >= 1000 && delay <= 900_000).toBe(true);
      }),
      { numRuns: propertyRuns(10_000) },
    );
  });
});
