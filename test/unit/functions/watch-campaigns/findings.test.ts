import { expect, test } from 'vitest';
import { type FindingRow, isOpenFinding } from '#shared/ledger/results/finding-row.ts';
import type { FindingKind } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { withChange } from '#shared/ledger/results/changes-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { aRunInFlight, commandRow, runCommand, targetRow } from '../../../builders/run-rows.ts';
import { campaignId, createWatchBench, minute, outcomeAt } from './watch-bench.ts';

const applied = { ...outcomeAt('2026-11-20T22:00:00.000Z'), request: { id: 'attempt-1', tries: 1 } };

/** Runs of nightly, one after the other, each with an id of its own. */
function nights(options: Parameters<typeof createWatchBench>[0] = {}) {
  const bench = createWatchBench({ readsRuns: true, ...options });
  let count = 0;
  const finding = async (kind: FindingKind) => bench.ledger.read<FindingRow>(ledgerKeys.finding('nightly', kind));
  return {
    ...bench,
    finding,
    isOpen: async (kind: FindingKind) => isOpenFinding(await finding(kind)),
    /** Puts a run that began just now into flight. */
    async begin(fields: Parameters<typeof aRunInFlight>[0] = {}) {
      count += 1;
      const startId = `start-${count}`;
      const campaignRunId = `019ba000-0000-7000-8000-0000000003${10 + count}`;
      const due = bench.now().toISOString();
      await bench.put(commandRow(runCommand({ id: startId }), { ...applied, startAt: due }));
      const entry = { startId, campaignRunId, due, campaignId: undefined, ...fields };
      await bench.put(targetRow(aRunInFlight(entry)));
      return campaignRunId;
    },
    /** A run that the gateway shows as ended. */
    async night(shown: object) {
      bench.showRun(shown, await this.begin());
      await bench.tickFor(2 * minute);
    },
  };
}

test('a run that failed is a finding, counted in a row, until the next complete run of its name', async () => {
  const bench = nights();
  await bench.night({ status: 'error' });
  await bench.night({ status: 'schedule_error' });

  expect(await bench.finding('RUN_FAILED')).toMatchObject({ count: 2, startId: 'start-2', openState: 'PARKED' });
  expect(bench.eventsOf('CampaignRunFailed')).toMatchObject([
    { eventId: 'run_failed:start-1', inARow: 1 },
    { eventId: 'run_failed:start-2', inARow: 2 },
  ]);

  await bench.night({ status: 'cancelled' });
  expect(await bench.isOpen('RUN_FAILED')).toBe(true);
  await bench.night({ status: 'complete' });
  expect(await bench.isOpen('RUN_FAILED')).toBe(false);
  await bench.night({ status: 'error' });
  expect(await bench.finding('RUN_FAILED')).toMatchObject({ count: 1, startId: 'start-5' });
});

test('a score that falls is a finding with the change, until a score that is not low; a run without one is no fall', async () => {
  const ofRun = { nightly: { watches: ['vendor'], score: { atLeast: 50, mayFallBy: 5 } } };
  const bench = nights({ results: { digest: 'first', ofRun } });
  await bench.night({ status: 'complete', CASIScore: 87 });
  await bench.night({ status: 'complete', CASIScore: 87 });
  for (const shown of [
    { status: 'error', CASIScore: 1 },
    { status: 'cancelled', CASIScore: 1 },
    { status: 'complete' },
  ])
    await bench.night(shown);
  expect(await bench.finding('SCORE_LOW')).toBeUndefined();
  const change = { id: 'set-1', at: bench.now().toISOString(), says: 'core (version)' };
  await bench.put(withChange(undefined, 'vendor', change));

  await bench.night({ status: 'complete', CASIScore: 61 });

  const low = { score: 61, median: 87, changed: ['vendor: core (version)'] };
  expect(await bench.finding('SCORE_LOW')).toMatchObject({ count: 1, startId: 'start-6', openState: 'PARKED', low });
  expect(bench.eventsOf('CampaignRunScoreLow')).toMatchObject([
    { eventId: 'score_low:start-6', score: 61, median: 87 },
  ]);
  expect(bench.counted('ScoresLow')).toEqual([1]);
  expect(bench.counted('CampaignRunScore')).toEqual([87, 87, 61]);
  await bench.night({ status: 'error' });
  await bench.night({ status: 'complete' });
  expect(await bench.isOpen('SCORE_LOW')).toBe(true);
  await bench.night({ status: 'complete', CASIScore: 86 });
  expect(await bench.isOpen('SCORE_LOW')).toBe(false);
});

test('a start that its campaign does not show is a finding until a sign shows one, and the sign costs no further call', async () => {
  const bench = nights({ readsRuns: false });
  const calls: string[] = [];
  const said = (name: string) => void calls.push(name);
  const { ledger } = bench;
  const counting: Ledger = {
    ...ledger,
    read: async (pk) => (said('read'), ledger.read(pk)),
    readMany: async (pks) => (said('readMany'), ledger.readMany(pks)),
    write: async (before, after) => (said('write'), ledger.write(before, after)),
    writeAll: async (changes) => (said('write'), ledger.writeAll(changes)),
  };
  const callsOfTick = async () => {
    calls.length = 0;
    await bench.tickFor(5 * minute, { ledger: counting });
    return [...calls];
  };
  await bench.begin({ campaignId, confirmWithin: 'PT10M' });
  await bench.tickFor(15 * minute);
  expect(await bench.finding('RUN_UNSEEN')).toMatchObject({ count: 1, startId: 'start-1', openState: 'PARKED' });
  const without = await callsOfTick();
  bench.show({ lastRunAt: '2026-11-20T22:00:10.000Z' });

  const withSign = await callsOfTick();

  expect(await bench.isOpen('RUN_UNSEEN')).toBe(false);
  expect(withSign.filter((name) => name !== 'write')).toEqual(without.filter((name) => name !== 'write'));
  expect(withSign.filter((name) => name === 'write')).toHaveLength(1);
});

test('an earlier run that completes late does not end the finding of a later one', async () => {
  const bench = nights();
  const early = await bench.begin();
  const before = await bench.inFlight();
  bench.passMs(5 * minute);
  const late = await bench.begin();
  await bench.put(targetRow(...(before ?? []), ...((await bench.inFlight()) ?? [])));
  bench.showRun({ status: 'in_progress' }, early);
  bench.showRun({ status: 'error' }, late);
  await bench.tickFor(minute);
  bench.showRun({ status: 'complete' }, early);

  await bench.tickFor(10 * minute);

  expect(await bench.inFlight()).toEqual([]);
  expect(await bench.finding('RUN_FAILED')).toMatchObject({ count: 1, openState: 'PARKED' });
});
