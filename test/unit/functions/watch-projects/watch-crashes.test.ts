import { describe, expect, test } from 'vitest';
import { crashesUpTo } from '../poll-scanner-packages/poll-bench.ts';
import { aConfig, anEntry, aWatch, createProjectBench } from './project-bench.ts';

/**
 * More effects than a tick with two starts and two runs in flight makes. The last ones are best
 * effort, and a death there is none.
 */
const crashes = crashesUpTo(9);
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
