import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOffMs, laterDelayMs } from '#shared/gateway-client/index.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

describe('backOffMs', () => {
  it('spreads over 100 to 400 ms, then over 100 to 800 ms', () => {
    expect([backOffMs(1, () => 0), backOffMs(1, () => 1)]).toEqual([100, 400]);
    expect([backOffMs(2, () => 0), backOffMs(2, () => 1)]).toEqual([100, 800]);
  });

  it('stays between 100 and 800 ms whatever it is given', () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), (attempt, random) => {
        const delay = backOffMs(attempt, () => random);
        expect(delay >= 100 && delay <= 800).toBe(true);
      }),
      { numRuns: propertyRuns(10_000) },
    );
  });
});

describe('laterDelayMs', () => {
  it('doubles from 30 s to an hour', () => {
    const delays = [1, 2, 3, 7, 8, 1000].map((count) => laterDelayMs(count, () => 1));

    expect(delays).toEqual([30_000, 60_000, 120_000, 1_920_000, 3_600_000, 3_600_000]);
  });

  it('takes between a half and the whole of it', () => {
    expect(laterDelayMs(1, () => 0)).toBe(15_000);
  });

  it('stays between 15 s and an hour whatever it is given', () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), (count, random) => {
        const delay = laterDelayMs(count, () => random);
        expect(delay >= 15_000 && delay <= 3_600_000).toBe(true);
      }),
      { numRuns: propertyRuns(10_000) },
    );
  });
});
