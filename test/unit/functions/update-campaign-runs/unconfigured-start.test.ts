import { describe, expect, test } from 'vitest';
import { ledgerKeys, type LedgerItem, type RunItem } from '../../../../shared/ledger/items.ts';
import type { Ledger } from '../../../../shared/ledger/ledger.ts';
import { atTen, commandOf, guardOf, hours, nightly, usedOf } from './guard-nights.ts';
import { mortalWorker } from './mortal-worker.ts';
import { slowToWrite } from './slow-to-write.ts';
import { createUpdateBench, nightlyIds, smokeId, surelyLandedMs } from './update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

/** The ledger of a worker of the deployment before: right before such a write the next one comes, and ends the start. */
function deployedBefore(bench: Bench, kind: LedgerItem['kind'], end: () => Promise<unknown>): Ledger {
  return slowToWrite(bench, kind, async () => {
    bench.deployRuns({});
    await end();
  });
}

// It was parked as one that needs its run configured, with nothing about a run that may go on: its repeat started it once more.
describe('a start whose run a deployment removes', () => {
  test.each([
    ['a listed run', nightly('a', { validFor: 'P1D' }), nightlyIds[0]],
    ['the same run again', atTen({ id: 'a', validFor: 'P1D' }), smokeId],
  ])('says that it may be running, and keeps stop, place and campaign (%s)', async (_what, start, campaignRunId) => {
    const bench = createUpdateBench({ startsPerMonth: 5 });
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
    const row = await bench.ledger.read<RunItem>(ledgerKeys.run(campaignRunId));
    expect(row).toMatchObject({ openState: 'RUN_IN_FLIGHT', stopDue: { commandId: 'a' } });
    expect(await guardOf(bench)).toMatchObject({ inFlight: { commandId: 'a' } });
    expect(await usedOf(bench)).toBe(1);
  });

  test('says so too once a day was not enough', async () => {
    const bench = createUpdateBench();
    bench.answerWith('lost');
    const start = nightly('a', { validFor: 'P7D' });
    await bench.deliver(start);
    bench.deployRuns({});
    bench.passMs(hours(25));

    await bench.deliver(start, { receiveCount: 9, sentAt: new Date(bench.now().getTime() - hours(25)) });

    expect(await commandOf(bench, 'a')).toMatchObject({ outcome: { reason: 'START_OUTCOME_UNKNOWN' } });
  });

  test('is applied where the gateway had said yes', async () => {
    const bench = createUpdateBench();
    // Right after the row that says so.
    await bench.deliver(nightly('a'), mortalWorker(bench, { killAfter: 5 }));
    bench.deployRuns({});
    bench.passMs(surelyLandedMs);

    await bench.deliver(nightly('a'), { receiveCount: 2 });

    expect(await commandOf(bench, 'a')).toMatchObject({ outcome: { kind: 'applied' }, campaignRunId: nightlyIds[0] });
  });

  test('waits for an attempt that is under way', async () => {
    const bench = createUpdateBench();
    await bench.deliver(nightly('a'), mortalWorker(bench, { killAfter: 3 }));
    bench.deployRuns({});

    expect((await bench.deliver(nightly('a'), { receiveCount: 2 })).kind).toBe('later');
  });

  test.each(['guard', 'run'] as const)(
    'is not sent any more by a worker of the deployment before, once it is parked as CONFIG (slow to write its %s row)',
    async (kind) => {
      const bench = createUpdateBench();
      const ledger = deployedBefore(bench, kind, async () => bench.deliver(nightly('a')));
      await bench.deliver(nightly('a'), { ledger });

      expect(await commandOf(bench, 'a')).toMatchObject({ outcome: { kind: 'parked', reason: 'CONFIG' } });
      expect(bench.patches).toEqual([]);
    },
  );

  test('takes no id any more, once it is parked as CONFIG', async () => {
    const bench = createUpdateBench();
    await bench.deliver(nightly('other', { action: 'stop', issuedAt: '2026-11-20T21:00:00Z' }));
    const ledger = deployedBefore(bench, 'binding', async () => bench.deliver(nightly('a')));
    await bench.deliver(nightly('a'), { ledger });

    expect(await commandOf(bench, 'a')).toMatchObject({ outcome: { kind: 'parked', reason: 'CONFIG' } });
    expect(bench.patches).toEqual([]);
  });
});
