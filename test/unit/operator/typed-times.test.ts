import { describe, expect, test } from 'vitest';
import { command as clockCommand } from '#cli/stage/clock.ts';
import { command as history } from '#cli/reports/history.ts';
import { command as parked } from '#cli/parked/parked.ts';
import { command as send } from '#cli/runs/send.ts';
import { freeze, pause } from '#cli/stage/switch-commands.ts';
import type { Command } from '#cli/terminal/command.ts';
import { typedTime } from '#operator/times/typed-times.ts';
import { argumentsOf, fakeClock, fakeDeps } from './fake-deps.ts';
import { weeknightsSchedule } from './parked-fixtures.ts';

/** A Friday night, 22:12 in Dublin in November. */
const clock = { now: new Date('2026-11-20T22:12:00.000Z'), zone: 'Europe/Dublin' };
const newYork = { ...clock, zone: 'America/New_York' };

describe('a time as people type it is read by the clock of the stage', () => {
  test.each([
    ['06:00', 'future', clock, '2026-11-21T06:00:00.000Z'],
    ['6:00', 'future', clock, '2026-11-21T06:00:00.000Z'],
    ['23:00', 'future', clock, '2026-11-20T23:00:00.000Z'],
    ['06:00', 'future', newYork, '2026-11-21T11:00:00.000Z'],
    ['06:00', 'past', clock, '2026-11-20T06:00:00.000Z'],
    ['23:00', 'past', clock, '2026-11-19T23:00:00.000Z'],
    ['2026-11-27T03:00', 'future', newYork, '2026-11-27T08:00:00.000Z'],
    ['2026-11-27 03:00:30', 'future', clock, '2026-11-27T03:00:30.000Z'],
    ['2026-11-27', 'future', newYork, '2026-11-27T05:00:00.000Z'],
    ['2026-11-27T03:00:00Z', 'future', newYork, '2026-11-27T03:00:00.000Z'],
    ['2026-11-27T03:00+01:00', 'future', newYork, '2026-11-27T02:00:00.000Z'],
    // Of the hour that comes twice the first one.
    ['2026-10-25T01:30', 'past', clock, '2026-10-25T00:30:00.000Z'],
  ] as const)('%s towards the %s', (text, towards, by, at) => {
    expect(typedTime('--until', text, towards, by).at.toISOString()).toBe(at);
  });

  test('the next 01:30 is that of the next day if the clocks leave one out', () => {
    const at = { now: new Date('2026-03-28T22:00:00.000Z'), zone: 'Europe/Dublin' };

    expect(typedTime('--until', '01:30', 'future', at).at.toISOString()).toBe('2026-03-30T00:30:00.000Z');
  });

  test('a day whose midnight the clocks leave out begins an hour later', () => {
    const at = { ...clock, zone: 'America/Santiago' };

    expect(typedTime('--from', '2026-09-06', 'past', at).at.toISOString()).toBe('2026-09-06T04:00:00.000Z');
  });
});

describe('what is no time is refused', () => {
  test.each([
    ['tomorrow', /^--until: "tomorrow" is not a time, for example 06:00, 2026-11-21T06:00$/],
    ['25:00', /is not a time/],
    ['2026-11-27T25:00', /is not a time/],
    ['2026-02-30', /there is no such date as 2026-02-30/],
    ['2026-03-29T01:30', /the clocks of Europe\/Dublin leave out 2026-03-29T01:30/],
  ])('%s', (text, message) => {
    expect(() => typedTime('--until', text, 'future', clock)).toThrow(message);
  });
});

// On a terminal seven errors named `like Mon 23 Nov 06:00`: each instant of a finished text was written again.
test.each<[Command, string, number]>([
  [history, '--since SOON', 3],
  [history, '--before SOON', 3],
  [parked, 'list --since SOON', 3],
  [parked, 'list --before SOON', 3],
  [freeze, '--reason INC-77 --until SOON', 2],
  [freeze, '--reason INC-77 --for SOON', 3],
  [pause, 'schedule weeknights --reason INC-77 --until SOON', 2],
  [send, 'stop nightly --reason INC-77 --timeout SOON --no-wait', 3],
  [clockCommand, '--to SOON', 2],
])('what an error names as an example is taken by the same command: %# %s', async (command, line, count) => {
  const run = async (word: string) => {
    const { deps } = fakeDeps({ clock: fakeClock(), schedules: [weeknightsSchedule()] });
    return command.run(argumentsOf(command, ...line.replace('SOON', word).split(' ')), deps);
  };
  const error: unknown = await run('SOON').catch((caught: unknown) => caught);

  const examples = (/for example (.*)/.exec(String(error))?.[1] ?? '').replace(' (ago)', '').split(/, | or /);
  expect(examples).toHaveLength(count);
  for (const example of examples) await expect(run(example), example).resolves.toBeDefined();
});
