/** A search of short histories of the filler with two faults. The long test beside it takes each without a fault. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../builders/property-runs.ts';
import { acts, begins, broken, faults, type History } from './histories.ts';

/** A start takes a run while a tick is about to cancel it. */
const startsDuringCancel: History = {
  before: 'all',
  first: 'drain',
  other: 'start',
  atEffect: 0,
  dies: false,
  faults: [],
};

test('no history of two at once, a death and two faults breaks a sentence of the design', async () => {
  const fault = fc.record({ request: fc.nat(6), what: fc.constantFrom(...Object.keys(faults)) });
  const histories = fc.record({
    before: fc.constantFrom(...begins),
    first: fc.constantFrom(...acts),
    other: fc.option(fc.constantFrom(...acts), { nil: undefined }),
    atEffect: fc.nat(6),
    dies: fc.boolean(),
    faults: fc.array(fault, { maxLength: 2 }),
  });

  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      expect(await broken(history)).toEqual([]);
    }),
    { ...propertyRuns(20), examples: [[startsDuringCancel]] },
  );
});
