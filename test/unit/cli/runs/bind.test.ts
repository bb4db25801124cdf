import { describe, expect, test } from 'vitest';
import { command } from '#cli/runs/bind.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { AskedLedger } from '#shared/ledger/ledger.ts';
import { type IdRow, type RunRow, withUsed } from '#shared/ledger/rows/run-row.ts';
import { idRow, runRow, targetRow } from '../../../builders/run-rows.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';
import { eveningRun } from '../../operator/parked-fixtures.ts';

const [one, two, three] = ['1', '2', '3'].map((digit) => `0197f3a0-5b1c-7d2e-8f30-${digit.repeat(12)}`) as [
  string,
  string,
  string,
];
const pk = ledgerKeys.run('nightly');
const [configured, fixed, old, elsewhere, stopped, returned] = ['a', 'b', 'c', 'd', 'e', 'f'].map(
  (digit) => `0197f3a0-5b1c-7d2e-8f30-${digit.repeat(12)}`,
) as [string, string, string, string, string, string];

/** The deployed configuration. */
const runs = {
  nightly: { campaignRunIds: [configured.toUpperCase()] },
  weekly: { campaignRunIds: [] },
  smoke: { campaignRunIds: [fixed] },
};

/** A stage whose worker answers with that configuration. */
function aStage() {
  return fakeDeps({ functionAnswer: { payload: JSON.stringify({ runs }) } });
}

/**
 * One id of `nightly` is used and one is left; one of `weekly` was used long ago and one is left.
 * One was stopped by its uuid alone, and one was given back by a start that was not applied.
 */
async function bound(ledger: Pick<AskedLedger, 'write'>): Promise<void> {
  await ledger.write<RunRow>(undefined, withUsed(runRow({ bound: [two] }), one));
  await ledger.write<RunRow>(undefined, withUsed(runRow({ run: 'weekly', bound: [elsewhere] }), old));
  const free = { run: undefined, startId: undefined };
  const rows = [
    idRow({ campaignRunId: one }),
    idRow({ campaignRunId: old, run: 'weekly' }),
    idRow({ campaignRunId: stopped, ...free, end: { by: 'stop-1', how: 'stopped', at: '2026-11-20T22:00:00.000Z' } }),
    idRow({ campaignRunId: returned, ...free }),
  ];
  for (const row of rows) await ledger.write<IdRow>(undefined, row);
}

describe('bind', () => {
  test('adds ids after those that are there', async () => {
    const { deps, ledger } = aStage();
    await bound(ledger);

    const result = await command.run(argumentsOf(command, 'nightly', three.toUpperCase()), deps);

    expect((await ledger.read<RunRow>(pk))?.bound).toEqual([two, three]);
    expect(textOf(result)).toBe('bound 1 to nightly; 2 added and left');
  });

  test('while the stage observes binds for the stage that acts', async () => {
    const { deps, acting } = fakeDeps({ mode: 'observe', functionAnswer: { payload: JSON.stringify({ runs }) } });

    await command.run(argumentsOf(command, 'nightly', one), deps);

    expect((await acting.read<RunRow>(pk))?.bound).toEqual([one]);
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

    const withRace = { ...deps, stage: { ...deps.stage, acting: async () => racing } };
    await command.run(argumentsOf(command, 'nightly', three), withRace);

    expect((await ledger.read<RunRow>(pk))?.bound).toEqual([two, three]);
  });

  test('binds an id that a start gave back: it was proven not applied', async () => {
    const { deps, ledger } = aStage();
    await bound(ledger);

    await command.run(argumentsOf(command, 'nightly', returned), deps);

    expect((await ledger.read<RunRow>(pk))?.bound).toEqual([two, returned]);
  });

  test('lists what is used and what is left', async () => {
    const { deps, ledger } = aStage();
    const used = withUsed(withUsed(runRow({ bound: [two, three] }), configured.toUpperCase()), two);
    await ledger.write<RunRow>(undefined, used);
    await ledger.write(undefined, targetRow(eveningRun({ campaignRunId: two })));

    const text = textOf(await command.run(argumentsOf(command, 'nightly', '--list'), deps));

    expect(text.split('\n')).toEqual([
      'nightly: 2 used, 1 added and left (those of the configuration come first)',
      `  used  ${configured.toUpperCase()}`,
      `  used  ${two}  in flight`,
      `  left  ${three}`,
    ]);
  });

  test.each([
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
    [['weekly', stopped], /e{12} was stopped: nothing was bound/],
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
    expect((await ledger.read<RunRow>(pk))?.bound).toEqual([two]);
    expect((await ledger.read<RunRow>(ledgerKeys.run('weekly')))?.bound).toEqual([elsewhere]);
    for (const name of ['smoke', 'nightlyy']) expect(await ledger.read(ledgerKeys.run(name))).toBeUndefined();
  });

  test('lists an id that is bound twice once', async () => {
    const { deps, ledger } = aStage();
    await ledger.write<RunRow>(undefined, runRow({ run: 'weekly', bound: [elsewhere, elsewhere] }));

    const result = await command.run(argumentsOf(command, 'weekly', '--list'), deps);

    expect(result.data).toMatchObject({ left: [elsewhere] });
  });
});

/** A stage that answers about these ids. */
const answering = (answer: object) =>
  fakeDeps({
    functionAnswer: (input) => ({
      payload: JSON.stringify(input.includes('run-ids') ? answer : { runs, gateway: { readsRuns: true } }),
    }),
  });

describe('bind at a gateway that shows runs', () => {
  test('names an id that no start can use, and binds nothing', async () => {
    const odd = [{ run: 'nightly', campaignRunId: two, says: 'is cancelled, and only a scheduled run can start' }];
    const { deps, ledger } = answering({ of: 2, read: 2, odd });

    await expect(command.run(argumentsOf(command, 'nightly', one, two), deps)).rejects.toThrow(
      `${two} is cancelled, and only a scheduled run can start: nothing was bound; leave them out`,
    );
    expect(await ledger.read<RunRow>(pk)).toBeUndefined();
  });

  test('binds what could not be read, and says so', async () => {
    const { deps, ledger, told } = answering({ of: 1, read: 0, odd: [], unread: 'no worker calls the gateway' });

    await command.run(argumentsOf(command, 'nightly', one), deps);

    expect((await ledger.read<RunRow>(pk))?.bound).toEqual([one]);
    expect(told).toEqual(['not all ids could be looked at: no worker calls the gateway']);
  });
});
