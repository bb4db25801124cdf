import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { createObservedLedger } from '#shared/ledger/observed-ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { freeIds, newRunRow, type RunRow, withReturned, withUsed } from '#shared/ledger/rows/run-row.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { uploadRow } from '../../../builders/run-rows.ts';

const upload = (key: string) => uploadRow({ key, openState: 'IN_FLIGHT', openSince: '2026-11-20T10:00:00.000Z' });

function bothTables() {
  const [own, acting] = [createMemoryLedger(), createMemoryLedger()];
  return { own, acting, observe: createObservedLedger(own, acting) };
}

const frozen = { isOn: true, by: 'ann', reason: 'CHG-7', at: new Date('2026-11-20T10:00:00Z') };
const configured = ['a', 'b'];

describe('the ledger of a stage that observes', () => {
  it('is a table of its own, whose rows say that they were observed', async () => {
    const { own, acting, observe } = bothTables();
    await acting.write(undefined, upload('real.csv'));
    const row = upload('a.csv');

    const written = await observe.write(undefined, row);

    expect(written).toMatchObject({ ...row, isObserved: true });
    expect(await observe.read(row.pk)).toEqual(written);
    expect((await observe.listOpen('IN_FLIGHT')).items).toMatchObject([{ key: 'a.csv' }]);
    expect(await observe.read(upload('real.csv').pk)).toBeUndefined();
    expect(own.all()).toEqual([written]);
    expect(acting.all()).toMatchObject([{ key: 'real.csv' }]);
  });

  it('reads and sets switches where they hold once the stage acts', async () => {
    const { own, acting, observe } = bothTables();
    const pk = ledgerKeys.switch('stage', 'stage');

    await setSwitch(observe, stageSwitch, frozen);

    expect(await acting.read(pk)).toMatchObject({ isOn: true });
    expect(await observe.read(pk)).toMatchObject({ isOn: true });
    expect((await observe.readMany([pk])).get(pk)).toMatchObject({ isOn: true });
    expect((await observe.listOpen('SWITCHED')).items).toHaveLength(1);
    await setSwitch(observe, stageSwitch, { ...frozen, isOn: false });
    expect((await observe.listOpen('SWITCHED_BEFORE')).items).toMatchObject([{ kind: 'past-switch' }]);
    expect(own.all()).toEqual([]);
  });

  it('sees the ids that people bound and those that were used for real, and uses none of them there', async () => {
    const { acting, observe } = bothTables();
    const real: RunRow = { ...withUsed(newRunRow('nightly'), 'a'), bound: ['c', 'd'] };
    const { pk } = real;
    const before = await acting.write<RunRow>(undefined, real);
    const free = async () => freeIds(await observe.read<RunRow>(pk), configured);

    const first = await observe.read<RunRow>(pk);
    expect(freeIds(first, configured)).toEqual(['b', 'c', 'd']);
    const second = first && (await observe.write<RunRow>(first, withUsed(first, 'c')));
    expect(second).toMatchObject({ version: 1 });
    expect(await free()).toEqual(['b', 'd']);
    await acting.write<RunRow>(before, { ...real, bound: ['c', 'd', 'e'] });
    expect(await free()).toEqual(['b', 'd', 'e']);
    if (second !== undefined) await observe.write<RunRow>(second, withReturned(second, 'c', configured));
    expect(await free()).toEqual(['b', 'c', 'd', 'e']);
    expect(await observe.write<RunRow>(first, real)).toBeUndefined();
    expect(freeIds(await acting.read<RunRow>(pk), configured)).toEqual(['b', 'c', 'd', 'e']);
  });
});
