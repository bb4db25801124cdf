import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAskDue } from '#functions/reconcile-ledger/ask-due.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const hourMs = 60 * 60_000;

test('at looks of any rhythm, silence is asked for once when its patience is over and at most once in six hours', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 12 * hourMs }),
      fc.array(fc.integer({ min: 1, max: 9 * hourMs }), { minLength: 1, maxLength: 60 }),
      (patienceMs, gapsMs) => {
        const since = new Date('2026-11-20T10:00:00.000Z');
        let last: Date | undefined;
        let asked = 0;
        for (const gapMs of gapsMs) {
          const now = new Date((last ?? since).getTime() + gapMs);
          if (isAskDue({ since, patienceMs }, last, now)) asked += 1;
          last = now;
        }

        const impatientMs = (last ?? since).getTime() - since.getTime() - patienceMs;
        const turns = impatientMs < 0 ? 0 : 1 + Math.floor(impatientMs / (6 * hourMs));
        expect(asked).toBeLessThanOrEqual(turns);
        expect(asked > 0).toBe(turns > 0);
      },
    ),
    { numRuns: propertyRuns() },
  );
});
