import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ICAL from 'ical.js';
import { describe, expect, test } from 'vitest';
import { command } from '#cli/reports/plan.ts';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { previewQuestion } from '#shared/messages/questions.ts';
import { runEndsRow } from '../../../builders/run-rows.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';
import { weeknightsSchedule } from '../../operator/parked-fixtures.ts';

const weeknights = weeknightsSchedule({ timezone: 'America/New_York' });

/** What the worker is asked; it answers as if every start were applied. */
function stage(schedules: readonly DeployedSchedule[] = [weeknights], answer: object = {}, blackouts: object[] = []) {
  const fake = fakeDeps({
    schedules,
    functionAnswer(input) {
      if (input.includes('"config"')) return { payload: JSON.stringify({ timezone: 'Europe/Dublin', blackouts }) };
      if (input.includes('"supplies"')) return { payload: JSON.stringify({ bindings: [], budgets: [] }) };
      const { commands } = previewQuestion.parse(JSON.parse(input));
      const ended = commands.map((one) => {
        const { id, action, run, issuedAt, origin } = one as Record<string, unknown>;
        return {
          id,
          at: issuedAt,
          action,
          run,
          origin,
          outcome: 'applied',
          effectAt: issuedAt,
          verdicts: [],
          requests: [],
        };
      });
      const told = { now: '2026-11-20T20:00:00.000Z', mode: 'act', unread: [], commands: ended, ...answer };
      return { payload: JSON.stringify(told) };
    },
  });
  const run = async (...argv: readonly string[]) => command.run(argumentsOf(command, ...argv), fake.deps);
  const asked = () => previewQuestion.parse(JSON.parse(fake.invoked.findLast((one) => one.includes('preview')) ?? ''));
  return { ...fake, run, asked };
}

test('tells when the run of a start usually ends: the median of the last five of its name', async () => {
  const { run, ledger } = stage();
  await ledger.write(undefined, runEndsRow(60, 10, 50, 20, 45));

  const result = await run('--days', '1');

  expect(result.data).toMatchObject({ commands: [{ expectedEnd: '2026-11-21T03:45:00.000Z' }] });
  expect(textOf(result)).toContain('it usually ends 2026-11-21T03:45:00.000Z');
});

test("tells the stage's zone, and each time of a blackout within its range", async () => {
  const window = { kind: 'recurring', expression: 'cron(0 8 ? * SAT *)', timezone: 'Europe/Dublin', lasts: 'PT10H' };
  const blackout = { name: 'weekend', starts: 'defer', campaigns: ['chat-bot'], window };

  const result = await stage([], {}, [blackout]).run('--days', '9');

  const common = { name: 'weekend', starts: 'defer', campaigns: ['chat-bot'] };
  expect(result.data).toMatchObject({
    timezone: 'Europe/Dublin',
    blackouts: [
      { ...common, from: '2026-11-21T08:00:00.000Z', until: '2026-11-21T18:00:00.000Z' },
      { ...common, from: '2026-11-28T08:00:00.000Z', until: '2026-11-28T18:00:00.000Z' },
    ],
  });
  expect(textOf(result)).toMatch(/Blackouts\n {2}\S.* {2}weekend {2}defers starts {2}of chat-bot\n/);
});

describe('plan', () => {
  test('asks the worker about every occurrence, by the id and the instant that Scheduler would give it', async () => {
    const { run, asked } = stage([
      weeknights,
      { ...weeknights, name: 'off', isEnabled: false },
      { ...weeknights, name: 'poll', targetArn: 'arn:aws:lambda:eu-west-1:000000000000:function:poll' },
    ]);

    await run('--days', '4');

    expect(asked()).toMatchObject({
      until: '2026-11-24T20:00:00.000Z',
      commands: [
        { id: 'weeknights@2026-11-21T03:00:00Z', issuedAt: '2026-11-21T03:00:00Z', run: 'nightly' },
        { id: 'weeknights@2026-11-24T03:00:00Z' },
      ],
    });
  });

  test('says what a change of the clocks does to a schedule', async () => {
    const { run } = stage([{ ...weeknights, expression: 'cron(30 2 * * ? *)' }]);

    const spring = await run('--from', '2027-03-13T12:00:00Z', '--days', '2');
    const autumn = await run('--from', '2027-11-06T12:00:00Z', '--days', '2');

    expect(textOf(spring)).toContain(
      'weeknights: 2027-03-14 02:30 America/New_York does not exist, the clocks go forward: it does not fire then',
    );
    // At 02:00 the clocks go back to 01:00: this time comes once.
    expect(textOf(autumn)).not.toContain('Clock changes');
    const repeated = stage([{ ...weeknights, expression: 'cron(30 1 * * ? *)' }]);
    expect(textOf(await repeated.run('--from', '2027-11-06T12:00:00Z', '--days', '2'))).toContain(
      'weeknights: 2027-11-07 01:30 America/New_York comes twice, the clocks go back: it fires once, the first time',
    );
  });

  test('says nothing of a change of the clocks that is over as the plan begins, nor of one after its end', async () => {
    // At 07:00 UTC New York goes forward; the date alone, which used to be compared, is the same before and after.
    const { run } = stage([{ ...weeknights, expression: 'cron(30 2 * * ? *)' }]);
    const changes = async (...argv: readonly string[]) => (await run(...argv)).data as { clockChanges: unknown[] };

    expect(await changes('--from', '2027-03-14T06:59:00Z', '--days', '1')).toMatchObject({ clockChanges: [{}] });
    expect(await changes('--from', '2027-03-14T07:01:00Z', '--days', '1')).toMatchObject({ clockChanges: [] });
    // Still the thirteenth in New York at midnight UTC of the fourteenth, and the change is to come.
    expect(await changes('--from', '2027-03-12T00:00:00Z', '--days', '2')).toMatchObject({ clockChanges: [] });
    expect(await changes('--from', '2027-03-13T00:00:00Z', '--days', '2')).toMatchObject({ clockChanges: [{}] });
  });

  test('more than one question takes is cut, and the plan says where', async () => {
    const { run, asked } = stage([
      { ...weeknights, expression: 'rate(1 minute)', startDate: new Date('2026-11-20T20:00:00Z') },
    ]);

    const plan = await run();

    expect(asked().commands).toHaveLength(2000);
    expect(plan.data).toMatchObject({ cutAt: '2026-11-22T05:20:00.000Z' });
    expect(textOf(plan)).toContain('what comes after 2026-11-22T05:20:00.000Z is left out');
  });

  test('a stage without schedules has nothing to come', async () => {
    const { run } = stage([]);

    expect(textOf(await run())).toContain('no schedule sends a command in that time');
  });

  test.each([
    [['--days', '1.5'], /--days 1.5: give a whole number from 1 to 92/],
    [['--days', '93'], /--days 93: give a whole number from 1 to 92/],
    [['--from', '2026-02-30'], /--from: there is no such date as 2026-02-30/],
    [['--from', 'tomorrow'], /--from: "tomorrow" is not a time/],
    [['--from', '2026-11-19T00:00:00Z'], /has passed: it is Fri 20 Nov 20:00/],
  ])('refuses %j', async (argv, message) => {
    const { run, invoked } = stage();

    await expect(run(...argv)).rejects.toThrow(message);
    expect(invoked).toEqual([]);
  });
});

/** The events of a file: what, when, and the id by which a calendar knows them. */
async function eventsOf(file: string): Promise<readonly string[]> {
  const calendar = new ICAL.Component(ICAL.parse(await readFile(file, 'utf8')));
  return calendar.getAllSubcomponents('vevent').map(valuesOf);
}

function valuesOf(event: ICAL.Component): string {
  return ['summary', 'dtstart', 'dtend', 'uid'].map((name) => String(event.getFirstPropertyValue(name))).join(' ');
}

describe('--ics', () => {
  test('writes starts until their end, stops and blackouts, each under an id that stays', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-plan-'));
    const file = join(folder.path, 'nights.ics');
    const start = { action: 'start', run: 'nightly', verdicts: [], requests: [], effectAt: '2026-11-20T22:00:00.000Z' };
    const common = {
      id: 'weeknights@1',
      at: '2026-11-20T21:45:00.000Z',
      origin: { kind: 'schedule', name: 'weeknights' },
    };
    const commands = [
      { ...common, ...start, outcome: 'applied', campaignRunId: 'r-1', stopDueAt: '2026-11-21T06:00:00.000Z' },
      { ...common, ...start, action: 'stop', at: '2026-11-21T06:00:00.000Z', outcome: 'applied', campaignRunId: 'r-1' },
      { ...common, ...start, id: 'weeknights@2', at: '2026-11-23T21:45:00.000Z', outcome: 'skipped', reason: 'FROZEN' },
    ];
    const window = { kind: 'once', from: '2026-12-19T00:00:00.000Z', to: '2027-01-04T00:00:00.000Z' };
    const planned = stage([weeknights], { commands }, [{ name: 'year end', starts: 'skip', window }]);

    const result = await planned.run('--ics', file);
    const first = await eventsOf(file);
    await planned.run('--ics', file);

    expect(textOf(result)).toContain('3 commands and 1 blackout of 60 days');
    expect(first).toEqual([
      'start nightly 2026-11-20T22:00:00Z 2026-11-21T06:00:00Z start:weeknights@1:local@gateway-autopilot',
      'stop nightly 2026-11-21T06:00:00Z null stop:weeknights@1:local@gateway-autopilot',
      'start nightly: skipped (FROZEN) 2026-11-23T21:45:00Z null start:weeknights@2:local@gateway-autopilot',
      'blackout year end: skips starts 2026-12-19T00:00:00Z 2027-01-04T00:00:00Z blackout:year end@2026-12-19T00:00:00.000Z:local@gateway-autopilot',
    ]);
    expect(await eventsOf(file)).toEqual(first);
  });

  test('refuses a name that no calendar takes', async () => {
    await expect(stage().run('--ics', 'plan.txt')).rejects.toThrow('Name it .ics');
  });
});
