import { expect, test } from 'vitest';
import { command as plan } from '#cli/reports/plan.ts';
import { command as status } from '#cli/reports/status.ts';
import { readSupplies } from '#operator/plan/ids-left.ts';
import { idsWords } from '#operator/plan/ids-words.ts';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { argumentsOf, fakeDeps, now, textOf } from './fake-deps.ts';

/** A schedule that sends commands about `nightly`. */
function schedule(name: string, expression: string, input: object = {}): DeployedSchedule {
  const targetArn = 'arn:aws:sqs:eu-west-1:000000000000:commands';
  const command = JSON.stringify({ action: 'start', run: 'nightly', ...input });
  return { name, expression, timezone: 'UTC', isEnabled: true, targetArn, input: command };
}

const weeknights = schedule('weeknights', 'cron(0 22 ? * MON-FRI *)');
const sundays = schedule('sundays', 'cron(0 23 ? * SUN *)');

/** A stage that has this many ids left. */
function stageWith(left: number, schedules: readonly DeployedSchedule[], isLow = false) {
  const supplies = { bindings: [{ run: 'nightly', left, isLow }], budgets: [] };
  const preview = { now: now.toISOString(), mode: 'act', unread: [], commands: [] };
  const answers = { supplies, preview, config: { mode: 'act', runs: {} } };
  return fakeDeps({
    schedules,
    functionAnswer: (input) => {
      const { ask }: { ask: keyof typeof answers } = JSON.parse(input);
      return { payload: JSON.stringify(answers[ask] ?? null) };
    },
  });
}

async function lastsUntil(left: number, schedules: readonly DeployedSchedule[]): Promise<string | undefined> {
  const { bindings } = await readSupplies(schedules, now, stageWith(left, schedules).deps);
  return bindings[0]?.lastsUntil;
}

// It is Friday evening.
test.each<[string, number, readonly DeployedSchedule[], string | undefined]>([
  ['the ids of tonight', 1, [weeknights], '2026-11-20T22:00:00.000Z'],
  ['a weekend between', 2, [weeknights], '2026-11-23T22:00:00.000Z'],
  ['two schedules', 2, [weeknights, sundays], '2026-11-22T23:00:00.000Z'],
  ['a disabled schedule', 2, [weeknights, { ...sundays, isEnabled: false }], '2026-11-23T22:00:00.000Z'],
  [
    'a schedule that stops',
    2,
    [weeknights, { ...sundays, input: '{"action":"stop","run":"nightly"}' }],
    '2026-11-23T22:00:00.000Z',
  ],
  [
    'a schedule of another run',
    2,
    [weeknights, schedule('x', 'cron(0 23 ? * SUN *)', { run: 'smoke' })],
    '2026-11-23T22:00:00.000Z',
  ],
  ['no id', 0, [weeknights], undefined],
  ['no schedule', 9, [], undefined],
  ['a schedule that ends before', 2, [schedule('once', 'at(2026-12-01T22:00:00)')], undefined],
  ['more ids than nights of a year', 400, [weeknights], undefined],
])('the ids of a run last until the start that takes the last one: %s', async (_what, left, schedules, until) => {
  expect(await lastsUntil(left, schedules)).toBe(until);
});

const failing = { since: '2026-11-20T21:00:00.000Z', says: 'Not enough permissions' };

test.each([
  [{ left: 9 }, '9 ids left'],
  [{ left: 1 }, '1 id left'],
  [{ left: 0 }, 'no id left: the next start is parked (NO_RUN_LEFT)'],
  [{ left: 9, pool: { keepReady: 12 } }, '9 of 12 runs ready'],
  [{ left: 0, pool: { keepReady: 12, failing } }, '0 of 12 runs ready; none is made: Not enough permissions'],
])('%j is told in words', (ids, words) => {
  expect(idsWords(ids)).toBe(words);
});

test('a stage that does not tell its ids has its status, which says so, and its plan all the same', async () => {
  const { deps } = fakeDeps({
    functionAnswer: (input) =>
      input.includes('supplies')
        ? { payload: '', functionError: 'Unhandled' }
        : { payload: JSON.stringify({ now: now.toISOString(), mode: 'act', unread: [], commands: [], runs: {} }) },
  });

  const read = async (command: typeof status) => textOf(await command.run(argumentsOf(command), deps));

  expect(await read(status)).toMatch(/stage local[^]*Run ids\n +not read: /);
  expect(await read(plan)).toContain('stage local');
});
