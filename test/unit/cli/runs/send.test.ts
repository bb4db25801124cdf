import { describe, expect, test } from 'vitest';
import { command } from '#cli/runs/send.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import type { IdRow, RunRow } from '#shared/ledger/rows/run-row.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandRow, idRow, inFlight, runRow, targetRow } from '../../../builders/run-rows.ts';
import { argumentsOf, commandsEndWith, fakeDeps, now, textOf } from '../../operator/fake-deps.ts';
import { eveningRun, weeknightsSchedule } from '../../operator/parked-fixtures.ts';

const uuid = '0197f3a0-5b1c-7d2e-8f30-112233445566';
const ahead = '2026-11-20T20:00:07.000Z';
const afterAhead = '2026-11-20T20:00:07.001Z';

describe('send', () => {
  test('a stage that only observes: the outcome of what would have been is found, and told as that', async () => {
    const { deps } = fakeDeps({
      mode: 'observe',
      ...commandsEndWith({ kind: 'applied', detail: 'would have sent: PATCH' }),
    });

    const result = await command.run(argumentsOf(command, 'start', 'nightly'), deps);

    expect(textOf(result)).toBe('start nightly: observed: would have sent: PATCH');
    expect(result).toMatchObject({ exitCode: exitCodes.done, data: { outcome: 'applied', isObserved: true } });
  });

  // The worker parked it CONFIG, and a person had to close the row.
  describe('of a run that is not configured', () => {
    const functionAnswer = {
      payload: JSON.stringify({ runs: { smoke: { campaignRunIds: [uuid] } } }),
    };

    test.each([
      ['start', 'smok', /there is no run "smok": did you mean "smoke"\? \(there are smoke/],
      ['stop', '019ba000-0000', /"019ba000-0000" is not a whole uuid, and no run in flight begins with it/],
    ])('%s %s is refused with the names there are', async (action, name, words) => {
      const { deps, sent } = fakeDeps({ functionAnswer });

      await expect(command.run(argumentsOf(command, action, name), deps)).rejects.toThrow(words);
      expect(sent).toEqual([]);
    });

    test('half a uuid is answered with the run that begins with it, a schedule with fire', async () => {
      const { deps, sent } = fakeDeps({
        functionAnswer,
        rows: [targetRow(inFlight({ campaignRunId: uuid }))],
        schedules: [weeknightsSchedule()],
      });
      const half = uuid.slice(0, 18);

      await expect(command.run(argumentsOf(command, 'stop', half), deps)).rejects.toMatchObject({
        step: { command: ['autopilot', 'send', 'stop', uuid] },
      });
      await expect(command.run(argumentsOf(command, 'start', 'weeknights'), deps)).rejects.toMatchObject({
        step: { says: '"weeknights" is a schedule, not a run', command: ['autopilot', 'fire', 'weeknights'] },
      });
      expect(sent).toEqual([]);
    });

    test('a stop is sent if the ledger knows the name: its run may be in flight', async () => {
      const { deps, sent } = fakeDeps({ functionAnswer, rows: [runRow()] });

      await command.run(argumentsOf(command, 'stop', 'nightly', '--no-wait'), deps);

      expect(sent).toHaveLength(1);
    });
  });

  // Without its id, no command could tell what became of it.
  test('--no-wait names the command that tells what becomes of it', async () => {
    const { deps } = fakeDeps();

    const result = await command.run(argumentsOf(command, 'start', 'nightly', '--no-wait'), deps);

    const { command: asked } = result.data as { readonly command: CampaignRunCommand };
    expect(textOf(result)).toContain(`autopilot show ${asked.id}`);
  });

  // It said only that nothing runs, so the person sent the command once more.
  test('a stage that goes away while it waits: the error says that the command was sent, and its id', async () => {
    const { deps, ledger, sent } = fakeDeps();
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const gone = async () => {
      if (sent.length > 0) throw refused;
      return ledger;
    };

    const asked = command.run(argumentsOf(command, 'stop', uuid), { ...deps, stage: { ...deps.stage, ledger: gone } });

    await expect(asked).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringMatching(
        /^(\S+) was sent; waiting for it failed: nothing runs at http.*: autopilot show '?\1'?$/,
      ),
    });
  });

  test('a stop in a stage that only observes says what would have been sent, and never ends as a stop that was made', async () => {
    const ending = commandsEndWith({ kind: 'applied', detail: 'would have sent: PATCH' });
    const { deps } = fakeDeps({ mode: 'observe', ...ending });

    const result = await command.run(argumentsOf(command, 'stop', uuid), deps);

    expect(textOf(result).split('\n')).toEqual([
      `stop ${uuid}: observed: would have sent: PATCH`,
      'no stop was sent: the stage only observes; a run at the gateway goes on',
    ]);
    expect(result.exitCode).toBe(exitCodes.passedOver);
  });

  test('an override names its guards and its reason, once each', async () => {
    const { deps, sent } = fakeDeps(commandsEndWith({ kind: 'applied' }));

    await command.run(
      argumentsOf(command, 'start', 'nightly', '--override', 'gap, Blackout,gap', '--reason', 'x'),
      deps,
    );

    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
      reason: 'x',
      override: { guards: ['gap', 'blackout'], reason: 'x' },
    });
  });

  test.each([
    [['start', 'nightly', '--override', 'gap'], /--reason is required/],
    [['start', 'nightly', '--override', 'gaps', '--reason', 'x'], /there is no guard "gaps": did you mean "gap"\?/],
  ])('refuses an override that says too little or nothing: %j', async (argv, message) => {
    const { deps, sent } = fakeDeps();

    await expect(command.run(argumentsOf(command, ...argv), deps)).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });

  test('sends a start with an id of its own, who asked and why, and waits for its outcome', async () => {
    const { deps, sent } = fakeDeps(commandsEndWith({ kind: 'applied' }));

    const words = 'start nightly --reason CHG-1 --stop-after 8h --start-delay'.split(' ');
    const result = await command.run(argumentsOf(command, ...words, '15 minutes'), deps);

    expect(sent).toHaveLength(1);
    expect(sent[0]?.queue).toBe('commands');
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
      version: 1,
      id: 'send-start-nightly-20261120T200000000Z-abcd1234',
      action: 'start',
      run: 'nightly',
      issuedAt: now.toISOString(),
      origin: { kind: 'operator', name: 'grace' },
      reason: 'CHG-1',
      stopAfter: 'PT8H',
      startDelay: 'PT15M',
    });
    expect(textOf(result)).toBe('start nightly: begins 20:15');
    expect(result.exitCode).toBe(exitCodes.done);
  });

  test('a start takes an id of the run by --id, whatever the case of its letters', async () => {
    const { deps, sent } = fakeDeps(commandsEndWith({ kind: 'applied' }));

    await command.run(argumentsOf(command, 'start', 'nightly', '--id', uuid.toUpperCase()), deps);

    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
      id: 'send-start-nightly-20261120T200000000Z-abcd1234',
      action: 'start',
      run: 'nightly',
      campaignRunId: uuid,
    });
  });

  // A slow clock can still stop a run.
  test.each<[string, RunRow | TargetRow | IdRow, string]>([
    ['the recorded start of its id', idRow({ campaignRunId: uuid, issuedAt: ahead }), `stop ${uuid}`],
    [
      'the latest stop or deferred start of its name',
      runRow({ latest: { issuedAt: ahead, id: 'x' } }),
      'start nightly',
    ],
    ['the start of a run in flight of its name', targetRow(eveningRun({ issuedAt: ahead })), 'start nightly'],
  ])('stamps a command after %s', async (_what, row, line) => {
    const { deps, sent } = fakeDeps({ ...commandsEndWith({ kind: 'applied' }), rows: [row] });

    await command.run(argumentsOf(command, ...line.split(' ')), deps);

    expect(JSON.parse(sent[0]?.body ?? '').issuedAt).toBe(afterAhead);
  });

  test('its last line says why the last request failed, if the command still waits', async () => {
    const lastError = 'PATCH was answered 404: campaign run not found';
    const { deps, told } = fakeDeps({
      async onSend(_queue, body, ledger) {
        const asked: CampaignRunCommand = JSON.parse(body);
        const refusals = { status: 404, count: 1, since: ahead };
        const why = { waitsFor: lastError, lastError, nextTryAt: afterAhead };
        const attempt = { crashes: 0, since: ahead, tries: 1, refusals, ...why };
        const open = { openState: 'PENDING', openSince: ahead } as const;
        await ledger.write(undefined, commandRow(asked, { attempt, ...open }));
      },
    });

    const result = await command.run(argumentsOf(command, 'start', 'nightly'), deps);

    expect(textOf(result)).toBe(
      `start nightly: no outcome yet (1 try since ${ahead}: last error: ${lastError}; refused once (404): it looks permanent, and the work is parked if it goes on; next try ${afterAhead}). It is not lost. How it ends:\n  npx --no -- autopilot status`,
    );
    expect(result).toMatchObject({
      exitCode: exitCodes.timedOut,
      data: { outcome: 'waiting', pending: { lastError } },
    });
    expect(told, 'said once while it waits').toEqual([expect.stringContaining(`last error: ${lastError}`)]);
  });

  test('reports a timeout if no worker answers', async () => {
    const { deps, told } = fakeDeps();

    const result = await command.run(argumentsOf(command, 'stop', 'nightly'), deps);

    expect(result.exitCode).toBe(exitCodes.timedOut);
    expect(told[0]).toContain('sent; no outcome yet');
  });

  test.each([
    [['start', '0197f3a0-5b1c-7d2e-8f30-1122334455'], /not a whole uuid/],
    [['start', uuid], /^a start names a configured run, and 0197f3a0-\S+ is a uuid: .* send start RUN --id 0197f3a0-/],
    [['start', 'nightly', '--id', 'nightly'], /^--id: "nightly" is not a uuid$/],
    [['start', 'nightly', '--valid-for', 'eight'], /--valid-for: "eight" is not a duration/],
    // "Too small: expected string to have >=1 characters", and 5,000 characters of a name.
    [['start', 'n'.repeat(200)], /^"n{40}…" is no run: its name has at most 100 characters$/],
    [['start', ''], /^which run\?/],
    [['start', 'nightly', '--reason', 'x'.repeat(1001)], /would be refused: reason: is longer than 1000 characters$/],
  ])('refuses %j and sends nothing', async (argv, sentence) => {
    const { deps, sent } = fakeDeps();

    await expect(command.run(argumentsOf(command, ...argv), deps)).rejects.toThrow(sentence);
    expect(sent).toEqual([]);
  });
});
