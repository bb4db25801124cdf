import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProjectChange } from '#shared/ledger/rows/watch-row.ts';
import { aConfig, anEntry, aWatch, type Crash, createProjectBench } from './project-bench.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

/**
 * More effects than a tick with two starts and two runs in flight makes. The last ones are best
 * effort, and a death there is none.
 */
const effects = Array.from({ length: 9 }, (_, index) => index + 1);
const crashes: readonly Crash[] = effects.flatMap((at) => [
  { at, when: 'before' as const },
  { at, when: 'after' as const },
]);
const rules = [
  { match: { field: 'scanners.*.version' }, start: 'smoke' },
  { match: { kind: 'added' as const }, start: 'nightly' },
];

describe('a tick that dies', () => {
  const changed = aConfig({ scanners: [anEntry('s1', { version: '2026-02' }), anEntry('s2')] });

  test.each(crashes)('$when effect $at starts each run once and tells each change and each run once', async (crash) => {
    const bench = createProjectBench(aWatch({ onChange: rules }));
    await bench.tick();
    await bench.startRun('nightly', bench.now());
    await bench.startRun('smoke', bench.now());
    bench.configure(changed);

    await bench.tickAndCrash(crash);
    await bench.tick();
    await bench.tick();

    expect(bench.startIds()).toHaveLength(2);
    const told = new Map(bench.events.map(({ eventId, ...detail }) => [eventId, detail]));
    expect([...told.values()].map(({ type }) => type).toSorted()).toEqual([
      'CampaignRunNotComparable',
      'CampaignRunNotComparable',
      'ProjectChanged',
    ]);
    for (const { eventId, ...detail } of bench.events) expect(detail).toEqual(told.get(eventId));
    expect((await bench.row())?.changeSet).toBeUndefined();
  });

  test('between noticing and sending is followed by a start that is still valid, and by a word on it in the answer', async () => {
    const bench = createProjectBench(aWatch({ onChange: rules }));
    await bench.tick();
    bench.configure(changed);
    await bench.tickAndCrash({ at: 1, when: 'after' });

    const answer = await bench.tick();

    expect(bench.commands.map(({ issuedAt }) => issuedAt)).toEqual(Array(2).fill(bench.now().toISOString()));
    expect(answer).toMatchObject({ changes: 2, starts: ['smoke', 'nightly'] });
  });

  test('leaves its set to the next one also at a closed gate', async () => {
    const bench = createProjectBench(aWatch({ onChange: rules }));
    await bench.tick();
    bench.configure(changed);
    await bench.tickAndCrash({ at: 1, when: 'after' });

    const closed = { waitMs: async () => 1000, failed: async () => {}, answered: async () => {} };
    const answer = await bench.tick({ deps: { gate: closed } });

    expect(answer.summary).toMatch(
      /^no worker calls the gateway at the moment; a later tick looks; from before: 2 changes/,
    );
    expect(bench.startIds()).toHaveLength(2);
  });
});

/**
 * What a day brings: the versions of three scanners grow, or they are not there; and where the tick
 * dies.
 */
const day = fc.record({
  scanners: fc.array(fc.constantFrom<'same' | 'newer' | 'gone'>('same', 'newer', 'gone'), {
    minLength: 3,
    maxLength: 3,
  }),
  crash: fc.option(
    fc.record({ at: fc.integer({ min: 1, max: 9 }), when: fc.constantFrom<Crash['when']>('before', 'after') }),
    { nil: undefined },
  ),
});

describe('any sequence of days and crashes', () => {
  test('tells a history that leads from the first configuration to the last, each change set once, with its own start', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(day, { maxLength: 8 }), async (days) => {
        const versions = new Map([0, 1, 2].map((id) => [`s${id}`, 1]));
        const isThere = new Map([0, 1, 2].map((id) => [`s${id}`, true]));
        const config = () =>
          aConfig({
            scanners: [...versions].flatMap(([id, version]) => (isThere.get(id) ? [anEntry(id, { version })] : [])),
          });
        const bench = createProjectBench(
          aWatch({ onChange: [{ match: { field: 'scanners.*' }, start: 'smoke' }] }),
          config(),
        );
        await bench.tick();

        for (const { scanners, crash } of days) {
          for (const [index, what] of scanners.entries()) {
            isThere.set(`s${index}`, what !== 'gone');
            if (what === 'newer') versions.set(`s${index}`, (versions.get(`s${index}`) ?? 0) + 1);
          }
          bench.configure(config());
          if (crash === undefined) await bench.tick();
          else await bench.tickAndCrash(crash);
        }
        await bench.tick();

        const sets = new Map(bench.events.map((event) => [event.eventId, event]));
        for (const event of bench.events) expect(event).toEqual(sets.get(event.eventId));
        const replayed = replay([...sets.values()].map(({ changes }) => changes as ProjectChange[]));
        const last = [...versions].filter(([id]) => isThere.get(id));
        expect([...replayed.keys()].toSorted()).toEqual(last.map(([id]) => id).toSorted());
        for (const [id, version] of last) expect(replayed.get(id) ?? String(version)).toBe(String(version));
        expect(bench.startIds().toSorted()).toEqual(
          [...sets.keys()].map((id) => `change:projects.chat-app:${id}:smoke`).toSorted(),
        );
      }),
      propertyRuns(300),
    );
  });
});

/**
 * The scanners after these change sets, with their versions as told; `undefined` if an addition
 * told none.
 */
function replay(sets: readonly (readonly ProjectChange[])[]): ReadonlyMap<string, string | undefined> {
  const scanners = new Map<string, string | undefined>([0, 1, 2].map((id) => [`s${id}`, '1']));
  for (const { kind, field, before, after } of sets.flat()) {
    const [, id = ''] = field.split('.');
    expect(scanners.has(id)).toBe(kind !== 'added');
    const last = scanners.get(id);
    expect(before === undefined || last === undefined || before === last).toBe(true);
    if (kind === 'removed') scanners.delete(id);
    else scanners.set(id, after);
  }
  return scanners;
}
