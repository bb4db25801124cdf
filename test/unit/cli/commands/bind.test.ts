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
const [configured, fixed, old, elsewhere] = ['a', 'b', 'c', 'd'].map(
  (digit) => `0197f3a0-5b1c-7d2e-8f30-${digit.repeat(12)}`,
) as [string, string, string, string];

/** The deployed configuration: two runs with an id for each start, one that is started again and again. */
const runs = {
  nightly: { pool: { kind: 'list', campaignRunIds: [configured.toUpperCase()] } },
  weekly: { pool: { kind: 'list', campaignRunIds: [] } },
  smoke: { pool: { kind: 'repeat', campaignRunId: fixed } },
};

/** A stage whose worker answers with that configuration. */
function aStage() {
  return fakeDeps({ functionAnswer: { payload: JSON.stringify({ runs }) } });
}

const weekly: BindingItem = {
  pk: ledgerKeys.binding('weekly'),
  kind: 'binding',
  run: 'weekly',
  used: [],
  usedBefore: [old],
  added: [elsewhere],
};

/** One id of `nightly` is used and one is left; the same of `weekly`. */
async function bound(ledger: Pick<AskedLedger, 'write'>): Promise<void> {
  const used = [{ campaignRunId: one, commandId: 'weeknights@2026-11-19T22:00:00Z', at: '2026-11-19T22:00:01Z' }];
  await ledger.write<BindingItem>(undefined, { pk, kind: 'binding', run: 'nightly', used, added: [two] });
  await ledger.write<BindingItem>(undefined, weekly);
}

describe('bind', () => {
  test('adds ids after those that are there', async () => {
    const { deps, ledger } = aStage();
    await bound(ledger);

    const result = await command.run(argumentsOf(command, 'nightly', three.toUpperCase()), deps);

    expect((await ledger.read<BindingItem>(pk))?.added).toEqual([two, three]);
    expect(textOf(result)).toBe('bound 1 to nightly; 2 added and left');
  });

  test('begins the row of a run that the ledger has never seen', async () => {
    const { deps, ledger } = aStage();

    const result = await command.run(argumentsOf(command, 'nightly', one), deps);

    expect((await ledger.read<BindingItem>(pk))?.added).toEqual([one]);
    expect(textOf(result)).toBe('bound 1 to nightly; 1 added and left');
  });

  test('writes again on top of what somebody else wrote meanwhile', async () => {
    const { deps, ledger } = aStage();
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
    const { deps, ledger } = aStage();
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
    [['nightly', three, configured], /is configured for nightly already: nothing was bound; leave it out/],
    [['weekly', three, configured], /a{12} is configured for nightly already/],
    [['weekly', two], /2{12} is bound to nightly already/],
    [['weekly', one, three, two], /1{12} was used by nightly already; .*2{12} is bound to nightly already: .*them out/],
    [['nightly', old], /c{12} was used by weekly already/],
    [['weekly', old], /c{12} was used by weekly already/],
    [['nightly', elsewhere], /d{12} is bound to weekly already/],
    [['nightly', fixed], /b{12} is configured for smoke already/],
    [['smoke', three], /^smoke starts .*b{12} again each time .* and would use no other: nothing was bound/],
    [
      ['nightlyy', three],
      /^there is no run "nightlyy": did you mean "nightly"\? \(there are nightly, weekly, smoke; a new/,
    ],
    [['constructor', three], /there is no run "constructor"/],
    [['nightlyy', '--list'], /did you mean "nightly"/],
  ])('refuses %j and changes nothing', async (argv, sentence) => {
    const { deps, ledger } = aStage();
    await bound(ledger);

    await expect(command.run(argumentsOf(command, ...argv), deps)).rejects.toThrow(sentence);
    expect((await ledger.read<BindingItem>(pk))?.added).toEqual([two]);
    expect((await ledger.read<BindingItem>(ledgerKeys.binding('weekly')))?.added).toEqual([elsewhere]);
    for (const name of ['smoke', 'nightlyy']) expect(await ledger.read(ledgerKeys.binding(name))).toBeUndefined();
  });

  test('binds nothing where the worker does not tell its configuration', async () => {
    const { deps, ledger } = fakeDeps();

    await expect(command.run(argumentsOf(command, 'nightly', one), deps)).rejects.toThrow(/did not answer/);
    expect(await ledger.read(pk)).toBeUndefined();
  });

  test('lists the ids of a run that is configured no more', async () => {
    const { deps, ledger } = aStage();
    await ledger.write<BindingItem>(undefined, { ...weekly, pk: ledgerKeys.binding('monthly'), run: 'monthly' });

    expect(textOf(await command.run(argumentsOf(command, 'monthly', '--list'), deps))).toContain(`left  ${elsewhere}`);
  });

  test('counts an id that was added twice once, and none that was used long ago', async () => {
    const { deps, ledger } = aStage();
    await ledger.write<BindingItem>(undefined, { ...weekly, added: [old, elsewhere, elsewhere] });

    const result = await command.run(argumentsOf(command, 'weekly', '--list'), deps);

    expect(result.data).toMatchObject({ left: [elsewhere] });
  });
});
