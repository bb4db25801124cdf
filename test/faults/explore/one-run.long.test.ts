import { describe, expect, it } from 'vitest';
import { type NamedScenario, report, search } from './search.ts';
import {
  arrivalsOf,
  commandOf,
  configOf,
  fates,
  type Kind,
  permutations,
  scenarioOf,
  tenOClock,
  tuples,
} from './scenarios.ts';

/*
 * Every history of three commands about one run whose id starts again and again. What is enumerated:
 *
 * - commands: each triple of start, stop by id and stop by name, issued three minutes apart, with one start or more; if it has two, also with an operator
 *   who overrides the overlap with the second;
 * - their order of arrival: all six; gaps of 20 ms (a PATCH is in the air), 70 s (a start is in doubt) and 7 minutes (it is not any more);
 * - one of the first four PATCHes: applied, or no answer (applied, not applied, applied up to 60 s later), 429, 422;
 * - a campaign that shows a count and names it in `confirm`, or that shows nothing;
 * - `stopAfter` of 30 minutes, or of 5, so that a planned stop is due while the next start comes; overlap `skip` or `stop-previous`;
 * - clocks: one of the three workers is 5 minutes ahead;
 * - death: one attempt dies before or behind any write or PATCH, and its request may still take effect;
 * - two faults in a row, also of a planned stop that a later stop takes over; each command, or each planned stop, delivered twice.
 *
 * Not all of it at once: each family below is complete in what it names. At the end each message comes once more, and nothing may change. `allow` is about
 * other runs, so it is in the search of two runs.
 */

const air = 20;
const soon = 20_000;
const doubt = 70_000;
const late = 420_000;
const allGaps = [
  [air, air],
  [air, late],
  [late, air],
  [doubt, doubt],
  [late, late],
];
const minuteMs = 60_000;

/** Triples of commands with a start among them. */
function triples(): Kind[][] {
  const plain = tuples<Kind>(['start', 'stop', 'stop by name'], 3).filter((kinds) => kinds.includes('start'));
  const overriding = plain
    .filter((kinds) => kinds.filter((kind) => kind === 'start').length > 1)
    .map((kinds) =>
      kinds.map((kind, place): Kind => (place === kinds.lastIndexOf('start') ? 'start, overriding' : kind)),
    );
  return [...plain, ...overriding];
}

/** What a family varies. */
interface Family {
  readonly gaps?: readonly (readonly number[])[];
  readonly readings?: readonly boolean[];
  readonly overlaps?: readonly ('skip' | 'stop-previous')[];
  readonly stopAfters?: readonly string[];
  readonly fast?: readonly number[];
  /** Each command comes once more, so much later. */
  readonly againMs?: number;
}

function* family(of: Family, more: Partial<Parameters<typeof scenarioOf>[0]>): Generator<NamedScenario> {
  const { gaps = allGaps, readings = [true, false], overlaps = ['skip'], stopAfters = ['PT30M'], fast = [-1] } = of;
  for (const kinds of triples()) {
    const commands = kinds.map((kind, place) => commandOf(kind, place * 3));
    const isSeveral = kinds.filter((kind) => kind.startsWith('start')).length > 1;
    for (const [order, gapsMs, isCounted, overlap, stopAfter, fastOne] of product(
      permutations(commands),
      gaps,
      readings,
      isSeveral ? overlaps : overlaps.slice(0, 1),
      stopAfters,
      fast,
    )) {
      const once = arrivalsOf(order, { firstMs: tenOClock + 6 * minuteMs, gapsMs, fast: fastOne });
      const arrivals =
        of.againMs === undefined
          ? once
          : [...once, ...once.map((one) => ({ ...one, atMs: one.atMs + (of.againMs ?? 0) }))];
      const about = { kinds, order: order.map(({ id }) => id), gapsMs, isCounted, overlap, stopAfter, fastOne };
      const config = configOf({ confirm: isCounted, overlap, stopAfter });
      yield { about, scenario: scenarioOf({ arrivals, config, isCounted, ...more }) };
    }
  }
}

function* product<A, B, C, D, E, F>(
  ...of: readonly [readonly A[], readonly B[], readonly C[], readonly D[], readonly E[], readonly F[]]
): Generator<[A, B, C, D, E, F]> {
  const [as, bs, cs, ds, es, fs] = of;
  for (const a of as)
    for (const b of bs)
      for (const c of cs) for (const d of ds) for (const e of es) for (const f of fs) yield [a, b, c, d, e, f];
}

const noAnswers = fates.slice(0, 3);

const families: readonly (readonly [string, () => Generator<NamedScenario>])[] = [
  [
    'any answer',
    () => family({ overlaps: ['skip', 'stop-previous'], stopAfters: ['PT5M', 'PT30M'] }, { mostFaults: 1 }),
  ],
  [
    'clocks 5 minutes apart',
    () =>
      family(
        {
          fast: [0, 1, 2],
          readings: [true],
          gaps: [
            [air, air],
            [doubt, doubt],
            [late, air],
          ],
        },
        { fates: noAnswers },
      ),
  ],
  [
    'a worker that dies',
    () =>
      family(
        {
          gaps: [
            [air, air],
            [doubt, late],
          ],
        },
        { mostFaults: 0, mostDeaths: 1 },
      ),
  ],
  ['two faults', () => family({ gaps: [[doubt, doubt]], readings: [true] }, { fates: noAnswers, mostFaults: 2 })],
  [
    'two faults while a planned stop is due',
    () =>
      family(
        {
          gaps: [
            [2 * minuteMs, soon],
            [soon, soon],
          ],
          readings: [true],
          stopAfters: ['PT1M', 'PT2M'],
        },
        { mostFaults: 2 },
      ),
  ],
  [
    'every command twice, later',
    () =>
      family(
        {
          gaps: [
            [air, air],
            [late, late],
          ],
          stopAfters: ['PT5M'],
          againMs: doubt,
        },
        {},
      ),
  ],
  [
    'every command twice, at once',
    () =>
      family(
        {
          gaps: [
            [air, air],
            [late, late],
          ],
          readings: [true],
          againMs: 7,
        },
        {},
      ),
  ],
  [
    'planned stops twice',
    () =>
      family(
        {
          gaps: [
            [air, late],
            [late, late],
          ],
          stopAfters: ['PT5M'],
        },
        { dueAgainMs: late },
      ),
  ],
];

describe('every history of three commands about one run keeps its promises', () => {
  it.each(families)('I2, I4, I5, I6, I7, I8, I9, I10: %s', { timeout: 3_600_000 }, async (name, scenarios) => {
    const { histories, faults } = await search(scenarios());

    report(name, histories);
    expect(faults).toEqual([]);
    expect(histories).toBeGreaterThan(50);
  });
});
