import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { explainMove, type OwnStarts } from '#functions/watch-campaigns/explain-move.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const until = '2026-11-21T07:00:00.000Z';
const earlier = '2026-11-19T22:00:04.118Z';
const later = '2026-11-20T22:00:03.000Z';
const started: OwnStarts = { 'start-1': { until } };
const counted: OwnStarts = { 'start-1': { until, isCounted: true } };

test.each([
  ['nothing moved', { runCount: 41, lastRunAt: earlier }, { runCount: 41, lastRunAt: earlier }, {}, 0],
  ['one more run, and nobody here started one', { runCount: 41 }, { runCount: 42 }, {}, 1],
  ['one more run, ours', { runCount: 41 }, { runCount: 42 }, started, 0],
  ['two more runs, one of them ours', { runCount: 41 }, { runCount: 43 }, started, 1],
  ['one more run after ours was counted', { runCount: 42 }, { runCount: 43 }, counted, 1],
  ['the count was set back', { runCount: 41 }, { runCount: 0 }, {}, 0],
  ['a count that was not shown before', {}, { runCount: 41 }, {}, 0],
  ['a count that is not shown any more', { runCount: 41 }, {}, {}, 0],
  ['another instant, and nobody here started a run', { lastRunAt: earlier }, { lastRunAt: later }, {}, 1],
  ['the first instant ever', {}, { lastRunAt: later }, {}, 1],
  ['an instant that is not shown any more', { lastRunAt: earlier }, {}, {}, 0],
  ['another instant, ours', { lastRunAt: earlier }, { lastRunAt: later }, started, 0],
  [
    'another instant after ours was counted: it may be the end of ours',
    { runCount: 42, lastRunAt: earlier },
    { runCount: 42, lastRunAt: later },
    counted,
    0,
  ],
  [
    'another instant beside one more run of ours',
    { runCount: 41, lastRunAt: earlier },
    { runCount: 42, lastRunAt: later },
    started,
    0,
  ],
])('%s', (...[_name, before, after, ours, elsewhere]) => {
  expect(explainMove(before, after, ours).elsewhere).toBe(elsewhere);
});

test('however the runs show, in any steps: as many starts are elsewhere as there are runs that are not ours', () => {
  const history = fc.record({ ours: fc.nat(8), theirs: fc.nat(8), steps: fc.array(fc.nat(4), { maxLength: 20 }) });
  fc.assert(
    fc.property(history, ({ ours, theirs, steps }) => {
      let known: OwnStarts = Object.fromEntries(Array.from({ length: ours }, (_, n) => [`start-${n}`, { until }]));
      let shown = 0;
      let elsewhere = 0;
      for (const step of [...steps, Infinity]) {
        const runCount = Math.min(shown + step, ours + theirs);
        const move = explainMove({ runCount: shown }, { runCount }, known);
        known = move.ours;
        elsewhere += move.elsewhere;
        shown = runCount;
      }
      expect(elsewhere).toBe(theirs);
    }),
    { numRuns: propertyRuns() },
  );
});
