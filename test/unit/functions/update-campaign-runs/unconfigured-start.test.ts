import { describe, expect, test } from 'vitest';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import {
  atTen,
  commandOf,
  hours,
  nightly,
  outcomeOf,
  plannedStopsOf,
  reservedOf,
  usedOf,
} from './harness/guard-nights.ts';
import { mortalWorker } from './harness/mortal-worker.ts';
import { slowToWrite } from './harness/slow-to-write.ts';
import { createUpdateBench, nightlyIds, smokeId, surelyLandedMs } from './harness/update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

/**
 * The ledger of a worker of the deployment before: right before such a write the next one comes,
 * and ends the start.
 */
function deployedBefore(bench: Bench, kind: LedgerRow['kind'], end: () => Promise<unknown>): Ledger {
  return slowToWrite(bench, kind, async () => {
    bench.deployRuns({});
    await end();
  });
}

// It was parked as one that needs its run configured, with nothing about a run that may go on: its
// repeat started it once more.
describe('a start whose run a deployment removes', () => {
  test.each([
    ['a listed run', nightly('a', { validFor: 'P1D' }), nightlyIds[0]],
    ['the same run again', atTen({ id: 'a', validFor: 'P1D' }), smokeId],
  ])('says that it may be running, and keeps stop, place and campaign (%s)', async (_what, start, campaignRunId) => {
    const bench = createUpdateBench({ startsPerMonth: 5, startsRepeatSafely: true });
    bench.answerWith('applied-then-lost');
    await bench.deliver(start);
    bench.deployRuns({});
    bench.passMs(surelyLandedMs);

    await bench.deliver(start, { receiveCount: 2 });

    expect(await commandOf(bench, 'a')).toMatchObject({
      outcome: { kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' },
      campaignRunId,
      parked: { requestSent: true },
    });
    expect(await plannedStopsOf(bench)).toMatchObject([{ campaignRunId, startId: 'a' }]);
    expect(await reservedOf(bench)).toEqual([campaignRunId]);
    expect(await usedOf(bench)).toBe(1);
  });

  test('says so too once a day was not enough', async () => {
    const bench = createUpdateBench({ startsRepeatSafely: true });
    bench.answerWith('lost');
    const start = nightly('a', { validFor: 'P7D' });
    await bench.deliver(start);
    bench.deployRuns({});
    bench.passMs(hours(25));

    await bench.deliver(start, { receiveCount: 9, sentAt: new Date(bench.now().getTime() - hours(25)) });

    expect(await outcomeOf(bench, 'a')).toMatchObject({ reason: 'START_OUTCOME_UNKNOWN' });
  });

  test('waits for an attempt that is under way', async () => {
    const bench = createUpdateBench();
    await bench.deliver(nightly('a'), mortalWorker(bench, { killAfter: 1 }));
    bench.deployRuns({});

    expect((await bench.deliver(nightly('a'), { receiveCount: 2 })).kind).toBe('later');
  });

  test('is not sent by a worker of the deployment before, and takes no id, once it is parked as CONFIG', async () => {
    const bench = createUpdateBench();
    const ledger = deployedBefore(bench, 'run', async () => bench.deliver(nightly('a')));
    await bench.deliver(nightly('a'), { ledger });

    expect(await outcomeOf(bench, 'a')).toMatchObject({ kind: 'parked', reason: 'CONFIG' });
    expect(bench.patches).toEqual([]);
    expect(await reservedOf(bench)).toEqual([]);
  });
});
