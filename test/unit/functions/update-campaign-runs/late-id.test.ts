import { describe, expect, test } from 'vitest';
import { type BindingItem, type CommandItem, ledgerKeys, type LedgerItem } from '../../../../shared/ledger/items.ts';
import type { Ledger } from '../../../../shared/ledger/ledger.ts';
import { resolveRepeat } from '../../../../shared/ledger/resolve-parked.ts';
import { stageSwitch } from '../../../../shared/ledger/switches.ts';
import { commandOf, hours, nightly, turn } from './guard-nights.ts';
import { mortalWorker } from './mortal-worker.ts';
import { createUpdateBench, nightlyIds, surelyLandedMs } from './update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

const pk = ledgerKeys.binding('nightly');
const lateId = '018f0000-0000-7000-8000-000000000003';

/** Every id of the nightly run has been used by starts of long ago. */
async function usedUp(): Promise<Bench> {
  const bench = createUpdateBench();
  const used = nightlyIds.map((campaignRunId) => ({
    campaignRunId,
    commandId: `of ${campaignRunId}`,
    at: '2026-11-01',
  }));
  await bench.ledger.write<BindingItem>(undefined, { pk, kind: 'binding', run: 'nightly', used, added: [] });
  return bench;
}

/** `autopilot bind nightly …3`. */
async function bind(bench: Bench): Promise<void> {
  const row = await bench.ledger.read<BindingItem>(pk);
  if (row !== undefined) await bench.ledger.write<BindingItem>(row, { ...row, added: [...row.added, lateId] });
}

/** The ledger of a worker that found no id and is slow: right before such a write one is bound, and a copy of the message comes. */
function slow(bench: Bench, kind: LedgerItem['kind'], copy: () => Promise<unknown>): Ledger {
  let isLate = false;
  return {
    ...bench.ledger,
    async write(before, after) {
      if (!isLate && after.kind === kind) {
        isLate = true;
        await bind(bench);
        await copy();
      }
      return bench.ledger.write(before, after);
    },
  };
}

/** Until the start has its outcome, or for long enough. */
async function deliverOn(bench: Bench): Promise<CommandItem | undefined> {
  for (let receiveCount = 2; receiveCount < 6; receiveCount += 1) {
    bench.passMs(surelyLandedMs);
    await bench.deliver(nightly('a', { validFor: 'P1D' }), { receiveCount });
  }
  return commandOf(bench, 'a');
}

const moments = (['binding', 'command'] as const).flatMap((kind) =>
  [1, 2, 3, 4, 5, 6].map((killAfter) => [kind, killAfter] as const),
);

// What was found to be without an id was parked as never sent while a copy of it had started the run: a repeat started it once more.
describe('a start that found no id while a copy of it uses one that is bound meanwhile', () => {
  test.each(moments)('is not told as never sent where it was (before the %s row, killed after %i)', async (kind, n) => {
    const bench = await usedUp();
    const start = nightly('a', { validFor: 'P1D' });
    const copy = async () => bench.deliver(start, mortalWorker(bench, { killAfter: n }));
    await bench.deliver(start, { ledger: slow(bench, kind, copy) });

    const kindOf = (await deliverOn(bench))?.outcome?.kind;

    expect([kindOf, bench.transitions]).toEqual(kind === 'binding' ? ['applied', ['03:running']] : ['parked', []]);
  });

  test.each(moments)('nor as passed over in a freeze (before the %s row, killed after %i)', async (kind, n) => {
    const bench = await usedUp();
    const start = nightly('a', { validFor: 'P1D' });
    await turn(bench, stageSwitch, true);
    const copy = async () => {
      await turn(bench, stageSwitch, false);
      await bench.deliver(start, mortalWorker(bench, { killAfter: n }));
    };
    await bench.deliver(start, { ledger: slow(bench, kind, copy) });

    const kindOf = (await deliverOn(bench))?.outcome?.kind;

    expect([kindOf, bench.transitions]).toEqual(kind === 'binding' ? ['applied', ['03:running']] : ['skipped', []]);
  });

  test('a repeat of what is parked uses the id that was bound, once', async () => {
    const bench = await usedUp();
    const start = nightly('a', { validFor: 'P1D' });
    await bench.deliver(start, { ledger: slow(bench, 'command', async () => bench.deliver(start)) });
    const row = await commandOf(bench, 'a');
    expect(row).toMatchObject({ outcome: { kind: 'parked', reason: 'NO_RUN_LEFT' } });

    bench.passMs(hours(1));
    const resolved = row && resolveRepeat(row, { by: 'ann', reason: 'bound one', at: bench.now() });
    if (resolved?.ok === true) await bench.table.write<CommandItem>(row, resolved.item);
    await deliverOn(bench);

    expect(await commandOf(bench, 'a')).toMatchObject({ outcome: { kind: 'applied' }, campaignRunId: lateId });
    expect(bench.transitions).toEqual(['03:running']);
  });
});
