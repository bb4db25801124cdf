import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { explainMove, type OwnStarts } from '#functions/watch-campaigns/notice-starts.ts';
import type { CampaignLookRow } from '#shared/ledger/rows/campaign-row.ts';
import { readStartsElsewhere, rememberStartsElsewhere } from '#shared/ledger/starts-elsewhere.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import {
  anEnded,
  aRun,
  aRunInDoubt,
  aStart,
  campaignId,
  createWatchBench,
  hour,
  minute,
  stopped,
} from './watch-bench.ts';

const startsElsewhere = 'CampaignStartedElsewhere';

/** A bench that has looked at the campaign once, at 22:01. */
async function baselined(options: Parameters<typeof createWatchBench>[0] = {}) {
  const bench = createWatchBench(options);
  await bench.tickFor(minute);
  return {
    ...bench,
    row: () => bench.ledger.read<CampaignLookRow>(ledgerKeys.campaignLook(campaignId)),
    elsewhere: () => bench.eventsOf(startsElsewhere),
  };
}

const otherRun = '019ba000-0000-7000-8000-000000000399';

/** An unconfigured run, started by an operator. */
function anUnconfiguredRun(): RunRow {
  return aRun({}, { campaignRunId: otherRun, run: undefined });
}

test('the first look is a baseline: what ran before is not told', async () => {
  const bench = await baselined();

  await bench.tickFor(30 * minute);

  expect(bench.elsewhere()).toEqual([]);
  expect(await bench.row()).toMatchObject({ reading: { runCount: 41 } });
});

test('a campaign without an awaited start is read every five minutes', async () => {
  const bench = await baselined();

  await bench.tickFor(30 * minute);

  expect(bench.asked).toHaveLength(1 + 6);
});

test('a start by hand is reported once, after a second look', async () => {
  const bench = await baselined();
  bench.show({ runCount: 42, lastRunAt: '2026-11-20T22:03:12.000Z', lastRun: otherRun });

  await bench.tickFor(5 * minute);
  expect(bench.elsewhere()).toEqual([]);
  expect(bench.linesOf('campaign_moved')).toHaveLength(1);
  await bench.tickFor(minute);
  const answer = await bench.tick();
  await bench.tickFor(hour);

  expect(bench.elsewhere()).toEqual([
    {
      type: startsElsewhere,
      eventId: `started-elsewhere:${campaignId}@2026-11-20T22:06:00.000Z`,
      campaignId,
      campaigns: ['chat-bot'],
      starts: 1,
      from: '2026-11-20T22:01:00.000Z',
      to: '2026-11-20T22:07:00.000Z',
      before: { runCount: 41, lastRunAt: '2026-11-19T22:00:04.118Z' },
      after: { runCount: 42, lastRunAt: '2026-11-20T22:03:12.000Z' },
      lastRun: otherRun,
    },
  ]);
  expect(bench.counted('StartsElsewhere')).toEqual([1]);
  expect(bench.linesOf('campaign_started_elsewhere')).toEqual([
    {
      level: 'warn',
      event: 'campaign_started_elsewhere',
      sentence: 'chat-bot was started, but not by this stage (1 since 2026-11-20T22:01:00.000Z)',
    },
  ]);
  expect(answer['elsewhere']).toEqual([]);
});

test('the tick that reports it says so', async () => {
  const bench = await baselined();
  bench.show({ runCount: 42 });
  await bench.tickFor(5 * minute);
  bench.passMs(minute);

  const answer = await bench.tick();

  expect(answer).toMatchObject({
    summary: 'no runs in flight, no stops due; chat-bot was started, but not by this stage',
    elsewhere: ['chat-bot'],
  });
});

test('each start by hand is one more', async () => {
  const bench = await baselined();
  for (const runCount of [42, 44]) {
    bench.show({ runCount });
    await bench.tickFor(10 * minute);
  }

  expect(bench.elsewhere().map(({ starts }) => starts)).toEqual([1, 2]);
  expect(new Set(bench.events.map(({ eventId }) => eventId)).size).toBe(2);
});

test('the last five reports stay in the ledger for the status, the newest first', async () => {
  const bench = await baselined();
  for (const runCount of [42, 43, 44, 45, 46, 48]) {
    bench.show({ runCount });
    await bench.tickFor(10 * minute);
  }

  const kept = await readStartsElsewhere(bench.ledger);

  expect(kept.map(({ starts }) => starts)).toEqual([2, 1, 1, 1, 1]);
  expect(kept[0]).toMatchObject({ campaignId, campaigns: ['chat-bot'] });
  expect(kept.map(({ to }) => to)).toEqual(
    kept
      .map(({ to }) => to)
      .toSorted()
      .toReversed(),
  );
});

test('campaigns that are reported at the same time are all kept, and the same report once', async () => {
  const { ledger } = await baselined();
  const reports = ['a', 'b', 'c'].map((id) => ({
    campaignId: id,
    campaigns: [id],
    starts: 1,
    from: '2026-11-20T22:01:00.000Z',
    to: '2026-11-20T22:07:00.000Z',
  }));

  await Promise.all(reports.map(async (report) => rememberStartsElsewhere(ledger, report)));
  await Promise.all(reports.map(async (report) => rememberStartsElsewhere(ledger, report)));

  const kept = await readStartsElsewhere(ledger);
  expect(kept.map(({ campaignId: id }) => id).toSorted()).toEqual(['a', 'b', 'c']);
});

test.each([
  ['when it is told', 0],
  ['when the run begins', 15 * minute],
  ['when the run ends', 8 * hour],
])('a gateway that counts a start of ours %s raises no alarm', async (_when, afterMs) => {
  const bench = await baselined();
  await bench.put(aRun());
  await bench.tickFor(afterMs);
  if (afterMs === 8 * hour) await bench.put(stopped(aRun()));
  bench.show({ runCount: 42, lastRunAt: '2026-11-20T22:01:00.000Z' });

  await bench.tickFor(hour);

  expect(bench.elsewhere()).toEqual([]);
});

test('a start by hand beside one of ours is noticed, also while ours runs', async () => {
  const bench = await baselined();
  await bench.put(aRun());
  bench.show({ runCount: 42 });
  await bench.tickFor(hour);
  bench.show({ runCount: 43 });

  await bench.tickFor(10 * minute);

  expect(bench.elsewhere()).toMatchObject([{ starts: 1, before: { runCount: 42 }, after: { runCount: 43 } }]);
});

test('a start of ours that was stopped between two looks raises no alarm', async () => {
  const bench = await baselined();
  await bench.put(stopped(aRun()));
  await bench.put(anEnded(aStart({ id: 'start-1' }), '2026-11-20T22:02:00.000Z'));
  bench.show({ runCount: 42 });

  await bench.tickFor(10 * minute);

  expect(bench.elsewhere()).toEqual([]);
});

test.each([
  ['that was in doubt and began', 'applied', undefined],
  ['that a later stop ended while it was in doubt', 'superseded', undefined],
  ['whose outcome is unknown', 'parked', 'START_OUTCOME_UNKNOWN'],
] as const)('a start of ours %s raises no alarm', async (_name, kind, reason) => {
  const bench = await baselined();
  const at = '2026-11-20T22:02:00.000Z';
  const outcome = { kind, at, ...(reason === undefined ? {} : { reason }) };
  await bench.put(
    anEnded(aStart({ id: 'start-1' }), at, {
      outcome,
      mayHaveRun: { from: '2026-11-20T22:00:00.000Z', until: at },
      openState: kind === 'parked' ? 'PARKED' : 'ENDED',
    }),
  );
  bench.show({ runCount: 42 });

  await bench.tickFor(10 * minute);

  expect(bench.elsewhere()).toEqual([]);
});

test('a start in doubt explains a move while it is in flight, and nothing once it was withdrawn', async () => {
  const bench = await baselined();
  const doubted = aRunInDoubt();
  await bench.put(doubted);
  await bench.tickFor(5 * minute);
  await bench.put(stopped(doubted));
  bench.show({ runCount: 42 });

  await bench.tickFor(10 * minute);

  expect(bench.elsewhere()).toMatchObject([{ starts: 1 }]);
});

test.each([
  ['skipped', aStart({ id: 'skipped-1' }), { kind: 'skipped' as const, reason: 'OVERLAP' as const }],
  ['stopped', aStart({ id: 'stop-1', action: 'stop' }), { kind: 'applied' as const }],
  ['was superseded before it was sent', aStart({ id: 'start-1' }), { kind: 'superseded' as const }],
  ['started in another campaign', aStart({ id: 'smoke-1', run: 'smoke' }), { kind: 'applied' as const }],
])('a command that %s explains nothing', async (_name, command, outcome) => {
  const bench = await baselined();
  const at = '2026-11-20T22:02:00.000Z';
  await bench.put(anEnded(command, at, { outcome: { ...outcome, at } }));
  bench.show({ runCount: 42 });
  const campaigns = [
    { campaignId, names: ['chat-bot'], runs: ['nightly'], target: 'chat-bot' },
    { campaignId: otherRun, names: ['chat-bot-smoke'], runs: ['smoke'], target: 'chat-bot-smoke' },
  ];

  await bench.tickFor(10 * minute, { config: { mode: 'act', campaigns } });

  expect(bench.elsewhere()).toMatchObject([{ starts: 1 }]);
});

test('an unconfigured run may be one of any campaign: no alarm for it', async () => {
  const bench = await baselined();
  await bench.put(anUnconfiguredRun());
  bench.show({ runCount: 42 });

  await bench.tickFor(10 * minute);

  expect(bench.elsewhere()).toEqual([]);
});

test('an alarm that the index came too late for is none: the second look finds the reason', async () => {
  const bench = await baselined();
  bench.show({ runCount: 42 });
  await bench.tickFor(5 * minute);
  await bench.put(aRun());

  await bench.tickFor(10 * minute);

  expect(bench.elsewhere()).toEqual([]);
  expect(await bench.row()).toMatchObject({ reading: { runCount: 42 }, ours: { 'start-1': { isCounted: true } } });
});

test('two ticks side by side are one look', async () => {
  const bench = await baselined();
  bench.show({ runCount: 42 });
  bench.passMs(5 * minute);

  await Promise.all([bench.tick(), bench.tick()]);
  expect(bench.elsewhere()).toEqual([]);
  bench.passMs(minute);
  await Promise.all([bench.tick(), bench.tick()]);
  await bench.tickFor(10 * minute);

  expect(new Set(bench.elsewhere().map(({ eventId }) => eventId)).size).toBe(1);
});

test('a tick that dies after its event sends it once more under the same id, however far the campaign has moved on', async () => {
  const bench = await baselined();
  bench.show({ runCount: 42 });
  await bench.tickFor(5 * minute);
  bench.passMs(minute);
  const dying: typeof bench.ledger = {
    ...bench.ledger,
    write: async (before, after) => {
      if (after.kind === 'campaign-look') throw new Error('killed');
      return bench.ledger.write(before, after);
    },
  };
  await expect(bench.tick({ ledger: dying })).rejects.toThrow('killed');
  bench.show({ runCount: 43 });

  await bench.tickFor(10 * minute);

  expect(bench.elsewhere().map(({ starts }) => starts)).toEqual([1, 2]);
  expect(new Set(bench.elsewhere().map(({ eventId }) => eventId)).size).toBe(1);
});

test('a gateway that shows no count is watched by the instant of the last run', async () => {
  const bench = createWatchBench();
  bench.show({ lastRunAt: '2026-11-19T22:00:00.000Z' });
  await bench.tickFor(minute);
  bench.show({ lastRunAt: '2026-11-20T22:03:00.000Z' });

  await bench.tickFor(10 * minute);

  expect(bench.eventsOf(startsElsewhere)).toMatchObject([
    { before: { lastRunAt: '2026-11-19T22:00:00.000Z' }, after: { lastRunAt: '2026-11-20T22:03:00.000Z' } },
  ]);
});

test('an outage of hours loses no start by hand, and invents none', async () => {
  const bench = await baselined();
  bench.failWith('lost');
  await bench.tickFor(3 * hour);
  await bench.put(aRun({ effectAt: '2026-11-21T00:30:00.000Z', until: '2026-11-21T08:30:00.000Z' }));
  bench.failWith(undefined);
  bench.show({ runCount: 43 });

  await bench.tickFor(10 * minute);

  expect(bench.elsewhere()).toMatchObject([{ starts: 1, from: '2026-11-20T22:01:00.000Z' }]);
});

test('a stage that observes starts nothing: whatever moves was started by another person', async () => {
  const bench = await baselined({ mode: 'observe' });
  await bench.put(aRun());
  await bench.put(anEnded(aStart({ id: 'start-1' }), '2026-11-20T22:02:00.000Z'));
  bench.show({ runCount: 42 });

  await bench.tickFor(10 * minute);

  expect(bench.elsewhere()).toMatchObject([{ starts: 1 }]);
});

test('a campaign that cannot be read keeps no other from being watched', async () => {
  const bench = createWatchBench();
  const missing = '019ba000-0000-7000-8000-0000000002aa';
  const config = {
    mode: 'act' as const,
    campaigns: [
      { campaignId: missing, names: ['gone'], runs: ['never'], target: 'gone' },
      { campaignId, names: ['chat-bot'], runs: ['nightly'], target: 'chat-bot' },
    ],
  };
  await bench.tickFor(minute, { config });
  bench.show({ runCount: 42 });

  await bench.tickFor(10 * minute, { config });
  const answer = await bench.tick({ config });

  expect(bench.eventsOf(startsElsewhere)).toHaveLength(1);
  expect(answer).toMatchObject({ unread: 1 });
  expect(bench.asked).toContain(missing);
});

const until = '2026-11-21T07:00:00.000Z';
const earlier = '2026-11-19T22:00:04.118Z';
const later = '2026-11-20T22:00:03.000Z';
const started: OwnStarts = { 'start-1': { until } };
const counted: OwnStarts = { 'start-1': { until, isCounted: true } };

test.each([
  ['nothing moved', { runCount: 41, lastRunAt: earlier }, { runCount: 41, lastRunAt: earlier }, {}, 0],
  ['one more run, and none was started here', { runCount: 41 }, { runCount: 42 }, {}, 1],
  ['one more run, ours', { runCount: 41 }, { runCount: 42 }, started, 0],
  ['two more runs, one of them ours', { runCount: 41 }, { runCount: 43 }, started, 1],
  ['one more run after ours was counted', { runCount: 42 }, { runCount: 43 }, counted, 1],
  ['the count was set back', { runCount: 41 }, { runCount: 0 }, {}, 0],
  ['a count that was not shown before', {}, { runCount: 41 }, {}, 0],
  ['a count that is not shown any more', { runCount: 41 }, {}, {}, 0],
  ['another instant, and no run was started here', { lastRunAt: earlier }, { lastRunAt: later }, {}, 1],
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
    propertyRuns(),
  );
});
