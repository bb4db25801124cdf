import { describe, expect, it, test, vi } from 'vitest';
import type { Outcome } from '#functions/_handler/queue-record.ts';
import type { Log } from '#functions/_handler/output.ts';
import { createWorkerReports, reportOnce } from '#functions/_handler/worker-reports.ts';
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

const outcome: Outcome = { kind: 'parked', subject: 'a.csv', reason: 'BAD_KEY' };
const fails = async () => Promise.reject(new Error('the bus is not there'));

function createDelivery() {
  const info = vi.fn<Log['info']>();
  const error = vi.fn<Log['error']>();
  const log: Log = { debug: info, info, warn: info, error };
  return {
    info,
    error,
    delivery: { record: { messageId: 'm1', receiveCount: 1 }, context: { log }, random: () => 0.5 },
  };
}

describe('an outcome that is in the ledger', () => {
  it('is reported by the delivery that recorded it', async () => {
    const { delivery, info } = createDelivery();

    const result = await reportOnce(outcome, { isRepeat: false, followUp: async () => {} }, delivery);

    expect(result).toEqual({ kind: 'done', outcomes: [outcome] });
    expect(info).not.toHaveBeenCalled();
  });

  it('is not reported again by a redelivery, which says so', async () => {
    const { delivery, info } = createDelivery();

    const result = await reportOnce(outcome, { isRepeat: true, followUp: async () => {} }, delivery);

    expect(result).toEqual({ kind: 'done', outcomes: [] });
    expect(info).toHaveBeenCalledWith('repeated', expect.any(String), expect.objectContaining({ outcome: 'parked' }));
  });

  it.each([
    [false, [outcome]],
    [true, []],
  ])(
    'sends its message back when a follow-up fails, and is reported once all the same (repeat: %s)',
    async (isRepeat, outcomes) => {
      const { delivery, error } = createDelivery();

      const result = await reportOnce(outcome, { isRepeat, followUp: fails }, delivery);

      expect(result).toEqual({ kind: 'later', delayMs: 22_500, why: 'Error: the bus is not there', outcomes });
      expect(error).toHaveBeenCalledWith('failed', expect.stringContaining('the bus is not there'), expect.anything());
    },
  );
});
