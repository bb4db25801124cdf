import { describe, expect, test } from 'vitest';
import { command } from '#cli/runs/fire.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { argumentsOf, commandsEndWith, fakeDeps, now, textOf } from '../../operator/fake-deps.ts';
import { runCommand, startOf, targetRow } from '../../../builders/run-rows.ts';
import { eveningRun, weeknightsSchedule } from '../../operator/parked-fixtures.ts';

const weeknights = weeknightsSchedule({
  input: JSON.stringify(runCommand({ validFor: 'PT30M', startDelay: 'PT15M' })),
});
const poll = weeknightsSchedule({
  name: 'poll-vendor',
  targetArn: 'arn:aws:lambda:eu-west-1:000000000000:function:poll-scanner-packages',
  input: '{"watch":"vendor","at":"<aws.scheduler.scheduled-time>"}',
});
const schedules = [weeknights, poll];

describe('fire', () => {
  test('sends now what the schedule would send, with an id of its own, so that the occurrence of tonight still comes', async () => {
    const { deps, sent } = fakeDeps({ schedules, ...commandsEndWith({ kind: 'applied' }) });

    const result = await command.run(argumentsOf(command, 'weeknights', '--reason', 'CHG-1'), deps);

    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
      version: 1,
      id: 'fire-weeknights-20261120T200000000Z-abcd1234',
      action: 'start',
      run: 'nightly',
      issuedAt: now.toISOString(),
      validFor: 'PT30M',
      startDelay: 'PT15M',
      origin: { kind: 'operator', name: 'grace' },
      reason: 'CHG-1; schedule weeknights fired manually',
    });
    expect(textOf(result)).toBe('weeknights: start nightly: begins 20:15');
    expect(result.exitCode).toBe(exitCodes.done);
  });

  test('a schedule that stops a run sends nothing while the stage observes and that run, started for real, goes on', async () => {
    const input = JSON.stringify({
      ...JSON.parse(weeknights.input),
      action: 'stop',
      validFor: undefined,
      startDelay: undefined,
    });
    const mornings = { ...weeknights, name: 'mornings', input };
    const { deps, acting, sent } = fakeDeps({ schedules: [mornings], mode: 'observe' });
    await acting.write(undefined, targetRow(eveningRun()));
    await acting.write(undefined, startOf(eveningRun()));

    await expect(command.run(argumentsOf(command, 'mornings'), deps)).rejects.toThrow(
      /^NOT STOPPED: .*nightly: runs since 19:30/,
    );
    expect(sent).toEqual([]);
  });

  test('invokes the function of a poll with the placeholders filled in, and prints its sentence', async () => {
    const payload = '{"summary":"252 packages, nothing changed","packages":252}';
    const { deps, sent, invoked } = fakeDeps({ schedules, functionAnswer: { payload } });

    const result = await command.run(argumentsOf(command, 'poll-vendor'), deps);

    expect(sent).toEqual([]);
    expect(invoked).toEqual(['{"watch":"vendor","at":"2026-11-20T20:00:00Z"}']);
    expect(textOf(result)).toBe('poll-vendor: done, 252 packages, nothing changed');
    expect(result.data).toMatchObject({ answer: { packages: 252 }, failed: false });
  });

  const error = '{"errorType":"TokenError","errorMessage":"no token","trace":["at a","at b"]}';

  test.each([
    ['nothing is just done', { payload: 'null' }, exitCodes.done, 'poll-vendor: done'],
    ['no sentence is printed as it is', { payload: '{"ok":true}' }, exitCodes.done, 'poll-vendor: done, {"ok":true}'],
    [
      'an error fails, in one line',
      { payload: error, functionError: 'Unhandled' },
      exitCodes.failed,
      'poll-vendor: failed, TokenError: no token',
    ],
  ])('a function that answers with %s', async (_what, functionAnswer, exitCode, line) => {
    const { deps } = fakeDeps({ schedules, functionAnswer });

    const result = await command.run(argumentsOf(command, 'poll-vendor'), deps);

    expect([result.exitCode, textOf(result)]).toEqual([exitCode, line]);
  });

  test('fires a disabled schedule all the same, and says that it is disabled', async () => {
    const disabled = { ...weeknights, isEnabled: false };
    const { deps, told } = fakeDeps({ schedules: [disabled], ...commandsEndWith({ kind: 'applied' }) });

    await command.run(argumentsOf(command, 'weeknights'), deps);

    expect(told[0]).toContain('is disabled');
  });

  test.each([
    [['weeknight'], /no schedule "weeknight": did you mean "weeknights"\? \(there are weeknights, poll-vendor\)/],
    [['nightly'], /"nightly" is a run, and fire takes a schedule \(there are .*\): autopilot send start nightly$/],
    [['*'], /no schedule "\*" \(there are weeknights, poll-vendor\)/],
  ])('refuses %j and lists what there is', async (argv, sentence) => {
    const payload = JSON.stringify({ runs: { nightly: { campaignRunIds: [] } } });
    const { deps, sent } = fakeDeps({ schedules, functionAnswer: { payload } });

    await expect(command.run(argumentsOf(command, ...argv), deps)).rejects.toThrow(sentence);
    expect(sent).toEqual([]);
  });

  test('sends nothing if the schedule holds no command', async () => {
    const { deps, sent } = fakeDeps({ schedules: [{ ...weeknights, input: 'hello' }] });

    await expect(command.run(argumentsOf(command, 'weeknights'), deps)).rejects.toThrow(/is no command/);
    expect(sent).toEqual([]);
  });
});
