import { expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import { listSwitches, setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';

const at = new Date('2026-11-20T20:00:00.000Z');
const on = { isOn: true, by: 'ann', reason: 'CHG-1', at };
const off = { isOn: false, by: 'bob', reason: 'over', at: new Date('2026-11-20T21:00:00.000Z') };

test('a switch that is on says who, why and since when, and is listed until it is off', async () => {
  const ledger = createMemoryLedger();

  const set = await setSwitch(ledger, stageSwitch, on);

  expect(set).toMatchObject({ isChanged: true, before: undefined });
  expect(await listSwitches(ledger, at)).toMatchObject([
    { scope: 'stage', by: 'ann', reason: 'CHG-1', at: '2026-11-20T20:00:00.000Z' },
  ]);
  await setSwitch(ledger, stageSwitch, off);
  expect(await listSwitches(ledger, at)).toEqual([]);
  expect(await ledger.read(ledgerKeys.switch('stage', 'stage'))).toMatchObject({ isOn: false, by: 'bob' });
});

test('two people who switch at once: one row, and the second is told of the first', async () => {
  const ledger = createMemoryLedger();
  const both = await Promise.all([
    setSwitch(ledger, stageSwitch, on),
    setSwitch(ledger, stageSwitch, { ...on, by: 'bob' }),
  ]);

  expect(both.filter((one) => one?.isChanged)).toHaveLength(1);
  expect(new Set(both.map((one) => one?.row?.by)).size).toBe(1);
});

test('others who keep writing it are not written over', async () => {
  const ledger: Ledger = { ...createMemoryLedger(), writeAll: async () => 'row-changed' };

  expect(await setSwitch(ledger, stageSwitch, on)).toBeUndefined();
});

test('switches are listed beyond one page', async () => {
  const ledger = createMemoryLedger();
  const names = Array.from({ length: 130 }, (_, index) => `schedule-${index}`);
  for (const name of names) await setSwitch(ledger, { scope: 'schedule', name }, on);

  const listed: readonly SwitchRow[] = await listSwitches(ledger, at);

  expect(new Set(listed.map(({ name }) => name))).toEqual(new Set(names));
});
