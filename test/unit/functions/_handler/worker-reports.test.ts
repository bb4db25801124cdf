import { expect, test } from 'vitest';
import type { Outcome } from '#functions/_handler/queue-record.ts';
import { createWorkerReports } from '#functions/_handler/worker-reports.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { readRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';

const quiet = () => {};

/** Reports over nothing but what they count. */
function bench(ledger = createMemoryLedger()) {
  const counted: [string, number][] = [];
  const events: string[] = [];
  const reports = createWorkerReports({
    functionName: 'update-campaign-runs',
    log: { debug: quiet, info: (event) => void events.push(event), warn: quiet, error: quiet },
    metrics: { count: (metric, value) => void counted.push([metric, value]), level: quiet, publish: quiet },
    ledger,
    now: () => new Date('2026-11-20T22:00:00Z'),
  });
  return { reports, counted, events };
}

const skipped = (reason: Outcome['reason']): Outcome => ({
  kind: 'skipped',
  subject: 'weeknights@2026-11-20T22:00:00Z',
  ...(reason === undefined ? {} : { reason }),
});

test('counts a start that missed its window twice: as skipped, and as what an alarm rings for', async () => {
  const { reports, counted } = bench();

  await reports.reportBatch([skipped('MISSED_WINDOW')], 0);

  expect(counted).toEqual([
    ['Skipped', 1],
    ['MissedWindow', 1],
  ]);
});

test('an outcome whose line was written before is counted and listed, and not told again', async () => {
  const { reports, counted, events } = bench();

  await reports.reportBatch([{ ...skipped(undefined), isLogged: true }, skipped('OVERLAP')], 0);

  expect([counted.length, events]).toEqual([2, ['outcome']]);
});

test('no alarm rings for a start that another guard passed over', async () => {
  const { reports, counted } = bench();

  await reports.reportBatch([skipped('OVERLAP'), skipped('BLACKOUT')], 1);

  expect(counted).toEqual([
    ['Skipped', 1],
    ['Skipped', 1],
    ['Later', 1],
  ]);
});

test('the last outcomes name a command by what it does', async () => {
  const ledger = createMemoryLedger();
  const { reports } = bench(ledger);

  await reports.reportBatch([{ ...skipped('OVERLAP'), title: 'start nightly' }], 0);

  expect(await readRecentOutcomes(ledger)).toMatchObject([{ subject: 'start nightly', reason: 'OVERLAP' }]);
});
