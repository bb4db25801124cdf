import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ListingVanishedError } from '#functions/poll-scanner-packages/compare-packages.ts';
import { fingerprintOf } from '#functions/poll-scanner-packages/known-packages.ts';
import type { PackageChange } from '#shared/ledger/rows/watch-row.ts';
import { aPackage, aWatch, type Crash, crashesUpTo, createPollBench, knownIn, packages } from './poll-bench.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

/** The transaction, two starts, the event, the set dropped, the list of outcomes; and one more. */
const crashes = crashesUpTo(7);

describe('a poll that dies', () => {
  const changed = packages(8).map((listed) => ({ ...listed, availableUpdate: '2026-02' }));
  const rules = [
    { match: { field: 'availableUpdate' }, start: 'smoke' },
    { match: { id: 'p1' }, start: 'nightly' },
  ];

  test.each(crashes)('$when effect $at starts each run once and reports each change once', async (crash) => {
    const bench = createPollBench(aWatch({ onChange: rules }));
    await bench.poll(packages(8));

    await bench.pollAndCrash(changed, crash);
    await bench.poll(changed);
    await bench.poll(changed);

    expect(bench.startIds()).toHaveLength(2);
    expect(bench.eventIds()).toHaveLength(1);
    expect(bench.events[0]).toMatchObject({ count: 8, starts: ['smoke', 'nightly'] });
    expect((await bench.head())?.changeSet).toBeUndefined();
  });
});

/**
 * One look: how far the version of each package has grown (0: the package is not there), and where
 * the poll dies.
 */
const look = fc.record({
  grows: fc.array(fc.constantFrom<'same' | 'newer' | 'gone'>('same', 'same', 'same', 'newer', 'gone'), {
    minLength: 6,
    maxLength: 6,
  }),
  crash: fc.option(
    fc.record({ at: fc.integer({ min: 1, max: 6 }), when: fc.constantFrom<Crash['when']>('before', 'after') }),
    { nil: undefined },
  ),
});

/** One package of the listings, with how often it grew and was absent. */
interface Grown {
  version: number;
  newer: number;
  absent: number;
  isThere: boolean;
}

function grow(one: Grown, what: 'same' | 'newer' | 'gone'): void {
  one.isThere = what !== 'gone';
  if (what === 'gone') one.absent += 1;
  if (what !== 'newer') return;
  one.version += 1;
  one.newer += 1;
}

/** The sets tell no change of a package twice, and lose none of one that stayed known. */
function checkReported(
  packageId: string,
  { newer, absent }: Pick<Grown, 'newer' | 'absent'>,
  sets: readonly { readonly [field: string]: unknown }[],
): void {
  const changesIn = (changes: unknown, kind: PackageChange['kind']) =>
    (changes as PackageChange[]).filter((change) => change.packageId === packageId && change.kind === kind).length;
  const count = (kind: PackageChange['kind']) => sets.reduce((sum, set) => sum + changesIn(set['changes'], kind), 0);
  const isKnownThroughout = count('removed') === 0;

  expect(count('changed')).toBeLessThanOrEqual(newer);
  expect(count('removed')).toBeLessThanOrEqual(Math.floor(absent / 2));
  expect(count('changed') > 0 || newer === 0 || !isKnownThroughout).toBe(true);
  // A set that holds both may stand for each of them twice: it names a package and a kind once.
  const both = sets.filter(
    (set) => changesIn(set['changes'], 'added') > 0 && changesIn(set['changes'], 'removed') > 0,
  ).length;
  expect(count('added')).toBeLessThanOrEqual(count('removed') + both);
}

/** Sent at once, by the second look after the last change, by the third. */
const settle = fc.constantFrom({}, { settle: 'PT10M' }, { settle: 'PT20M' });

describe('any sequence of listings and crashes', () => {
  test('gives each set its own start, loses no change and reports none twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(look, { maxLength: 8 }), settle, async (looks, waits) => {
        const onChange = [{ match: { field: 'version' }, start: 'smoke' }];
        const bench = createPollBench(aWatch({ onChange, ...waits }));
        const all: Grown[] = Array.from({ length: 6 }, () => ({ version: 1, newer: 0, absent: 0, isThere: true }));
        const listing = () =>
          all.flatMap(({ version, isThere }, index) => (isThere ? [aPackage(`p${index}`, { version })] : []));
        await bench.poll(listing());

        for (const { grows, crash } of looks) {
          for (const [index, one] of all.entries()) grow(one, grows[index] ?? 'same');
          await bench.poll(listing(), crash === undefined ? {} : { crash }).catch((error: unknown) => {
            if (crash === undefined && !(error instanceof ListingVanishedError)) throw error;
          });
        }
        for (const one of all) one.isThere = true;
        // The second finds nothing more; the third comes when it has been quiet for long enough.
        for (let poll = 1; poll <= 3; poll += 1) await bench.poll(listing());

        expect(await knownIn(bench.ledger)).toEqual(
          new Map(listing().map((listed) => [listed.id, fingerprintOf(listed)])),
        );
        const sets = new Map(bench.events.map((event) => [event.eventId, event]));
        for (const event of bench.events) expect(event).toEqual(sets.get(event.eventId));
        for (const [index, one] of all.entries()) checkReported(`p${index}`, one, [...sets.values()]);
        const startsWanted = [...sets.values()]
          .filter(({ changes }) => (changes as PackageChange[]).some(({ fields }) => fields.includes('version')))
          .map(({ eventId }) => `change:vendor:${eventId}:smoke`);
        expect(bench.startIds().toSorted()).toEqual(startsWanted.toSorted());
      }),
      propertyRuns(60),
    );
  });
});
