import { expect, test } from 'vitest';
import type { Outcome } from '#functions/_handler/queue-record.ts';
import { createWorkerReports } from '#functions/_handler/worker-reports.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { readRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import { keptOutput } from '../../../builders/ports.ts';

const now = () => new Date('2026-11-20T22:00:00Z');

/** Reports a batch; what they wrote, and the metrics that they counted. */
async function reported(outcomes: readonly Outcome[], laterCount = 0) {
  const ledger = createMemoryLedger();
  const { lines, counts, log, count, level } = keptOutput();
  const metrics = { count, level, publish: () => {} };
  await createWorkerReports({ functionName: 'update-campaign-runs', log, metrics, ledger, now }).reportBatch(
    outcomes,
    laterCount,
  );
  return { ledger, lines, metrics: counts.map(({ metric }) => metric) };
}

const skipped = (reason: Outcome['reason']): Outcome => ({
  kind: 'skipped',
  subject: 'weeknights@2026-11-20T22:00:00Z',
  reason,
});

test('counts a start that missed its window twice: as skipped, and as what an alarm rings for', async () => {
  expect((await reported([skipped('MISSED_WINDOW')])).metrics).toEqual(['Skipped', 'MissedWindow']);
});

test('an outcome whose line was written before is counted and listed, and not told again', async () => {
  const { lines, metrics } = await reported([{ ...skipped(undefined), isLogged: true }, skipped('OVERLAP')]);

  expect([metrics.length, lines]).toMatchObject([2, [{ event: 'outcome' }]]);
});

test('no alarm rings for a start that another guard passed over', async () => {
  expect((await reported([skipped('OVERLAP'), skipped('BLACKOUT')], 1)).metrics).toEqual([
    'Skipped',
    'Skipped',
    'Later',
  ]);
});

test('a command takes no line of the last outcomes, and moves their version: the console reads again by it', async () => {
  const { ledger } = await reported([skipped('OVERLAP')]);

  expect(await readRecentOutcomes(ledger)).toEqual([]);
  expect(await ledger.read(ledgerKeys.recent())).toMatchObject({ version: 1 });
});
