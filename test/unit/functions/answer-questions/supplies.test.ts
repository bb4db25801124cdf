import { expect, test } from 'vitest';
import { answerSupplies } from '#functions/answer-questions/supplies.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { countStart } from '#shared/guards/month-budget.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { type GuardRow, newGuardRow } from '#shared/ledger/rows/guard-row.ts';
import { newRunIdPool, type RunIdPoolRow, withUsed } from '#shared/ledger/rows/run-id-pool-row.ts';

const now = new Date('2026-11-30T23:30:00.000Z');
const run: ResolvedRun = {
  name: 'nightly',
  campaign: 'chat-bot',
  pool: { kind: 'list', campaignRunIds: ['r-1', 'r-2', 'r-3'] },
  guards: { target: 'shared-target', overlap: 'skip', longestRun: 'PT8H', startsPerMonth: 5 },
};
const smoke: ResolvedRun = { ...run, name: 'smoke', pool: { kind: 'repeat', campaignRunId: 'r-9' } };

test('counts the ids that no start has used, those that people added too, each once, and says when they are few', async () => {
  const ledger = createMemoryLedger();
  const pool = withUsed({ ...newRunIdPool('nightly'), added: ['r-4', 'r-2', 'r-4'] }, 'r-1', 'c');
  await ledger.write<RunIdPoolRow>(undefined, pool);
  const more: ResolvedRun = { ...run, name: 'monthly', pool: { kind: 'list', campaignRunIds: ['m-1', 'm-2'] } };

  const config = { runs: { nightly: run, monthly: more, smoke }, timezone: 'UTC' };
  const { bindings } = await answerSupplies({ config, ledger, now: () => now });

  expect(bindings).toEqual([
    { run: 'nightly', left: 3, isLow: false },
    { run: 'monthly', left: 2, isLow: true },
  ]);
});

test.each([
  ['UTC', '2026-11', 2],
  ['Europe/Berlin', '2026-12', 0],
])(
  'counts the starts of the month that it is in %s, once for a campaign of several runs',
  async (timezone, month, used) => {
    const ledger = createMemoryLedger();
    const guard = newGuardRow('shared-target');
    const where = { month: '2026-11', campaign: 'chat-bot' };
    const counted = countStart(countStart(guard, where, 'a', now), where, 'b', now);
    await ledger.write<GuardRow>(undefined, countStart(counted, { ...where, campaign: 'other' }, 'c', now));

    const config = { runs: { nightly: run, smoke }, timezone };
    const { budgets } = await answerSupplies({ config, ledger, now: () => now });

    expect(budgets).toEqual([{ campaign: 'chat-bot', month, used, startsPerMonth: 5 }]);
  },
);
