import { describe, expect, test } from 'vitest';
import { freeze } from '#cli/stage/switch-commands.ts';
import { command } from '#cli/runs/stop.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { argumentsOf, commandsEndWith, fakeDeps, type FakeStage, now, textOf } from '../../operator/fake-deps.ts';
import { idRow, startOf, targetRow } from '../../../builders/run-rows.ts';
import { eveningRun } from '../../operator/parked-fixtures.ts';

const ids = [1, 2, 3].map((number) => `0197f3a0-5b1c-7d2e-8f30-00000000000${number}`);

/** A stage with two runs in flight, and one that is only observed if it observes. */
async function stage(fake: FakeStage = {}) {
  const made = fakeDeps(fake);
  const [nightly = '', other = '', observed = ''] = ids;
  const runs = [
    eveningRun({ campaignRunId: nightly, plansStop: true }),
    eveningRun({ campaignRunId: other, run: 'smoke', startId: 'start-2', due: '2026-11-20T20:10:00.000Z' }),
  ];
  await made.acting.write(undefined, targetRow(...runs));
  for (const run of runs) await made.acting.write(undefined, startOf(run));
  await made.acting.write(undefined, idRow({ campaignRunId: nightly, issuedAt: '2026-11-20T20:00:03.000Z' }));
  if (fake.mode === 'observe') await made.ledger.write(undefined, targetRow(eveningRun({ campaignRunId: observed })));
  return made;
}

const all = ['--all-in-flight', '--reason', 'INC 77'];

describe('stop --all-in-flight', () => {
  test('without --yes shows what is in flight and the command that stops it, and ends as a command line that did nothing', async () => {
    const { deps, sent } = await stage();

    const result = await command.run(argumentsOf(command, ...all, '--stage', 'dev'), deps);

    expect(textOf(result).split('\n')).toEqual([
      '2 runs are in flight',
      `  nightly  ${ids[0]}  runs since 19:30, as the gateway accepted, stops 06:00`,
      `  smoke    ${ids[1]}  begins 20:10`,
      'nothing was stopped; to stop them:',
      "  npx --no -- autopilot stop --all-in-flight --reason 'INC 77' --yes",
    ]);
    expect(result.exitCode).toBe(exitCodes.usage);
    expect(sent).toEqual([]);
  });

  test.each([[[]], [['--yes']]])(
    'of a stage that observes sends nothing and says that the runs go on (%j)',
    async (more) => {
      const { deps, sent } = await stage({ mode: 'observe' });

      const result = await command.run(argumentsOf(command, ...all, ...more), deps);

      expect(textOf(result).split('\n')).toEqual([
        'NOT STOPPED: the stage only observes, so no stop is sent, and these 2 runs, started for real, go on',
        expect.stringContaining(`nightly  ${ids[0]}`),
        expect.stringContaining(ids[1] ?? ''),
        expect.stringMatching(/^Stop it at the gateway, or deploy mode: 'act'\./),
      ]);
      expect(result).toMatchObject({ exitCode: exitCodes.failed, data: { stops: [], notSent: ids.slice(0, 2) } });
      expect(sent).toEqual([]);
    },
  );

  test('with --yes sends a stop for each and tells how each ended', async () => {
    const { deps, sent } = await stage(commandsEndWith({ kind: 'applied', detail: 'stopped' }));

    const result = await command.run(argumentsOf(command, ...all, '--yes'), deps);

    expect(sent.map(({ body }) => JSON.parse(body))).toMatchObject([
      // 1 ms after the start of the run: the stop is later, whatever the clock of this
      // machine says.
      { action: 'stop', campaignRunId: ids[0], reason: 'INC 77', issuedAt: '2026-11-20T20:00:03.001Z' },
      {
        action: 'stop',
        campaignRunId: ids[1],
        issuedAt: now.toISOString(),
        origin: { kind: 'operator', name: 'grace' },
      },
    ]);
    expect(new Set(sent.map(({ body }) => JSON.parse(body).id)).size).toBe(2);
    expect(textOf(result).split('\n')).toEqual([
      `stop nightly (${ids[0]}): applied: stopped`,
      `stop smoke (${ids[1]}): applied: stopped`,
      'Starts are not blocked. To block them, with your reason in the place of TEXT:',
      '  npx --no -- autopilot freeze --reason TEXT',
    ]);
    expect(result.exitCode).toBe(exitCodes.done);
  });

  test('says which stops have no outcome yet: one patience for all of them', async () => {
    const ends = commandsEndWith({ kind: 'applied' });
    const { deps } = await stage({
      async onSend(queue, body, ledger) {
        if (body.includes(ids[1] ?? '')) await ends.onSend(queue, body, ledger);
      },
    });

    const result = await command.run(argumentsOf(command, ...all, '--yes', '--timeout', '30s'), deps);

    expect(textOf(result)).toContain(`stop nightly (${ids[0]}): no outcome yet, and no attempt at it has ended`);
    expect(textOf(result)).toContain(`stop smoke (${ids[1]}): applied`);
    expect(result.exitCode).toBe(exitCodes.timedOut);
    expect(deps.elapsedMs()).toBe(30_000);
  });

  test('Ctrl-C tells which stops were not sent', async () => {
    const pressed = new AbortController();
    const { deps } = await stage({ interruption: pressed.signal, onSend: async () => pressed.abort() });

    const result = await command.run(argumentsOf(command, ...all, '--yes'), deps);

    expect(textOf(result)).toContain(`stop smoke (${ids[1]}): not sent`);
    expect(result).toMatchObject({ exitCode: exitCodes.failed, data: { notSent: [ids[1]] } });
  });

  test('while starts are frozen there is no hint to freeze them', async () => {
    const { deps } = fakeDeps();
    await freeze.run(argumentsOf(freeze, '--reason', 'x'), deps);

    const result = await command.run(argumentsOf(command, ...all, '--yes'), deps);

    expect(textOf(result)).toBe('nothing is in flight: no stop was sent');
    expect(result.exitCode).toBeUndefined();
  });

  test.each([
    [['--reason', 'x'], /stop needs --all-in-flight/],
    [['--all-in-flight'], /--reason is required/],
  ])('refuses %j', async (argv, message) => {
    const { deps, sent } = await stage();

    await expect(command.run(argumentsOf(command, ...argv), deps)).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });
});
