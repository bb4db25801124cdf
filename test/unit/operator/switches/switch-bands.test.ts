import { describe, expect, test } from 'vitest';
import { command } from '#cli/reports/history.ts';
import { readSwitchBands } from '#operator/switches/switches.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { setSwitch, stageSwitch, type SwitchSubject } from '#shared/ledger/switches.ts';
import { argumentsOf, fakeDeps, textOf } from '../fake-deps.ts';

const nightly: SwitchSubject = { scope: 'schedule', name: 'nightly' };

const hour = (count: number) => new Date(Date.UTC(2026, 10, 20, count));
const iso = (count: number) => hour(count).toISOString();

type Ledger = ReturnType<typeof createMemoryLedger>;

/** A person switches at an hour of the day; `ends`: the hour at which it ends by itself. */
async function turn(
  ledger: Ledger,
  at: number,
  { on, subject = stageSwitch, by = 'ann', ends }: { on: boolean; subject?: SwitchSubject; by?: string; ends?: number },
) {
  const until = ends === undefined ? undefined : hour(ends);
  await setSwitch(ledger, subject, { isOn: on, by, reason: `INC-${at}`, at: hour(at), until });
}

describe('a freeze or a pause', () => {
  test('that is lifted keeps who, why, from and to, and who lifted it', async () => {
    const ledger = createMemoryLedger();
    await turn(ledger, 1, { on: true });
    await turn(ledger, 3, { on: false, by: 'ben' });

    const bands = await readSwitchBands(ledger, {}, hour(9));

    const lifted = { by: 'ben', reason: 'INC-3' };
    expect(bands).toEqual([
      { scope: 'stage', name: 'stage', by: 'ann', reason: 'INC-1', from: iso(1), to: iso(3), until: undefined, lifted },
    ]);
    const row = ledger.all().find(({ kind }) => kind === 'past-switch');
    expect(row?.expiresAt).toBe(hour(3).getTime() / 1000 + 400 * 86_400);
  });

  test('that ended by itself is told before and after its switch is used again', async () => {
    const ledger = createMemoryLedger();
    await turn(ledger, 1, { on: true, ends: 2 });
    const before = await readSwitchBands(ledger, {}, hour(4));

    await turn(ledger, 5, { on: true });
    const after = await readSwitchBands(ledger, {}, hour(6));

    expect(before).toMatchObject([{ from: iso(1), to: iso(2), until: iso(2) }]);
    expect(after).toEqual([expect.objectContaining({ from: iso(5), reason: 'INC-5' }), ...before]);
    expect(after[0]?.to).toBeUndefined();
  });

  test('is told if it held starts back in the range', async () => {
    const ledger = createMemoryLedger();
    for (const at of [1, 5, 9]) {
      await turn(ledger, at, { on: true });
      await turn(ledger, at + 2, { on: false });
    }
    await turn(ledger, 0, { on: true, subject: nightly });

    const bands = await readSwitchBands(ledger, { since: hour(6), before: hour(9) }, hour(12));

    expect(bands.map(({ scope, from }) => [scope, from])).toEqual([
      ['stage', iso(5)],
      ['schedule', iso(0)],
    ]);
  });
});

test('history --switches prints them', async () => {
  const { deps, ledger } = fakeDeps();
  await turn(ledger, 1, { on: true });
  await turn(ledger, 3, { on: false, by: 'ben' });
  await turn(ledger, 4, { on: true, subject: nightly, ends: 23 });

  const result = await command.run(argumentsOf(command, '--switches'), deps);

  expect(textOf(result).split('\n')).toEqual([
    '2026-11-20T04:00:00.000Z  on until 2026-11-20T23:00:00.000Z  PAUSED schedule nightly  by ann: INC-4',
    '2026-11-20T01:00:00.000Z  until 2026-11-20T03:00:00.000Z     FROZEN                   by ann: INC-1  lifted by ben: INC-3',
  ]);
  await expect(command.run(argumentsOf(command, 'nightly', '--switches'), deps)).rejects.toThrow('leave out the run');
});
