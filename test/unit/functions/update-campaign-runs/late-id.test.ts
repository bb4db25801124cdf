import { describe, expect, test } from 'vitest';
import { type BindingItem, type CommandItem, ledgerKeys, type LedgerItem } from '../../../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../../../shared/ledger/ledger.ts';
import { resolveRepeat } from '../../../../shared/ledger/resolve-parked.ts';
import { stageSwitch } from '../../../../shared/ledger/switches.ts';
import { bindId, commandOf, hours, nightly, turn, useUpIds } from './guard-nights.ts';
import { mortalWorker } from './mortal-worker.ts';
import { slowToWrite } from './slow-to-write.ts';
import { createUpdateBench, surelyLandedMs } from './update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

const lateId = '018f0000-0000-7000-8000-000000000003';

/** No id is left. */
async function usedUp(): Promise<Bench> {
  const bench = createUpdateBench();
  await useUpIds(bench);
  return bench;
}

/** The ledger of a worker that found no id and is slow: right before such a write one is bound, and a copy of the message comes. */
function slow(bench: Bench, kind: LedgerItem['kind'], copy: () => Promise<unknown>): Ledger {
  return slowToWrite(bench, kind, async () => {
    await bindId(bench, lateId);
    await copy();
  });
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

  test('comes back where the copy is between its reservation and its PATCH', async () => {
    const bench = await usedUp();
    const start = nightly('a', { validFor: 'P1D' });
    const key = ledgerKeys.binding('nightly');
    const found = await bench.ledger.read<BindingItem>(key);
    const stale: Ledger = {
      ...bench.ledger,
      read: async <Item extends LedgerItem>(pk: Item['pk']) =>
        pk === key ? (found as Stored<Item> | undefined) : bench.ledger.read<Item>(pk),
    };
    const kinds: string[] = [];

    const ledger = slow(bench, 'run', async () => kinds.push((await bench.deliver(start, { ledger: stale })).kind));
    await bindId(bench, lateId);
    await bench.deliver(start, { ledger });

    expect(kinds).toEqual(['later']);
    expect(await commandOf(bench, 'a')).toMatchObject({ outcome: { kind: 'applied' } });
    expect(bench.transitions).toEqual(['03:running']);
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
