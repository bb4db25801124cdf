import { expect, test } from 'vitest';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunEndsRow } from '#shared/ledger/results/run-ends-row.ts';
import type { RunReadingsRow } from '#shared/ledger/rows/run-reading.ts';
import type { IdRow } from '#shared/ledger/rows/run-row.ts';
import { type InFlight, type TargetRow, withStopped } from '#shared/ledger/rows/target-row.ts';
import { aRunInFlight, commandRow, idRow, runCommand, targetRow } from '../../../builders/run-rows.ts';
import { createWatchBench, hour, minute, outcomeAt, runId } from './watch-bench.ts';

const other = '019ba000-0000-7000-8000-000000000302';
const applied = { ...outcomeAt('2026-11-20T22:00:00.000Z'), request: { id: 'attempt-1', tries: 1 } };

/** A run that was started at ten, with the rows that its start left. */
async function benchWith(
  fields: Partial<InFlight> = {},
  options: Parameters<typeof createWatchBench>[0] & { readonly start?: Partial<CommandRow> } = {},
) {
  const { start = applied, readsRuns = true, ...rest } = options;
  const bench = createWatchBench({ readsRuns, ...rest });
  await bench.put(idRow());
  await bench.put(commandRow(undefined, start));
  await bench.put(targetRow(aRunInFlight({ campaignId: undefined, ...fields })));
  return {
    ...bench,
    shown: async () => (await bench.ledger.read<ConfirmationRow>(ledgerKeys.confirmation(runId)))?.shown,
    endedBy: async () => (await bench.ledger.read<IdRow>(ledgerKeys.runId(runId)))?.end?.by,
  };
}

const complete = { status: 'complete', progress: 1180, total: 1180, CASIScore: 87, providerErrors: {} };

test('a run that has ended by itself frees its target, and its planned stop is never sent', async () => {
  const bench = await benchWith();
  bench.showRun({ status: 'in_progress', progress: 12, total: 1180 });
  await bench.tickFor(minute);
  expect(await bench.inFlight()).toHaveLength(1);
  bench.showRun(complete);

  await bench.tickFor(9 * hour);

  expect(await bench.inFlight()).toEqual([]);
  expect(await bench.endedBy()).toBe('itself');
  expect(bench.sent).toEqual([]);
  expect(await bench.shown()).toMatchObject({ status: 'complete', at: '2026-11-20T22:02:00.000Z', score: 87 });
  expect(bench.linesOf('run_ended')).toMatchObject([
    { sentence: `${runId} of nightly: complete after 2 min, 1,180 of 1,180, score 87` },
  ]);
  expect(bench.readRuns).toHaveLength(2);
});

test('a run that has ended is an event, once', async () => {
  const bench = await benchWith();
  bench.showRun(complete);

  await bench.tickFor(10 * minute);

  expect(bench.eventsOf('CampaignRunEnded')).toMatchObject([
    { eventId: 'ended:start-1', run: 'nightly', status: 'complete', startAt: '2026-11-20T22:00:00.000Z' },
  ]);
});

test('a tick that dies after the event of an end sends it once more, under the same id', async () => {
  const bench = await benchWith();
  bench.showRun(complete);
  const dying = { ...bench.ledger, writeAll: async () => Promise.reject(new Error('killed')) };

  await expect(bench.tick({ ledger: dying })).rejects.toThrow('killed');
  await bench.tick();

  expect(bench.eventsOf('CampaignRunEnded').map(({ eventId }) => eventId)).toEqual(['ended:start-1', 'ended:start-1']);
  expect(await bench.inFlight()).toEqual([]);
});

const failing = { p1: { providerName: 'gpt-west', errorCount: 1180, totalPrompts: 1180, providerFailed: true } };
const limping = { p1: { providerName: 'gpt-west', errorCount: 3, totalPrompts: 1180, providerFailed: false } };

test.each([
  [{ status: 'error', providerErrors: failing }, 'error', 'nightly: error after 1 min, gpt-west failed (1180)'],
  [{ status: 'complete', providerErrors: failing }, 'error', 'nightly: complete after 1 min, gpt-west failed (1180)'],
  [{ status: 'schedule_error' }, 'error', 'nightly: schedule error after 1 min'],
  [{ status: 'complete', providerErrors: limping }, 'warn', 'nightly: complete after 1 min, gpt-west had errors (3)'],
  [{ status: 'complete' }, 'info', 'nightly: complete after 1 min'],
])(
  'a run that failed rings, one with errors is a warning, and none is in flight any more: %o',
  async (shown, level, says) => {
    const bench = await benchWith();
    bench.showRun(shown);

    await bench.tickFor(minute);

    expect(bench.linesOf('run_ended')).toMatchObject([{ level, sentence: `${runId} of ${says}` }]);
    expect(await bench.inFlight()).toEqual([]);
    expect(bench.counted('RunsFailed')).toEqual(level === 'error' ? [1] : []);
    expect(bench.eventsOf('CampaignRunEnded').map(({ errors }) => errors)).toEqual([level === 'warn' ? 3 : undefined]);
  },
);

test('a run that a stop ended names the stop', async () => {
  const bench = await benchWith({ state: 'stopping', orderedBy: 'by-hand' });
  bench.showRun({ status: 'cancelled' });

  await bench.tickFor(minute);

  expect(await bench.endedBy()).toBe('by-hand');
  expect(await bench.inFlight()).toEqual([]);
});

test('a tick with a run that goes on costs these calls of the ledger, with scores to judge or without', async () => {
  const ofRun = { nightly: { watches: ['vendor'], score: { atLeast: 80 } } };
  const costs = await Promise.all(
    [undefined, { digest: 'first', ofRun }].map(async (results) => {
      const bench = await benchWith({}, { results });
      bench.showRun({ status: 'in_progress' });
      await bench.tickFor(minute);
      const calls: string[] = [];
      const { ledger } = bench;
      const counted: Ledger = {
        ...ledger,
        listOpen: async (...asked) => (calls.push('listOpen'), ledger.listOpen(...asked)),
        read: async (pk) => (calls.push('read'), ledger.read(pk)),
        readMany: async (pks) => (calls.push('readMany'), ledger.readMany(pks)),
        write: async (...change) => (calls.push('write'), ledger.write(...change)),
        writeAll: async (changes) => (calls.push('writeAll'), ledger.writeAll(changes)),
      };
      await bench.tickFor(minute, { ledger: counted });
      return calls.toSorted().join(' ');
    }),
  );

  expect(costs).toEqual([costs[0], costs[0]]);
  expect(costs[0]).toBe('listOpen listOpen listOpen listOpen read read read readMany readMany readMany writeAll');
});

/** A run that a stop has just ended. */
async function benchOfStopped(fields: Partial<InFlight> = {}) {
  const bench = await benchWith();
  const stopped = { ...aRunInFlight({ campaignId: undefined, ...fields }), stoppedAt: bench.now().toISOString() };
  await bench.put(withStopped(targetRow(), [stopped]));
  return {
    ...bench,
    ends: async () => (await bench.ledger.read<RunEndsRow>(ledgerKeys.runEnds('nightly')))?.ends,
    isLeft: async () => {
      const row = await bench.ledger.read<TargetRow>(ledgerKeys.target('chat-bot'));
      return row?.stopped !== undefined || row?.openState !== undefined;
    },
  };
}

test.each([
  [
    { status: 'cancelled', progress: 610, total: 1180 },
    { state: 'stopped', progress: 610, total: 1180 },
  ],
  [complete, { state: 'complete', score: 87 }],
])('a run that was stopped is read until it has ended, for what it came to: %o', async (shown, end) => {
  const bench = await benchOfStopped();
  bench.showRun({ status: 'cancelling' });
  await bench.tickFor(minute);
  expect(await bench.isLeft()).toBe(true);
  bench.showRun(shown);

  await bench.tickFor(9 * minute);

  expect(await bench.ends()).toMatchObject([end]);
  expect(await bench.isLeft()).toBe(false);
  expect(bench.readRuns).toHaveLength(2);
  expect(bench.eventsOf('CampaignRunEnded')).toHaveLength(1);
});

test.each([
  ['that cannot be read', {}, 59],
  ['before its startAt', { startId: 'none', due: '2026-11-20T22:15:00.000Z' }, 0],
])('a run that was stopped %s is forgotten within the hour', async (_, fields, reads) => {
  const bench = await benchOfStopped(fields);
  bench.showRun(500);

  await bench.tickFor(hour + minute);

  expect(await bench.ends()).toBeUndefined();
  expect(await bench.isLeft()).toBe(false);
  expect(bench.readRuns).toHaveLength(reads);
});

test('a run is read each minute for ten minutes from its startAt on, and then each five', async () => {
  const bench = await benchWith({ due: '2026-11-20T22:02:00.000Z' });
  bench.showRun({ status: 'in_progress' });

  await bench.tickFor(32 * minute); // 22:02 to 22:12, then 22:17, 22:22, 22:27, 22:32

  expect(bench.readRuns).toHaveLength(15);
});

test('two runs of a name that end in one minute are both taken out, and each has an end of its own', async () => {
  const bench = await benchWith();
  await bench.put(commandRow(runCommand({ id: 'start-2' }), applied));
  await bench.put(targetRow(aRunInFlight(), aRunInFlight({ startId: 'start-2', campaignRunId: other })));
  bench.showRun(complete);
  bench.showRun({ ...complete, CASIScore: 61 }, other);

  const { summary } = await bench.tick();

  expect(await bench.inFlight()).toEqual([]);
  const { ends = [] } = (await bench.ledger.read<RunEndsRow>(ledgerKeys.runEnds('nightly'))) ?? {};
  expect(ends.map(({ startId, score }) => `${startId} ${score}`).toSorted()).toEqual(['start-1 87', 'start-2 61']);
  expect(summary).toContain('nightly: complete after 0 min');
});

test.each([
  ['a status that is unknown', { status: 'paused' }],
  ['another shape', { status: 7, startAt: {}, providerErrors: 'none' }],
  ['500', 500],
  ['404', 404],
])('a reading that is %s changes nothing, and no gate', async (_, shown) => {
  const bench = await benchWith();
  bench.showRun(shown);

  await bench.tickFor(9 * hour);

  expect(bench.told.filter((line) => line.startsWith('failed'))).toEqual([]);
  expect(bench.sent.map(({ id }) => id)).toContainEqual(expect.stringContaining('planned-stop'));
  expect(await bench.inFlight()).toHaveLength(1);
  expect(await bench.shown()).toBeUndefined();
});

test('a run whose start has no outcome is left to the worker of the start', async () => {
  const bench = await benchWith({ state: 'starting', unanswered: 1 }, { start: {} });
  bench.showRun(complete);

  await bench.tickFor(2 * minute);

  expect(await bench.inFlight()).toHaveLength(1);
  expect(await bench.shown()).toMatchObject({ status: 'complete', at: '2026-11-20T22:01:00.000Z' });
  expect(bench.readRuns).toHaveLength(1);
});

test.each([404, 405])(
  'a gateway that answers %i to a run that it has started is asked once an hour',
  async (status) => {
    const bench = await benchWith();
    bench.showRun(status);

    await bench.tickFor(3 * hour);

    expect(bench.readRuns).toHaveLength(3);
    expect(await bench.ledger.read<RunReadingsRow>(ledgerKeys.runReadings())).toMatchObject({ status });
  },
);

test('one run that is not found keeps no other one from being read', async () => {
  const bench = await benchWith();
  await bench.put(commandRow(runCommand({ id: 'start-2' }), applied));
  await bench.put(targetRow(aRunInFlight(), aRunInFlight({ startId: 'start-2', campaignRunId: other })));
  bench.showRun({ status: 'in_progress' });

  await bench.tickFor(3 * minute);

  expect(bench.readRuns).toHaveLength(6);
});

test.each([{ readsRuns: false }, { mode: 'observe' }] as const)('no run is read with %o', async (options) => {
  const bench = await benchWith({}, options);
  bench.showRun(complete);

  await bench.tickFor(minute);

  expect(bench.readRuns).toEqual([]);
  expect(await bench.inFlight()).toHaveLength(1);
});
