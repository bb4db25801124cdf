import { expect, test } from 'vitest';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { RunRow, RunState } from '#shared/ledger/rows/run-row.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { aRunId, aRunRow, aSentStart, aStartWithStop } from '../../../builders/run-rows.ts';

const before = new Date('2026-11-21T05:59:59Z');
const after = new Date('2026-11-21T06:00:00Z');
const stop = { id: 'stop', issuedAt: '2026-11-20T23:00:00.000Z', word: 'stopped' };
const running: RunState = { state: 'running', start: aSentStart() };

test.each<[string, RunState, Date, boolean]>([
  ['before its time is over', running, before, true],
  ['not after that', running, after, false],
  ['until its planned stop is applied, however late', { state: 'running', start: aStartWithStop() }, after, true],
  ['while a stop is under way', { state: 'stopping', stop, before: running }, before, true],
  ['not if only a stop is under way', { state: 'stopping', stop, before: { state: 'idle' } }, before, false],
])('a run is in flight %s', async (_when, state, now, isInFlight) => {
  const ledger = createMemoryLedger();
  await ledger.write<RunRow>(undefined, aRunRow(state));

  const found = await readRunsInFlight(ledger, now);

  expect(found.map(({ row }) => row.campaignRunId)).toEqual(isInFlight ? [aRunId] : []);
});
