import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { MovableClock } from '#local/clock/movable-clock.ts';
import { type DeadLetter, type LocalSchedule, type Occurrence, scheduleArn } from '#local/schedules/local-schedule.ts';
import { startSchedules } from '#local/schedules/start-schedules.ts';
import type { LocalSchedules, SchedulesOptions } from '#local/schedules/start-schedules.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

const HOUR_MS = 3_600_000;
const QUEUE = 'arn:aws:sqs:eu-west-1:000000000000:commands';
const FUNCTION = 'arn:aws:lambda:eu-west-1:000000000000:function:watch-campaigns';

interface Delivery {
  readonly name: string;
  readonly at: string;
  /** What the clock showed at that moment. */
  readonly clock: string;
  readonly occurrence: Occurrence;
}

let folder = '';
let open: LocalSchedules[] = [];
let delivered: Delivery[] = [];
let lines: string[] = [];
let letters: DeadLetter[] = [];

beforeEach(() => {
  folder = folderOfTest();
  [open, delivered, lines, letters] = [[], [], [], []];
});
afterEach(async () => Promise.all(open.map((schedules) => schedules.stop())));

/** A clock that stands still unless it is moved. */
function standingClock(at = '2026-11-20T21:30:00Z'): MovableClock {
  let nowMs = Date.parse(at);
  const listeners = new Set<(offsetMs: number) => void>();
  return {
    now: () => nowMs,
    times: () => [],
    offsetMs: () => 0,
    moveForward(milliseconds) {
      nowMs += milliseconds;
      for (const listener of listeners) listener(0);
    },
    onMove(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function command(name: string, expression: string, target: Partial<LocalSchedule['Target']> = {}): LocalSchedule {
  const groupName = 'autopilot';
  return {
    Name: name,
    GroupName: groupName,
    arn: scheduleArn({ region: 'eu-west-1', accountId: '000000000000', groupName, name }),
    ScheduleExpression: expression,
    ScheduleExpressionTimezone: 'UTC',
    State: 'ENABLED',
    Target: { Arn: QUEUE, RoleArn: 'arn:aws:iam::000000000000:role/schedules', Input: '{}', ...target },
  };
}

const atTen = command('start', 'cron(0 22 ? * * *)');

function watcher(name: string, expression: string): LocalSchedule {
  return command(name, expression, { Arn: FUNCTION, RetryPolicy: { MaximumRetryAttempts: 0 } });
}

function start(clock: MovableClock, schedules: LocalSchedule[], more: Partial<SchedulesOptions> = {}): LocalSchedules {
  const running = startSchedules({
    schedules,
    clock,
    stateFile: join(folder, 'schedules.json'),
    retryWaitMs: () => 1,
    log: (line) => lines.push(line),
    async deliver(schedule, occurrence) {
      const at = occurrence.scheduledTime.toISOString().slice(0, 16);
      const shown = new Date(clock.now()).toISOString().slice(0, 16);
      delivered.push({ name: schedule.Name, at, clock: shown, occurrence });
      await Promise.resolve();
    },
    async deadLetter(_schedule, letter) {
      letters.push(letter);
      await Promise.resolve();
    },
    ...more,
  });
  open.push(running);
  return running;
}

/** Fires what falls due from half past nine until half past ten. */
async function anHourOf(schedules: LocalSchedule[], more: Partial<SchedulesOptions> = {}): Promise<LocalSchedules> {
  const running = start(standingClock(), schedules, more);
  await running.moveForward(HOUR_MS);
  return running;
}

function names(): string[] {
  return delivered.map(({ name, at }) => `${name} ${at}`);
}

describe('moving the clock', () => {
  test('delivers every command in order, each while the clock shows its time', async () => {
    const clock = standingClock();
    const schedules = start(clock, [command('stop', 'cron(0 6 ? * * *)'), atTen]);

    await schedules.moveForward(33 * HOUR_MS);

    expect(delivered.map(({ name, at, clock: shown }) => [name, at, shown])).toEqual([
      ['start', '2026-11-20T22:00', '2026-11-20T22:00'],
      ['stop', '2026-11-21T06:00', '2026-11-21T06:00'],
      ['start', '2026-11-21T22:00', '2026-11-21T22:00'],
      ['stop', '2026-11-22T06:00', '2026-11-22T06:00'],
    ]);
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-22T06:30:00.000Z');
  });

  test('calls a watcher once for each step, for the last tick that is due, not once a minute', async () => {
    const schedules = start(standingClock('2026-11-20T21:30:30Z'), [watcher('watch', 'cron(* * ? * * *)'), atTen]);

    await schedules.moveForward(8 * HOUR_MS);

    expect(names()).toEqual(['start 2026-11-20T22:00', 'watch 2026-11-20T22:00', 'watch 2026-11-21T05:30']);
  });

  test('lets the workers settle on every step, before the clock goes on', async () => {
    const clock = standingClock();
    const settled: string[] = [];
    const settle = async (): Promise<void> => {
      settled.push(new Date(clock.now()).toISOString().slice(11, 16));
      await Promise.resolve();
    };
    const schedules = start(clock, [atTen], { settle });

    await schedules.moveForward(HOUR_MS);

    expect(settled).toEqual(['22:00', '22:30']);
  });

  describe('over work that falls due at no schedule’s instant', () => {
    const tick = 'cron(* * ? * * *)';

    test('calls the watcher that does it at its first tick from then on, not only at the end', async () => {
      // It used to be called at the next scheduled command: a stop that was due at two went out at
      // six.
      const due = [new Date('2026-11-21T02:00:44Z'), new Date('2026-11-20T22:30:00Z')];
      const clock = standingClock('2026-11-20T21:30:30Z');
      const schedules = start(clock, [watcher('watch', tick), watcher('other', tick)], {
        dueWork: { watcher: 'watch', instants: async () => due },
      });

      await schedules.moveForward(8 * HOUR_MS);

      const seen = delivered.filter(({ name }) => name === 'watch').map(({ at, clock: shown }) => [at, shown]);
      expect(seen).toEqual([
        ['2026-11-20T22:30', '2026-11-20T22:30'],
        ['2026-11-21T02:01', '2026-11-21T02:01'],
        ['2026-11-21T05:30', '2026-11-21T05:30'],
      ]);
    });

    test('asks again at every step: what is fired at one plans for the next', async () => {
      const due: Date[] = [];
      const schedules = start(standingClock('2026-11-20T21:30:30Z'), [watcher('watch', tick), atTen], {
        dueWork: { watcher: 'watch', instants: async () => due },
        settle: async () => {
          if (names().at(0)?.startsWith('start') === true) due.push(new Date('2026-11-20T22:20:00Z'));
        },
      });

      await schedules.moveForward(HOUR_MS);

      expect(names()).toEqual([
        'start 2026-11-20T22:00',
        'watch 2026-11-20T22:00',
        'watch 2026-11-20T22:20',
        'watch 2026-11-20T22:30',
      ]);
    });

    test('is done with work that stays undone after its tick, is over, or comes after the end', async () => {
      const due = ['2026-11-20T20:00:00Z', '2026-11-20T21:50:00Z', '2026-11-20T23:50:00Z'].map((at) => new Date(at));
      const schedules = start(standingClock('2026-11-20T21:30:30Z'), [watcher('watch', tick)], {
        dueWork: { watcher: 'watch', instants: async () => due },
      });

      await schedules.moveForward(HOUR_MS);

      expect(names()).toEqual(['watch 2026-11-20T21:50', 'watch 2026-11-20T22:30']);
    });

    test('of a watcher that the template does not have changes nothing', async () => {
      await anHourOf([atTen], {
        dueWork: { watcher: 'watch', instants: async () => [new Date('2026-11-20T21:40:00Z')] },
      });

      expect(names()).toEqual(['start 2026-11-20T22:00']);
    });
  });

  test('without an announcement still fires what has fallen due', async () => {
    const clock = standingClock();
    start(clock, [atTen]);

    clock.moveForward(HOUR_MS);

    await vi.waitFor(() => expect(names()).toEqual(['start 2026-11-20T22:00']), { timeout: 120_000 });
  });

  test.each([-1, Number.NaN, Infinity])('by %s is refused', async (milliseconds) => {
    const schedules = start(standingClock(), []);

    await expect(schedules.moveForward(milliseconds)).rejects.toThrow(RangeError);
  });

  test('fires no disabled schedule', async () => {
    const disabled: LocalSchedule = { ...atTen, State: 'DISABLED' };
    const schedules = await anHourOf([disabled]);

    expect(delivered).toEqual([]);
    expect(schedules.nextTimes()[0]?.next).toBeUndefined();
  });
});

test('the input carries the scheduled time and the schedule’s own name, as AWS writes them', async () => {
  const input =
    '{"id":"start@<aws.scheduler.scheduled-time>","at":"<aws.scheduler.scheduled-time>","arn":"<aws.scheduler.schedule-arn>","try":<aws.scheduler.attempt-number>,"run":"<aws.scheduler.execution-id>"}';
  await anHourOf([command('start', 'cron(0 22 ? * * *)', { Input: input })]);

  expect(JSON.parse(delivered[0]?.occurrence.input ?? '')).toEqual({
    id: 'start@2026-11-20T22:00:00Z',
    at: '2026-11-20T22:00:00Z',
    arn: 'arn:aws:scheduler:eu-west-1:000000000000:schedule/autopilot/start',
    try: 1,
    run: delivered[0]?.occurrence.executionId,
  });
});

describe('rate()', () => {
  test('fires at its creation and then by its period, also over a restart', async () => {
    const clock = standingClock('2026-11-20T21:30:20.500Z');
    const first = start(clock, [watcher('poll', 'rate(15 minutes)')]);
    await vi.waitFor(() => expect(names()).toEqual(['poll 2026-11-20T21:30']), { timeout: 120_000 });
    await first.moveForward(20 * 60_000);
    await first.stop();

    const second = start(clock, [watcher('poll', 'rate(15 minutes)')]);
    await second.moveForward(10 * 60_000);

    expect(names()).toEqual(['poll 2026-11-20T21:30', 'poll 2026-11-20T21:45', 'poll 2026-11-20T22:00']);
    expect(delivered[0]?.occurrence.scheduledTime.toISOString()).toBe('2026-11-20T21:30:20.000Z');
  });

  test('with a start date waits for it', async () => {
    const late: LocalSchedule = { ...command('later', 'rate(1 hour)'), StartDate: new Date('2026-11-20T23:00:00Z') };
    const schedules = start(standingClock(), [late]);

    await schedules.moveForward(3 * HOUR_MS);

    expect(names()).toEqual(['later 2026-11-20T23:00', 'later 2026-11-21T00:00']);
  });
});

describe('after a restart', () => {
  test('commands that fell due meanwhile are delivered, in order; watchers go on with their next tick', async () => {
    const plan = [atTen, command('stop', 'cron(0 6 ? * * *)'), watcher('watch', 'cron(0 * ? * * *)')];
    await start(standingClock(), plan).stop();

    const schedules = start(standingClock('2026-11-21T07:30:00Z'), plan);
    await schedules.moveForward(0);

    expect(names()).toEqual(['start 2026-11-20T22:00', 'stop 2026-11-21T06:00']);
  });

  test('an absence of a week is caught up on for its last 24 hours only', async () => {
    const plan = [atTen];
    await start(standingClock('2026-11-13T21:30:00Z'), plan).stop();

    await start(standingClock(), plan).moveForward(0);

    expect(names()).toEqual(['start 2026-11-19T22:00']);
  });

  test('nothing is delivered a second time', async () => {
    const clock = standingClock();
    const plan = [atTen];
    const first = start(clock, plan);
    await first.moveForward(HOUR_MS);
    await first.stop();

    await start(clock, plan).moveForward(0);

    expect(names()).toEqual(['start 2026-11-20T22:00']);
  });

  test('a schedule whose expression was edited starts again', async () => {
    await start(standingClock(), [atTen]).stop();

    await start(standingClock('2026-11-21T07:30:00Z'), [command('start', 'cron(0 23 ? * * *)')]).moveForward(0);

    expect(delivered).toEqual([]);
  });
});

test('createdAt stays over a restart, and is unknown of a schedule that there is not', async () => {
  const plan = [watcher('poll', 'rate(15 minutes)')];
  await start(standingClock(), plan).stop();

  const schedules = start(standingClock('2026-11-20T21:50:00Z'), plan);

  expect(schedules.createdAt('poll')).toEqual(new Date('2026-11-20T21:30:00Z'));
  expect(schedules.createdAt('other')).toBeUndefined();
});

describe('a target that says no', () => {
  const denied = Object.assign(new Error('not authorized to perform: sqs:SendMessage'), { name: 'AccessDenied' });
  const deadLetterArn = 'arn:aws:sqs:eu-west-1:000000000000:schedules-dead-letters';

  test('is asked again by the retry policy, then the dead-letter queue gets the input; said once each', async () => {
    const RetryPolicy = { MaximumRetryAttempts: 2 };
    const plan = [
      command('start', 'cron(0 22 ? * * *)', {
        Input: '{"a":1}',
        DeadLetterConfig: { Arn: deadLetterArn },
        RetryPolicy,
      }),
    ];
    const deliver = vi.fn<SchedulesOptions['deliver']>().mockRejectedValue(denied);
    await anHourOf(plan, { deliver });
    await vi.waitFor(() => expect(letters).toHaveLength(1), { timeout: 120_000 });

    expect(deliver.mock.calls.map(([, { attempt }]) => attempt)).toEqual([1, 2, 3]);
    expect(letters[0]).toMatchObject({
      body: '{"a":1}',
      attributes: {
        ERROR_CODE: 'AccessDenied',
        EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
        RETRY_ATTEMPTS: '2',
        SCHEDULED_TIME: '2026-11-20T22:00:00Z',
        TARGET_ARN: QUEUE,
      },
    });
    expect(lines).toEqual([
      'Schedule start, occurrence of 2026-11-20T22:00:00Z, was not delivered: not authorized to perform: sqs:SendMessage',
      'Schedule start, occurrence of 2026-11-20T22:00:00Z, is in its dead-letter queue after 3 attempts.',
    ]);
  });

  test('does not hold up the schedules after it, and is asked again after a restart', async () => {
    const clock = standingClock();
    const plan = [atTen, command('stop', 'cron(0 6 ? * * *)')];
    const first = start(clock, plan, {
      retryWaitMs: () => HOUR_MS,
      async deliver({ Name: name }, occurrence) {
        if (name === 'start') throw denied;
        delivered.push({ name, at: occurrence.scheduledTime.toISOString().slice(0, 16), clock: '', occurrence });
      },
    });
    await first.moveForward(9 * HOUR_MS);
    await first.stop();
    expect(names()).toEqual(['stop 2026-11-21T06:00']);

    start(clock, plan);

    await vi.waitFor(() => expect(names().at(-1)).toBe('start 2026-11-20T22:00'), { timeout: 120_000 });
  });

  test('a watcher is not asked again: its next tick is the retry', async () => {
    const deliver = vi.fn<SchedulesOptions['deliver']>().mockRejectedValue(denied);
    await anHourOf([watcher('watch', 'cron(0 22 ? * * *)')], { deliver });

    expect(deliver).toHaveBeenCalledTimes(1);
    expect(lines.at(-1)).toContain('given up after 1 attempt; it has no dead-letter queue');
  });
});

test('fireNow delivers at once and leaves the plan as it is', async () => {
  const schedules = start(standingClock(), [atTen]);

  await schedules.fireNow('start');
  await schedules.moveForward(HOUR_MS);

  expect(names()).toEqual(['start 2026-11-20T21:30', 'start 2026-11-20T22:00']);
});

test('nextTimes shows what comes next', () => {
  const schedules = start(standingClock(), [atTen]);

  expect(schedules.nextTimes()[0]?.next).toEqual(new Date('2026-11-20T22:00:00Z'));
});

describe('a schedule that a caller makes', () => {
  test('fires at its time, and goes at its end if it was made so', async () => {
    const clock = standingClock();
    const gone: string[] = [];
    const schedules = start(clock, [], { onDeletedAtEnd: (name) => void gone.push(name) });
    schedules.add({ ...command('once', 'at(2026-11-20T21:31:00)'), ActionAfterCompletion: 'DELETE' });
    schedules.add(command('kept', 'at(2026-11-20T21:31:00)'));

    await schedules.moveForward(HOUR_MS);

    expect(names()).toEqual(['kept 2026-11-20T21:31', 'once 2026-11-20T21:31']);
    expect(gone).toEqual(['once']);
    expect(schedules.nextTimes().map(({ schedule }) => schedule.Name)).toEqual(['kept']);
  });

  // One unknown time zone used to end the firing of every schedule.
  test.each<readonly [string, Partial<LocalSchedule>]>([
    ['an expression that cannot be read', { ScheduleExpression: 'at(soon)' }],
    ['a time zone that is not one', { ScheduleExpressionTimezone: 'Europe/Dublim' }],
    ['a start that is no time', { StartDate: new Date(Number.NaN) }],
  ])('with %s is refused, and the others fire on', async (_what, bad) => {
    const clock = standingClock();
    const schedules = start(clock, [command('kept', 'at(2026-11-20T21:31:00)')]);

    expect(() => schedules.add({ ...command('once', 'at(2026-11-20T21:31:00)'), ...bad })).toThrow('once');
    await schedules.moveForward(HOUR_MS);

    expect(names()).toEqual(['kept 2026-11-20T21:31']);
  });
});

test('a schedule that cannot be computed is left out at the start and named; the others fire', async () => {
  await anHourOf([
    { ...command('bad', 'cron(0 22 ? * * *)'), ScheduleExpressionTimezone: 'Europe/Dublim' },
    command('kept', 'cron(0 22 ? * * *)'),
  ]);

  expect(names()).toEqual(['kept 2026-11-20T22:00']);
  expect(lines).toEqual([expect.stringMatching(/^Schedule bad does not fire: .*Europe\/Dublim/)]);
});

// A watcher stood still until the machine's clock was where it had been: for hours after a wrong date.
test.each(['while it runs', 'over a restart'])('a clock that went back %s stops no schedule', async (when) => {
  const clock = standingClock('2026-11-21T21:59:30Z');
  const schedules = start(clock, [watcher('watch', 'rate(1 minute)')]);
  await schedules.moveForward(HOUR_MS);
  if (when === 'over a restart') await schedules.stop();

  clock.moveForward(-24 * HOUR_MS);
  const after = when === 'over a restart' ? start(clock, [watcher('watch', 'rate(1 minute)')]) : schedules;
  await after.moveForward(HOUR_MS);

  expect(names()).toContain('watch 2026-11-20T23:59');
});

test('a clock that is set back by a second fires nothing twice', async () => {
  const clock = standingClock('2026-11-20T21:59:30Z');
  const schedules = start(clock, [atTen]);
  await schedules.moveForward(30_500);

  clock.moveForward(-1000);
  await schedules.moveForward(HOUR_MS);

  expect(names()).toEqual(['start 2026-11-20T22:00']);
});
