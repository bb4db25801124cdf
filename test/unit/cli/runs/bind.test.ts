import { describe, expect, test } from 'vitest';
import { command } from '#cli/runs/bind.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { AskedLedger } from '#shared/ledger/ledger.ts';
import {
  newRunIdPool,
  type RunIdPoolRow,
  withLive,
  withoutLive,
  withUsed,
} from '#shared/ledger/rows/run-id-pool-row.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';
import { runningRow } from '../../operator/parked-fixtures.ts';

const [one, two, three] = ['1', '2', '3'].map((digit) => `0197f3a0-5b1c-7d2e-8f30-${digit.repeat(12)}`) as [
  string,
  string,
  string,
];
const pk = ledgerKeys.runIdPool('nightly');
const [configured, fixed, old, elsewhere, byUuid, byHand] = ['a', 'b', 'c', 'd', 'e', 'f'].map(
  (digit) => `0197f3a0-5b1c-7d2e-8f30-${digit.repeat(12)}`,
) as [string, string, string, string, string, string];

/**
 * The deployed configuration: two runs with an id for each start, one that is started again and
 * again.
 */
const runs = {
  nightly: { pool: { kind: 'list', campaignRunIds: [configured.toUpperCase()] } },
  weekly: { pool: { kind: 'list', campaignRunIds: [] } },
  smoke: { pool: { kind: 'repeat', campaignRunId: fixed } },
};

/** A stage whose worker answers with that configuration. */
function aStage() {
  return fakeDeps({ functionAnswer: { payload: JSON.stringify({ runs }) } });
}

/** One id was used long ago, and one is left. */
const weekly: RunIdPoolRow = {
  ...withoutLive(withUsed(newRunIdPool('weekly'), old, 'weekly@2026-01-05T22:00:00Z'), old),
  added: [elsewhere],
};

/**
 * One id of `nightly` is used, one is left and one was started by its uuid; one of `weekly` is
 * left.
 */
async function bound(ledger: Pick<AskedLedger, 'write'>): Promise<void> {
  const nightly = withLive(withUsed({ ...newRunIdPool('nightly'), added: [two] }, one, 'weeknights-1'), byUuid);
  await ledger.write<RunIdPoolRow>(undefined, nightly);
  await ledger.write<RunIdPoolRow>(undefined, weekly);
  await ledger.write(undefined, runningRow(byHand));
}

describe('bind', () => {
  test('adds ids after those that are there', async () => {
    const { deps, ledger } = aStage();
    await bound(ledger);

    const result = await command.run(argumentsOf(command, 'nightly', three.toUpperCase()), deps);

    expect((await ledger.read<RunIdPoolRow>(pk))?.added).toEqual([two, three]);
    expect(textOf(result)).toBe('bound 1 to nightly; 2 added and left');
  });

  test('begins the row of a run that the ledger has never seen', async () => {
    const { deps, ledger } = aStage();

    const result = await command.run(argumentsOf(command, 'nightly', one), deps);

    expect((await ledger.read<RunIdPoolRow>(pk))?.added).toEqual([one]);
    expect(textOf(result)).toBe('bound 1 to nightly; 1 added and left');
  });

  test('writes again on top of what another person wrote meanwhile', async () => {
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

    expect((await ledger.read<RunIdPoolRow>(pk))?.added).toEqual([two, three]);
  });

  test('lists what is used and what is left', async () => {
    const { deps, ledger } = aStage();
    const used = withUsed(
      { ...newRunIdPool('nightly'), added: [two, three] },
      configured.toUpperCase(),
      'weeknights-1',
    );
    await ledger.write<RunIdPoolRow>(
      undefined,
      withUsed(withoutLive(used, configured.toUpperCase()), two, 'weeknights-2'),
    );

    const text = textOf(await command.run(argumentsOf(command, 'nightly', '--list'), deps));

    expect(text.split('\n')).toEqual([
      'nightly: 2 used, 1 added and left (those of the configuration come first)',
      `  used  ${configured.toUpperCase()}`,
      `  used  ${two}  in flight`,
      `  left  ${three}`,
    ]);
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
    [['weekly', byUuid], /e{12} is in flight as nightly: nothing was bound/],
    [['weekly', byHand], /f{12} is in flight: nothing was bound/],
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
    expect((await ledger.read<RunIdPoolRow>(pk))?.added).toEqual([two]);
    expect((await ledger.read<RunIdPoolRow>(ledgerKeys.runIdPool('weekly')))?.added).toEqual([elsewhere]);
    for (const name of ['smoke', 'nightlyy']) expect(await ledger.read(ledgerKeys.runIdPool(name))).toBeUndefined();
  });

  test('binds nothing if the worker does not tell its configuration', async () => {
    const { deps, ledger } = fakeDeps();

    await expect(command.run(argumentsOf(command, 'nightly', one), deps)).rejects.toThrow(/did not answer/);
    expect(await ledger.read(pk)).toBeUndefined();
  });

  test('lists the ids of a run that is configured no more', async () => {
    const { deps, ledger } = aStage();
    await ledger.write<RunIdPoolRow>(undefined, { ...newRunIdPool('monthly'), added: [elsewhere] });

    expect(textOf(await command.run(argumentsOf(command, 'monthly', '--list'), deps))).toContain(`left  ${elsewhere}`);
  });

  test('counts an id that was added twice once, and none that was used long ago', async () => {
    const { deps, ledger } = aStage();
    await ledger.write<RunIdPoolRow>(undefined, { ...weekly, added: [old, elsewhere, elsewhere] });

    const result = await command.run(argumentsOf(command, 'weekly', '--list'), deps);

    expect(result.data).toMatchObject({ left: [elsewhere] });
  });
});
