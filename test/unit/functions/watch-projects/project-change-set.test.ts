import { describe, expect, test } from 'vitest';
import { aConfig, anEntry, aWatch, baselined } from './project-bench.ts';

const updated = aConfig({ scanners: [anEntry('s1', { version: '2026-02' })] });
const hourMs = 3_600_000;

/**
 * A watch that has looked once, and whose project changes an hour after; `hours` count from that
 * look.
 */
async function changing() {
  const bench = await baselined(aWatch({ onChange: [] }));
  const looked = bench.now().getTime();
  bench.configure(updated);
  return { ...bench, hours: (count: number) => new Date(looked + count * hourMs) };
}

const notComparable = 'CampaignRunNotComparable';

describe('a run in flight while its project changed', () => {
  test('is told as not comparable, with the difference; its row is not touched', async () => {
    const bench = await changing();
    const campaignRunId = await bench.startRun('nightly', bench.hours(-2));
    const before = bench.ledger.all().find(({ kind }) => kind === 'run');

    const answer = await bench.tick();

    expect(bench.eventsOf(notComparable)).toEqual([
      {
        type: notComparable,
        eventId: `${bench.eventsOf('ProjectChanged')[0]?.eventId}:${campaignRunId}`,
        campaignRunId,
        run: 'nightly',
        startedAt: '2026-11-21T20:00:00.000Z',
        watch: 'projects.chat-app',
        project: { id: '019ba000-0000-7000-8000-000000000101', name: 'chat-app' },
        from: '2026-11-21T22:00:00.000Z',
        to: '2026-11-22T22:00:00.000Z',
        difference: ['scanners.s1.version: 2026-01 → 2026-02'],
      },
    ]);
    expect(answer).toMatchObject({
      notComparable: [campaignRunId],
      summary: expect.stringMatching(/not comparable: nightly$/),
    });
    expect(bench.logged).toContainEqual(expect.objectContaining({ level: 'warn', event: 'run_not_comparable' }));
    expect(bench.counted).toContainEqual({ metric: 'RunsNotComparable', value: 1 });
    expect(bench.ledger.all().find(({ kind }) => kind === 'run')).toEqual(before);
  });

  test('is known by the name, the id and the friendly id of the project', async () => {
    const bench = await changing();
    await bench.startRun('a', bench.hours(-2));
    await bench.startRun('b', bench.hours(-2));
    await bench.startRun('c', bench.hours(-2));

    await bench.tick({
      deps: { projectOfRun: { a: 'chat-app', b: '019ba000-0000-7000-8000-000000000101', c: 'Chat-App' } },
    });

    expect(bench.eventsOf(notComparable).map(({ run }) => run)).toEqual(['a', 'b']);
  });
});

describe('a run that began between the two looks', () => {
  test('after the change is comparable: the gateway shows that it began with what is now', async () => {
    const bench = await changing();
    await bench.startRun('nightly', bench.hours(3));

    await bench.tick();

    expect(bench.eventsOf('ProjectChanged')).toHaveLength(1);
    expect(bench.eventsOf(notComparable)).toEqual([]);
  });

  test.each([
    ['before the change', 0.5],
    ['so shortly after it that clocks that differ may hide it', 1.05],
  ])('%s is not', async (_, hours) => {
    const bench = await changing();
    await bench.startRun('nightly', bench.hours(hours));

    await bench.tick();

    expect(bench.eventsOf(notComparable)).toHaveLength(1);
  });

  test('is not either if the gateway takes no notice of configAt, whatever it answers', async () => {
    const bench = await changing();
    await bench.startRun('nightly', bench.hours(3));
    const { getProject } = bench.gateway;

    await bench.tick({ deps: { gateway: { ...bench.gateway, getProject: ({ project }) => getProject({ project }) } } });

    expect(bench.eventsOf(notComparable)).toHaveLength(1);
  });
});

describe('nothing is told of', () => {
  test.each([
    ['a run of another project', 'other', -2, {}],
    ['a run of a campaign that names none', 'unknown', -2, {}],
    ['a run that is to begin later', 'nightly', 30, {}],
    ['a run that was over before the last look', 'nightly', -12, { endsAt: '2026-11-21T20:00:00.000Z' }],
  ])('%s', async (_, run, startedHours, more) => {
    const bench = await changing();
    await bench.startRun(run, bench.hours(startedHours), more);

    await bench.tick();

    expect(bench.eventsOf('ProjectChanged')).toHaveLength(1);
    expect(bench.eventsOf(notComparable)).toEqual([]);
  });
});

test('more runs in flight than one page of the ledger are all looked at', async () => {
  const bench = await changing();
  const names = Array.from({ length: 150 }, (_, index) => `run-${String(index).padStart(3, '0')}`);
  for (const name of names) await bench.startRun(name, bench.hours(-2));

  await bench.tick({ deps: { projectOfRun: Object.fromEntries(names.map((name) => [name, 'chat-app'])) } });

  expect(bench.eventsOf(notComparable).map(({ run }) => run)).toEqual(names);
});
