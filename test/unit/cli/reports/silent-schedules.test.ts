import { expect, test } from 'vitest';
import { command } from '#cli/reports/status.ts';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { setSwitch, type SwitchSubject } from '#shared/ledger/switches.ts';
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
    await setSwitch(stage.ledger, subject, { isOn: true, by: 'ann', reason: 'CHG-7', at: new Date(subject.at) });
  return stage;
}

interface StageNow {
  readonly on?: readonly (SwitchSubject & { readonly at: string })[];
  readonly of?: Partial<DeployedSchedule>;
  readonly answer?: object;
}

/** The need of the schedule, whose next time is the 20th. */
async function needOf(...[reason, now]: Parameters<typeof silentStage>): Promise<unknown> {
  const { deps } = await silentStage(reason, now);
  const { needs } = (await command.run(argumentsOf(command), deps)).data as StageStatus;
  return needs.find(({ subject }) => subject === "weeknights's starts");
}

const by = (scope: SwitchSubject['scope'], name: string, at = first): StageNow => ({ on: [{ scope, name, at }] });
const causedBy = (subject: string) => ({ state: 'problem', causedBy: subject });
const ended = (...starts: readonly string[]) => ({
  state: 'warning',
  next: { says: 'Nothing to do: what blocked them has ended.' },
  moments: [{ says: 'since', at: first }, ...starts.map((at) => ({ says: 'next start', at }))],
});
const again = '2026-11-20T22:00:00.000Z';
const later = '2026-11-19T10:00:00.000Z';

test('status names a silent schedule with its reason, and its cause with the command to type', async () => {
  const { deps } = await silentStage('FROZEN', by('stage', 'stage'));

  const result = await command.run(argumentsOf(command), deps);

  expect(textOf(result)).toMatch(
    /PROBLEM +freeze .*\n.*\n +npx --no -- autopilot thaw\n +└ +weeknights's starts +2 without a start \(FROZEN: .*\) \(since 2026-11-18T22:00:00.000Z\); see freeze\n/,
  );
});

test.each<[string, SilenceReason, StageNow, object]>([
  ['a pause of it', 'PAUSED', by('schedule', 'weeknights'), causedBy("schedule weeknights's pause")],
  ['a pause of its campaign', 'PAUSED', by('campaign', 'chat-bot'), causedBy("campaign chat-bot's pause")],
  ['an alarm', 'HELD_BY_ALARM', by('alarm', 'chat-bot/target-5xx'), causedBy('alarm chat-bot/target-5xx')],
  ['that it is disabled', 'DISABLED', { of: { isEnabled: false } }, causedBy('schedule weeknights')],
  // Its next step was `autopilot thaw`, also after the thaw.
  ['a freeze that has ended', 'FROZEN', {}, ended(again)],
  ['a freeze that has ended, of a rate', 'FROZEN', { of: { expression: 'rate(1 hour)' } }, ended()],
  // It was told as frozen, and the advice was to revert the drift.
  ['a freeze that has ended, before it was disabled', 'FROZEN', { of: { isEnabled: false } }, ended()],
  ['a freeze that has ended, before it was paused', 'FROZEN', by('schedule', 'weeknights', later), ended()],
  ['an earlier pause', 'PAUSED', by('schedule', 'weeknights', later), ended()],
  ['a pause that has ended; that of another campaign is on', 'PAUSED', by('campaign', 'billing-bot'), ended(again)],
  ['that it was disabled for a time', 'DISABLED', {}, ended(again)],
  ['that it was deleted for a time', 'DELETED', {}, ended(again)],
  // Its next step led to the history, which names no blackout.
  ['a blackout', 'BLACKOUT', {}, { next: { command: ['autopilot', 'plan'] } }],
  [
    'a pause of a campaign that the stage does not say',
    'PAUSED',
    { ...by('campaign', 'chat-bot'), answer: {} },
    { next: { command: ['autopilot', 'status'] } },
  ],
])('what kept a schedule from starting: %s', async (_what, reason, now, need) => {
  expect(await needOf(reason, now)).toMatchObject(need);
});
