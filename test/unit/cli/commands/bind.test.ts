import { describe, expect, test } from 'vitest';
import { command } from '../../../../cli/commands/bind.ts';
import { type BindingItem, ledgerKeys } from '../../../../shared/ledger/items.ts';
import type { AskedLedger } from '../../../../shared/ledger/ledger.ts';
import { argumentsOf, fakeDeps, textOf } from '../fake-deps.ts';

const [one, two, three] = ['1', '2', '3'].map((digit) => `0197f3a0-5b1c-7d2e-8f30-${digit.repeat(12)}`) as [
  string,
  string,
  string,
];
const pk = ledgerKeys.binding('nightly');

async function bound(ledger: Pick<AskedLedger, 'write'>): Promise<void> {
  const used = [{ campaignRunId: one, commandId: 'weeknights@2026-11-19T22:00:00Z', at: '2026-11-19T22:00:01Z' }];
  await ledger.write<BindingItem>(undefined, { pk, kind: 'binding', run: 'nightly', used, added: [two] });
}

describe('bind', () => {
  test('adds ids after those that are there', async () => {
    const { deps, ledger } = fakeDeps();
    await bound(ledger);

    const result = await command.run(argumentsOf(command, 'nightly', three.toUpperCase()), deps);

    expect((await ledger.read<BindingItem>(pk))?.added).toEqual([two, three]);
    expect(textOf(result)).toBe('bound 1 to nightly; 2 added and left');
  });

  test('says so where the ledger has never seen the run: a slip in its name binds for nobody', async () => {
    const { deps, ledger } = fakeDeps();

    const result = await command.run(argumentsOf(command, 'nightly', one), deps);

    expect((await ledger.read<BindingItem>(pk))?.added).toEqual([one]);
    expect(textOf(result)).toContain('has not seen a run "nightly"');
  });

  test('writes again on top of what somebody else wrote meanwhile', async () => {
    const { deps, ledger } = fakeDeps();
    let isFirst = true;
    const racing: AskedLedger = {
      ...ledger,
      async write(before, after) {
        if (isFirst) {
          isFirst = false;
          await bound(ledger);
        }
        return ledger.write(before, after);
      },
    };

    const withRace = { ...deps, stage: { ...deps.stage, ledger: async () => racing } };
    await command.run(argumentsOf(command, 'nightly', three), withRace);

    expect((await ledger.read<BindingItem>(pk))?.added).toEqual([two, three]);
  });

  test('lists what is used and what is left', async () => {
    const { deps, ledger } = fakeDeps();
    await bound(ledger);

    const text = textOf(await command.run(argumentsOf(command, 'nightly', '--list'), deps));

    expect(text).toContain(`used  ${one}  2026-11-19T22:00:01Z  weeknights@2026-11-19T22:00:00Z`);
    expect(text).toContain(`left  ${two}`);
  });

  test.each([
    [[], /needs a configured run/],
    [['nightly'], /at least one uuid/],
    [['nightly', 'abc'], /"abc" is not a uuid: nothing was bound/],
    [['nightly', three, 'abc'], /"abc" is not a uuid/],
    [['nightly', three, three.toUpperCase()], /is there twice/],
    [['nightly', one], /was used by nightly already/],
    [['nightly', three, two], /is bound to nightly already/],
    [[one, two], /is a uuid/],
    [['nightly', three, '--list'], /--list only shows/],
  ])('refuses %j and changes nothing', async (argv, sentence) => {
    const { deps, ledger } = fakeDeps();
    await bound(ledger);

    await expect(command.run(argumentsOf(command, ...argv), deps)).rejects.toThrow(sentence);
    expect((await ledger.read<BindingItem>(pk))?.added).toEqual([two]);
  });
});
