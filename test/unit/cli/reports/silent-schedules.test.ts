import { expect, test } from 'vitest';
import { command } from '#cli/reports/status.ts';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { setSwitch, stageSwitch, type SwitchSubject } from '#shared/ledger/switches.ts';
import type { SilenceReason } from '#shared/vocabulary/silence-reasons.ts';
import type { StageStatus } from '#operator/status/status.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';
import { weeknightsSchedule } from '../../operator/parked-fixtures.ts';

const first = '2026-11-18T22:00:00.000Z';
const runs = { nightly: { name: 'nightly', campaign: 'chat-bot' } };

/** A stage that acts, with a schedule that was silent for this reason, and what is frozen and paused now. */
async function silentStage(reason: SilenceReason, { on = [], of = {}, answer = { mode: 'act', runs } }: StageNow = {}) {
  const stage = fakeDeps({
    schedules: [weeknightsSchedule({ timezone: 'UTC', ...of })],
    functionAnswer: { payload: JSON.stringify(answer) },
  });
  await stage.ledger.write(undefined, {
    pk: ledgerKeys.reconcile(),
    kind: 'reconcile',
    since: {},
    silent: { weeknights: { missed: 2, first, last: first, silentSince: first, reason } },
  });
  for (const subject of on)
    await setSwitch(stage.ledger, subject, { isOn: true, by: 'ann', reason: 'CHG-7', at: new Date(first) });
  return stage;
}

interface StageNow {
  readonly on?: readonly SwitchSubject[];
  readonly of?: Partial<DeployedSchedule>;
  readonly answer?: object;
}

const nextStepOf = async (...[reason, now]: Parameters<typeof silentStage>): Promise<unknown> => {
  const { deps } = await silentStage(reason, now);
  return (await command.run(argumentsOf(command), deps)).data;
};

const paused = (scope: 'campaign' | 'schedule', name: string): StageNow => ({ on: [{ scope, name }] });

const startsAgain = (over: string, at: string | undefined = '2026-11-20T22:00:00.000Z') => ({
  silent: [
    {
      next: { says: `Nothing to do: the ${over} has ended, and it starts again automatically at its next time.` },
      startsAgain: true,
      startsAgainAt: at,
    },
  ],
});

test('status names a silent schedule with its reason and the command to type, and is quiet about the others', async () => {
  const { deps } = await silentStage('FROZEN', { on: [stageSwitch] });

  const result = await command.run(argumentsOf(command), deps);

  expect(textOf(result)).toMatch(
    /PROBLEM +freeze .*\n.*\n +npx --no -- autopilot thaw\n +└ +weeknights's starts +2 without a start \(FROZEN: .*\) \(since 2026-11-18T22:00:00.000Z\); see freeze\n/,
  );
  expect(result.data).toMatchObject({
    silent: [{ name: 'weeknights', missed: 2, next: { command: ['autopilot', 'thaw'] } }],
  });
});

// The next step was `autopilot thaw` until the next start, also after the thaw.
test('after a thaw, status says that a silent schedule starts again automatically, and when', async () => {
  expect(await nextStepOf('FROZEN')).toMatchObject(startsAgain('freeze'));
  expect(await nextStepOf('PAUSED')).toMatchObject(startsAgain('pause'));
  const { silent } = (await nextStepOf('FROZEN', { of: { expression: 'rate(1 hour)' } })) as Pick<
    StageStatus,
    'silent'
  >;
  expect(silent).toMatchObject([{ startsAgain: true }]);
  expect(silent?.[0]?.startsAgainAt).toBeUndefined();
});

test('a pause that is on now is the next step, and the pause of another campaign is not', async () => {
  expect(await nextStepOf('FROZEN', paused('schedule', 'weeknights'))).toMatchObject({
    silent: [{ next: { command: ['autopilot', 'resume', 'schedule', 'weeknights'] } }],
  });
  expect(await nextStepOf('PAUSED', paused('campaign', 'chat-bot'))).toMatchObject({
    silent: [{ next: { command: ['autopilot', 'resume', 'campaign', 'chat-bot'] } }],
  });
  expect(await nextStepOf('PAUSED', paused('campaign', 'billing-bot'))).toMatchObject(startsAgain('pause'));
});

test('an alarm that holds the campaign ends by itself: the next step says so, and the schedule will be skipped', async () => {
  const held = { on: [{ scope: 'alarm', name: 'chat-bot/target-5xx' }] } as const;

  expect(await nextStepOf('HELD_BY_ALARM', held)).toMatchObject({
    silent: [
      {
        next: {
          says: expect.stringContaining('once the alarm is OK'),
          command: ['autopilot', 'resume', 'alarm', 'chat-bot/target-5xx'],
        },
      },
    ],
    schedules: [{ name: 'weeknights', skipped: 'HELD_BY_ALARM' }],
  });
  expect(await nextStepOf('HELD_BY_ALARM')).toMatchObject(startsAgain('hold by an alarm'));
});

test('a schedule that cannot start automatically, or whose campaign is not known, is not said to', async () => {
  const on = [{ scope: 'campaign', name: 'chat-bot' }] as const;

  expect(await nextStepOf('FROZEN', { of: { isEnabled: false } })).toMatchObject({
    silent: [{ next: { says: expect.stringContaining('EventBridge Scheduler') } }],
  });
  expect(await nextStepOf('FROZEN', { of: { name: 'changed' } })).toMatchObject({
    silent: [{ next: { says: expect.stringContaining('EventBridge Scheduler') } }],
  });
  expect(await nextStepOf('PAUSED', { on, answer: {} })).toMatchObject({
    silent: [{ next: { command: ['autopilot', 'status'] } }],
  });
});

// It led to the history, which names no blackout.
test('a silence by a blackout leads to where it is named, and to what ends it', async () => {
  expect(await nextStepOf('BLACKOUT')).toMatchObject({
    silent: [{ next: { says: expect.stringContaining('change it'), command: ['autopilot', 'plan'] } }],
  });
});
