import { describe, expect, test } from 'vitest';
import { stageSwitch } from '#shared/ledger/switches.ts';
import { approveRepeat, bindId, commandOf, nightly, outcomeOf, turn, useUpIds } from './harness/guard-nights.ts';
import { mortalWorker } from './harness/mortal-worker.ts';
import { slowToWrite } from './harness/slow-to-write.ts';
import { createUpdateBench, surelyLandedMs } from './harness/update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

const lateId = '018f0000-0000-7000-8000-000000000003';
const start = nightly('a', { validFor: 'P1D' });

/** No id is left. */
async function usedUp(): Promise<Bench> {
  const bench = createUpdateBench({ startsRepeatSafely: true });
  await useUpIds(bench);
  return bench;
}

/**
 * Delivers to a worker that is slow: right before it writes its outcome an id is bound, and a copy
 * of the message comes.
 */
async function deliverSlowly(bench: Bench, copy: () => Promise<unknown>): Promise<void> {
  const ledger = slowToWrite(bench, 'command', async () => {
    await bindId(bench, lateId);
    await copy();
  });
  await bench.deliver(start, { ledger });
}

/** Until the start has its outcome, or for long enough. */
async function deliverOn(bench: Bench): Promise<string | undefined> {
  for (let receiveCount = 2; receiveCount < 6; receiveCount += 1) {
    bench.passMs(surelyLandedMs);
    await bench.deliver(start, { receiveCount });
  }
  return (await outcomeOf(bench, start.id))?.kind;
}

// A start without an id was parked as never sent while a copy of it had started the run: its repeat
// started the run once more.
describe('a start that found no id while a copy of it uses one that is bound meanwhile', () => {
  test.each([1, 2, 3, 4])('is not reported as never sent (the copy dies after effect %i)', async (killAfter) => {
    const bench = await usedUp();
    await deliverSlowly(bench, async () => bench.deliver(start, mortalWorker(bench, { killAfter })));

    expect(await deliverOn(bench)).toBe('applied');
    expect(bench.transitions).toEqual(['03:running']);
  });

  test.each([1, 2, 3, 4])('nor as skipped in a freeze (the copy dies after effect %i)', async (killAfter) => {
    const bench = await usedUp();
    await turn(bench, stageSwitch, true);
    await deliverSlowly(bench, async () => {
      await turn(bench, stageSwitch, false);
      await bench.deliver(start, mortalWorker(bench, { killAfter }));
    });

    expect(await deliverOn(bench)).toBe('applied');
    expect(bench.transitions).toEqual(['03:running']);
  });

  test.each([
    ['parked', false],
    ['skipped', true],
  ])('is %s if the copy dies before it writes', async (kind, isFrozen) => {
    const bench = await usedUp();
    await turn(bench, stageSwitch, isFrozen);
    await deliverSlowly(bench, async () => bench.deliver(start, mortalWorker(bench, { killAfter: 0 })));

    expect(await deliverOn(bench)).toBe(kind);
    expect(bench.transitions).toEqual([]);
  });

  test('a repeat of what is parked uses the id that was bound, once', async () => {
    const bench = await usedUp();
    await bench.deliver(start);
    const parked = await outcomeOf(bench, 'a');
    await bindId(bench, lateId);
    await approveRepeat(bench, 'a');
    await deliverOn(bench);

    expect(parked).toMatchObject({ kind: 'parked', reason: 'NO_RUN_LEFT' });
    expect(await commandOf(bench, 'a')).toMatchObject({ outcome: { kind: 'applied' }, campaignRunId: lateId });
    expect(bench.transitions).toEqual(['03:running']);
  });
});
