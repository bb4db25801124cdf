import { describe, expect, it } from 'vitest';
import type { ResolvedGuards } from '#shared/config/resolve/resolved-automation.ts';
import { type Arrival, type Fate, minuteMs, tenOClock } from './history.ts';
import { type NamedHistory, search } from './search.ts';
import { commandOf, configOf, forgedFor, type Kind, type World, worlds } from './worlds.ts';

/*
 * Every history of two or three commands about one run, at every gateway of `worlds.ts`. Each family below is complete in what it names; `npm test`
 * plays a part of each, `EXPLORE=all` all of it. At the end each message comes once more, and nothing may change.
 */

/** The rows of one command are read while those of the other are written. */
const between = 7;
/** A PATCH is in the air. */
const air = 20;
const doubt = 70_000;
const late = 7 * minuteMs;
const gapsOf = {
  2: [[between], [air], [doubt], [late]],
  3: [
    [air, air],
    [air, late],
    [late, air],
    [doubt, doubt],
  ],
};

const noAnswers: readonly Fate[] = ['applied, no answer', 'not applied, no answer', 'late, no answer'];
const answers: readonly Fate[] = [...noAnswers, 'applied, edge 530', 'edge 409', 'not sent', 429, 'names a field'];

/** The orders of so many things. */
function permutations<Value>(values: readonly Value[]): Value[][] {
  if (values.length <= 1) return [[...values]];
  return values.flatMap((one, index) =>
    permutations([...values.slice(0, index), ...values.slice(index + 1)]).map((rest) => [one, ...rest]),
  );
}

/** All tuples of so many of these. */
function tuples<Value>(values: readonly Value[], length: number): Value[][] {
  if (length === 0) return [[]];
  return tuples(values, length - 1).flatMap((rest) => values.map((one) => [...rest, one]));
}

/** What a family varies. */
interface Family {
  readonly count: 2 | 3;
  readonly kinds?: readonly Kind[];
  readonly overlaps?: readonly ResolvedGuards['overlap'][];
  readonly stopAfters?: readonly string[];
  readonly guards?: Partial<ResolvedGuards>;
  readonly worlds?: readonly World[];
  readonly skewsMs?: readonly number[];
  readonly copiesMs?: readonly number[];
  readonly isForged?: true;
  readonly more?: Partial<NamedHistory['history']>;
}

function* family(
  of: Family,
  chance: Pick<NamedHistory, 'fates' | 'mostFaults' | 'mostDeaths'>,
): Generator<NamedHistory> {
  const {
    count,
    kinds = ['start', 'stop', 'stop by name'],
    overlaps = ['skip'],
    stopAfters = ['PT30M'],
    skewsMs = [0],
  } = of;
  for (const world of of.worlds ?? worlds)
    for (const { order, some } of ordersOf(kinds, count))
      for (const gapsMs of gapsOf[count])
        for (const [overlap, stopAfter, skewMs] of product(overlaps, stopAfters, skewsMs)) {
          const arrivals = arrivalsOf(order, gapsMs, { skewMs, copiesMs: of.copiesMs });
          const config = configOf(world, { guards: { overlap, ...of.guards }, stopAfter });
          const ids = order.map(({ id }) => id);
          const about = { world: world.name, order: ids, some, gapsMs, overlap, stopAfter, skewMs };
          const forged = of.isForged && forgedFor(order.filter(({ action }) => action === 'start'));
          yield { about, history: { arrivals, config, kind: world.kind, forged, ...of.more }, ...chance };
        }
}

/** Commands with a start among them, in every order of arrival. */
function ordersOf(kinds: readonly Kind[], count: number) {
  const some = tuples(kinds, count).filter((all) => all.some((kind) => kind.startsWith('start')));
  return some.flatMap((all) => {
    const commands = all.map((kind, place) => commandOf(kind, place * 3));
    return permutations(commands).map((order) => ({ order, some: all }));
  });
}

function product<A, B, C>(as: readonly A[], bs: readonly B[], cs: readonly C[]): (readonly [A, B, C])[] {
  return as.flatMap((a) => bs.flatMap((b) => cs.map((c) => [a, b, c] as const)));
}

/** The first arrives six minutes after ten, so that every order of arrival is possible. */
function arrivalsOf(
  order: readonly Arrival['command'][],
  gapsMs: readonly number[],
  { skewMs, copiesMs }: Pick<Arrival, 'skewMs' | 'copiesMs'>,
): readonly Arrival[] {
  let atMs = tenOClock + 6 * minuteMs;
  return order.map((command, place) => {
    atMs += place === 0 ? 0 : (gapsMs[place - 1] ?? 0);
    // Every second worker has the other clock.
    return { command, atMs, copiesMs, skewMs: place % 2 === 0 ? skewMs : -(skewMs ?? 0) };
  });
}

const plain = { mostFaults: 1, mostDeaths: 0 };

const families: readonly (readonly [string, () => Generator<NamedHistory>])[] = [
  [
    'any answer',
    () =>
      family(
        { count: 3, overlaps: ['skip', 'stop-previous', 'allow'], stopAfters: ['PT5M', 'PT30M'] },
        { fates: answers, ...plain },
      ),
  ],
  [
    'two answers that are lost',
    () => family({ count: 2, stopAfters: ['PT5M', 'PT30M'] }, { fates: noAnswers, mostFaults: 2, mostDeaths: 0 }),
  ],
  [
    'workers whose clocks differ by a minute',
    () => family({ count: 2, skewsMs: [30_000, -30_000], stopAfters: ['PT5M'] }, { fates: answers, ...plain }),
  ],
  [
    'a worker that dies anywhere',
    () => family({ count: 2, overlaps: ['skip', 'stop-previous'] }, { fates: noAnswers, mostFaults: 0, mostDeaths: 1 }),
  ],
  [
    'a death and a lost answer',
    () => family({ count: 2, stopAfters: ['PT5M'] }, { fates: noAnswers, mostFaults: 1, mostDeaths: 1 }),
  ],
  [
    'every message twice',
    () =>
      family(
        { count: 2, copiesMs: [10], overlaps: ['stop-previous'], stopAfters: ['PT5M'], more: { dueAgainMs: 10 } },
        { fates: noAnswers, ...plain },
      ),
  ],
  [
    'gap and budget',
    () =>
      family(
        {
          count: 2,
          kinds: ['start', 'stop by name'],
          guards: { minimumGap: 'PT20M', startsPerMonth: 1 },
          worlds: worlds.filter(({ isReadable }) => isReadable),
        },
        { fates: answers, ...plain },
      ),
  ],
  [
    'an operator who overrides',
    () => family({ count: 2, kinds: ['start', 'start, overriding', 'stop by name'] }, { fates: noAnswers, ...plain }),
  ],
  [
    'one that may only send, and knows every id',
    () =>
      family(
        {
          count: 2,
          kinds: ['start of a schedule', 'start', 'stop by name'],
          overlaps: ['skip', 'stop-previous'],
          stopAfters: ['PT5M', 'PT30M'],
          isForged: true,
        },
        { fates: noAnswers, ...plain },
      ),
  ],
  [
    'a freeze in between',
    () => family({ count: 2, more: { frozen: { from: 6.5, lasts: 30 } } }, { fates: noAnswers, ...plain }),
  ],
];

/** Of the histories of a family, `npm test` plays one in so many: primes, so that no dimension is left out. */
const everyOf: Readonly<Record<string, number>> = { 'any answer': 5849, 'gap and budget': 193 };

describe('no history of two or three commands breaks a promise', () => {
  it.each(families)('I1 to I10: %s', { timeout: 3_600_000 }, async (name, histories) => {
    const { histories: played, faults } = await search(histories(), everyOf[name] ?? 571);

    if (process.env['EXPLORE'] === 'all') process.stdout.write(`${name}: ${played} histories\n`);
    expect(played).toBeGreaterThan(0);
    expect(faults.join('\n\n')).toBe('');
  });
});
