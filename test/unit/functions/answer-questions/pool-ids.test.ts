import { expect, test } from 'vitest';
import { openGate } from '#functions/_gateway/gate.ts';
import { answerRunIds, type PoolIdsDeps, readingOfRuns } from '#functions/answer-questions/pool-ids.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunReadingsRow } from '#shared/ledger/rows/run-reading.ts';
import { type RunRow, withUsed } from '#shared/ledger/rows/run-row.ts';
import { runIdsAnswer } from '#shared/messages/questions.ts';
import { statusError } from '../../../builders/ports.ts';
import { runRow } from '../../../builders/run-rows.ts';
import { campaignId, nightlyOfProject } from '../update-campaign-runs/harness/update-bench.ts';

const now = new Date('2026-11-20T20:00:00.000Z');
const nightly = { ...nightlyOfProject, campaignRunIds: ['r-1', 'r-2', 'r-3'] };

/** A gateway that shows runs; those that are not named are scheduled, for the campaign. */
function stage(shown: Readonly<Record<string, object | number>> = {}, readsRuns = true) {
  const read: string[] = [];
  const ledger = createMemoryLedger();
  let slots = 0;
  const deps: PoolIdsDeps = {
    config: { runs: { nightly }, gateway: { readsRuns } },
    ledger,
    gateway: {
      async readCampaignRun({ campaignRunId: id }) {
        read.push(id);
        const run = shown[id] ?? {};
        if (typeof run === 'number') throw statusError(run);
        return { campaignRun: { id, status: 'scheduled', campaignId, ...run } };
      },
    },
    gate: openGate,
    rateLimiter: { waitMs: () => 0, take: async () => void (slots += 1) },
    callBudgetMs: 14_000,
    now: () => now,
    remainingMs: () => 60_000,
  };
  const ask = async (more: object = {}) => runIdsAnswer.parse(await answerRunIds({ ask: 'run-ids', ...more }, deps));
  return { ask, read, ledger, deps, slots: () => slots };
}

test('names the ids of a pool that no start can use, and reads each in its turn', async () => {
  const { ask, slots } = stage({ 'r-2': { status: 'cancelled' }, 'r-3': { campaignId: 'another' } });

  expect(await ask()).toEqual({
    of: 3,
    read: 3,
    odd: [
      { run: 'nightly', campaignRunId: 'r-2', says: 'is cancelled, and only a scheduled run can start' },
      { run: 'nightly', campaignRunId: 'r-3', says: 'belongs to another campaign than chat-bot' },
    ],
  });
  expect(slots()).toBe(3);
});

test('reads the ids that no start has used, the bound ones too', async () => {
  const { ask, read, ledger } = stage();
  await ledger.write<RunRow>(undefined, withUsed(runRow({ bound: ['r-4'] }), 'r-1'));

  await ask();

  expect(read).toEqual(['r-2', 'r-3', 'r-4']);
});

test('of ids that are to be bound it reads these alone', async () => {
  const { ask, read } = stage({ 'r-9': { status: 'complete' } });

  expect(await ask({ run: 'nightly', ids: ['r-8', 'r-9'] })).toMatchObject({ odd: [{ campaignRunId: 'r-9' }] });
  expect(read).toEqual(['r-8', 'r-9']);
});

test('reads at most 50 ids', async () => {
  const { ask, deps, read } = stage();
  const many = { ...nightly, campaignRunIds: Array.from({ length: 90 }, (_, index) => `r-${index}`) };

  await answerRunIds({ ask: 'run-ids' }, { ...deps, config: { ...deps.config, runs: { nightly: many } } });
  await expect(ask({ run: 'nightly', ids: many.campaignRunIds })).rejects.toThrow(/Too big|too_big/);

  expect(read).toHaveLength(50);
});

test('an id that is not found is named once another one was, and says nothing of itself before', async () => {
  const found = await stage({ 'r-2': 404 }).ask();
  const first = await stage({ 'r-1': 404, 'r-2': 404 }).ask();

  expect(found).toMatchObject({ read: 3, odd: [{ campaignRunId: 'r-2', says: 'is not found at the gateway' }] });
  expect(first).toMatchObject({ read: 0, odd: [], unread: expect.stringContaining('404') });
});

test.each([
  ['another word', { 'r-1': { status: 'idle' } }],
  ['no campaign', { 'r-1': { campaignId: undefined } }],
])('a run that the gateway shows with %s is not blamed', async (_what, shown) => {
  expect(await stage(shown).ask()).toMatchObject({ read: 3, odd: [] });
});

test('asks nothing without the setting, and once an hour a gateway that has no such operation', async () => {
  const off = stage({}, false);
  const missing = stage();
  const row = { pk: ledgerKeys.runReadings(), kind: 'run-readings', status: 405 } as const;
  await missing.ledger.write<RunReadingsRow>(undefined, { ...row, missingAt: '2026-11-20T19:30:00.000Z' });

  expect(await off.ask()).toMatchObject({ read: 0, unread: 'this stage reads no runs' });
  expect(await missing.ask()).toMatchObject({ read: 0, unread: 'this stage reads no runs' });
  expect([off.read, missing.read]).toEqual([[], []]);
  expect(await readingOfRuns({ readsRuns: false }, off.deps)).toBeUndefined();
  expect(await readingOfRuns({ readsRuns: true }, missing.deps)).toEqual({
    status: 405,
    missingAt: '2026-11-20T19:30:00.000Z',
  });
});
