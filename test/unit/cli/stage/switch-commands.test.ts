import { describe, expect, test } from 'vitest';
import { type Command, exitCodes } from '#cli/terminal/command.ts';
import { freeze, pause, resume, thaw } from '#cli/stage/switch-commands.ts';
import { command as status } from '#cli/reports/status.ts';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { readSwitch, setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { argumentsOf, fakeDeps, textOf, linesOf } from '../../operator/fake-deps.ts';
import { weeknightsSchedule } from '../../operator/parked-fixtures.ts';

const weeknights = weeknightsSchedule();
const schedules: readonly DeployedSchedule[] = [
  weeknights,
  { ...weeknights, name: 'by-morning', input: '{"version":1,"action":"stop","run":"nightly"}' },
  { ...weeknights, name: 'scanner-packages.vendor', targetArn: 'arn:aws:lambda:eu-west-1:000000000000:function:poll' },
  { ...weeknights, name: 'smoke' },
];

const config = JSON.stringify({
  mode: 'act',
  runs: { nightly: { name: 'nightly', campaign: 'chat-bot' }, quick: { name: 'quick', campaign: 'smoke' } },
});

/** A stage with these schedules and campaigns, and its command line. */
function stage() {
  const fake = fakeDeps({ schedules, functionAnswer: { payload: config } });
  const run = async (command: Command, ...argv: readonly string[]) =>
    command.run(argumentsOf(command, ...argv), fake.deps);
  return { ...fake, run };
}

describe('freeze and thaw', () => {
  test('a freeze is on top of status, with who, why and how it ends, until it is thawed', async () => {
    const { run, ledger } = stage();

    const frozen = await run(freeze, '--reason', 'INC-77');

    expect(frozen).toMatchObject({ exitCode: exitCodes.done, data: { isOn: true, isChanged: true, by: 'grace' } });
    expect(textOf(frozen)).toBe(
      'FROZEN: no start of this stage is sent, but stops are\n  It has no end. To end it now:\n    npx --no -- autopilot thaw',
    );
    const shown = await run(status);
    expect(textOf(shown)).toMatch(
      /PROBLEM +freeze +FROZEN by grace: INC-77; no start of this stage is sent, but stops are \(since .*\)\n.*\n +npx --no -- autopilot thaw\n/,
    );
    expect(shown.data).toMatchObject({ switches: [{ scope: 'stage', by: 'grace', reason: 'INC-77' }] });
    const thawed = await run(thaw, '--reason', 'over');
    expect(textOf(thawed)).toContain('thawed: starts are judged by the other guards again');
    expect(textOf(thawed)).toContain('it was switched by grace 2026-11-20T20:00:00.000Z: INC-77');
    expect(await readSwitch(ledger, stageSwitch)).toMatchObject({ isOn: false, reason: 'over' });
    expect(textOf(await run(status))).not.toContain('FROZEN');
  });

  test('one with --for ends automatically: neither status nor another freeze sees it afterwards', async () => {
    const { run, deps, ledger } = stage();
    const frozen = await run(freeze, '--reason', 'INC-77', '--for', '3d');
    const before = await run(status);

    await deps.wait(3 * 24 * 60 * 60_000);
    const after = await run(status);
    const again = await run(freeze, '--reason', 'INC-78');

    expect(textOf(frozen)).toContain('It ends automatically 2026-11-23T20:00:00.000Z');
    expect(textOf(before)).toMatch(/FROZEN by grace: INC-77.* until 2026-11-23T20:00/);
    expect(after.data).toMatchObject({ switches: [] });
    expect(again.data).toMatchObject({ isChanged: true, reason: 'INC-78' });
    expect((await readSwitch(ledger, stageSwitch))?.until).toBeUndefined();
  });

  // At night people type 06:00; it was refused, and only 2026-11-21T06:00:00Z was taken.
  test('an end of 06:00 is the next one, and is said as it was understood', async () => {
    const frozen = await stage().run(freeze, '--reason', 'INC-77', '--until', '06:00');

    const lines = linesOf(frozen);
    expect(lines).toContain('  It ends automatically 06:00, in 10 h. To end it now:');
  });

  test.each([
    [['--for', 'long'], /--for: "long" is not a duration/],
    [['--until', '2026-11-20T19:00:00Z'], /has passed/],
    [['--until', 'friday'], /--until/],
  ])('an end that says nothing is refused: %j', async (argv, message) => {
    const { run, ledger } = stage();

    await expect(run(pause, 'weeknights', '--reason', 'x', ...argv)).rejects.toThrow(message);
    expect(ledger.all()).toEqual([]);
  });

  test('a second freeze leaves the first as it is, and says so', async () => {
    const { run } = stage();
    await run(freeze, '--reason', 'INC-77');

    const again = await run(freeze, '--reason', 'INC-78');

    expect(again).toMatchObject({ exitCode: exitCodes.done, data: { isChanged: false, reason: 'INC-77' } });
    expect(textOf(again)).toContain('FROZEN already');
    expect(textOf(again)).toContain('by grace 2026-11-20T20:00:00.000Z: INC-77');
  });

  // It said "left as it is" with exit code 0, and the weekend's end was dropped.
  test('an end that is given to a stage which is frozen already fails, with what to type', async () => {
    const { run } = stage();
    await run(freeze, '--reason', 'INC-77');

    const again = await run(freeze, '--reason', 'INC-77', '--for', '3d');

    expect(again.exitCode).toBe(exitCodes.failed);
    expect(textOf(again)).toMatch(/Its end was not changed.*\n +npx --no -- autopilot thaw/);
  });

  test('a thaw of what is not frozen does nothing', async () => {
    const { run, ledger } = stage();

    const result = await run(thaw);

    expect(textOf(result)).toBe('the stage is not frozen: left as it is');
    expect(result).toMatchObject({ exitCode: exitCodes.done, data: { isChanged: false } });
    expect(ledger.all()).toEqual([]);
  });
});

describe('pause and resume', () => {
  test.each([
    ['weeknights', 'schedule', 'PAUSED schedule weeknights: none of the starts that it asks for is sent'],
    ['chat-bot', 'campaign', 'PAUSED campaign chat-bot: none of its starts is sent, but stops are'],
  ] as const)('%s is paused as what it is, shown on top of status, and resumed', async (name, scope, line) => {
    const { run, ledger } = stage();

    const paused = await run(pause, name, '--reason', 'release week');

    expect(textOf(paused)).toBe(
      `${line}\n  It has no end. To end it now:\n    npx --no -- autopilot resume ${scope} ${name}`,
    );
    expect(await readSwitch(ledger, { scope, name })).toMatchObject({ isOn: true, reason: 'release week' });
    expect(textOf(await run(status))).toMatch(
      new RegExp(`PAUSED ${scope} ${name} by grace: .*\\n.*\\n +npx --no -- autopilot resume ${scope} ${name}\\n`),
    );
    const resumed = await run(resume, name);
    expect(textOf(resumed)).toContain(`resumed ${scope} ${name}`);
    expect(await readSwitch(ledger, { scope, name })).toMatchObject({ isOn: false, reason: 'no reason given' });
    expect(textOf(await run(resume, name))).toBe(`${scope} ${name} is not paused: left as it is`);
  });

  test('a name that is both has to be said', async () => {
    const { run, ledger } = stage();

    await expect(run(pause, 'smoke', '--reason', 'x')).rejects.toThrow(
      /in the place of KIND: autopilot pause KIND smoke --reason x$/,
    );
    await run(pause, 'campaign', 'smoke', '--reason', 'x');
    expect(await readSwitch(ledger, { scope: 'campaign', name: 'smoke' })).toMatchObject({ isOn: true });
    expect(await readSwitch(ledger, { scope: 'schedule', name: 'smoke' })).toBeUndefined();
    await run(pause, 'schedule', 'smoke', '--reason', 'x');
    await expect(run(resume, 'smoke')).rejects.toThrow(/autopilot resume KIND smoke/);
    await run(resume, 'schedule', 'smoke');
    await run(resume, 'smoke');
    expect(await readSwitch(ledger, { scope: 'campaign', name: 'smoke' })).toMatchObject({ isOn: false });
  });

  // It said that there is no weeknights, and asked whether weeknights was meant.
  test.each([
    ['campaign', 'weeknights', /^"weeknights" is a schedule, not a campaign: .* pause schedule weeknights --reason x$/],
    ['schedule', 'chat-bot', /^"chat-bot" is a campaign, not a schedule: .* pause campaign chat-bot --reason x$/],
    ['campaign', 'weeknight', /there is no schedule or campaign "weeknight"/],
    ['schedule', 'chat-boot', /there is no schedule or campaign "chat-boot"/],
  ])('the %s %s is of another kind: the command says of which, and what to type', async (scope, name, message) => {
    const { run, ledger } = stage();

    await expect(run(pause, scope, name, '--reason', 'x')).rejects.toThrow(message);
    expect(ledger.all()).toEqual([]);
  });

  test('what is paused as the other kind is resumed as that, also if both have the name', async () => {
    const { run } = stage();
    await run(pause, 'schedule', 'smoke', '--reason', 'x');

    await expect(run(resume, 'campaign', 'smoke')).rejects.toThrow(
      /^"smoke" is paused as a schedule: autopilot resume schedule smoke$/,
    );
  });

  test.each([
    ['weeknight', /there is no schedule or campaign "weeknight": did you mean "weeknights"\? \(there are schedules /],
    ['nightly', /"nightly" is a run of the campaign chat-bot: autopilot pause chat-bot --reason x$/],
    ['by-morning', /asks for stops, and a stop passes every guard/],
    ['scanner-packages.vendor', /only looks at the gateway/],
    ['no such thing/', /there is no schedule or campaign/],
  ])('%s cannot be paused, and the command says why', async (name, message) => {
    const { run, ledger } = stage();

    await expect(run(pause, name, '--reason', 'x')).rejects.toThrow(message);
    expect(ledger.all()).toEqual([]);
  });

  test('a schedule can be paused by its kind and name while the worker that knows the campaigns is down', async () => {
    const { deps, ledger } = fakeDeps({ schedules, functionAnswer: { payload: '{}', functionError: 'Unhandled' } });

    await expect(pause.run(argumentsOf(pause, 'weeknights', '--reason', 'x'), deps)).rejects.toThrow(
      /did not answer the question "config" as this version does: \{\}/,
    );
    await pause.run(argumentsOf(pause, 'schedule', 'weeknights', '--reason', 'x'), deps);
    expect(await readSwitch(ledger, { scope: 'schedule', name: 'weeknights' })).toMatchObject({ isOn: true });
  });

  test('what was never paused cannot be resumed; what is paused is named', async () => {
    const { run } = stage();
    await expect(run(resume, 'weeknights')).rejects.toThrow(/was never paused \(nothing is paused\)/);
    await run(pause, 'weeknights', '--reason', 'x');

    await expect(run(resume, 'weeknight')).rejects.toThrow(/did you mean "weeknights"\? \(paused are weeknights\)/);
  });

  test('a hold of an alarm that is no longer configured is resumed by its name, and none is paused', async () => {
    const { run, ledger } = stage();
    const hold = { scope: 'alarm', name: 'chat-bot/target-5xx' } as const;
    await setSwitch(ledger, hold, { isOn: true, by: 'alarm target-5xx', reason: 'it rings', at: new Date() });

    await expect(run(pause, 'alarm', hold.name, '--reason', 'x')).rejects.toThrow(/takes one name/);
    expect(textOf(await run(status))).toContain('HELD campaign chat-bot by alarm target-5xx');
    expect(textOf(await run(resume, 'alarm', hold.name))).toContain('resumed alarm chat-bot/target-5xx');
    expect(await readSwitch(ledger, hold)).toMatchObject({ isOn: false });
  });
});
