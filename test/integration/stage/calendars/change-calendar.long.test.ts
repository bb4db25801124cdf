/** A running stage whose starts follow a calendar that another team keeps. */
import { afterAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';

const automation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': { longestRun: '1 hour', runs: { smoke: { campaignRunIds: seedIds.campaignRuns.smoke.slice(0, 4) } } },
  },
  schedules: [{ name: 'each-hour', start: 'smoke', at: 'cron(30 * * * ? *)' }],
  blackouts: [{ name: 'change freeze', calendar: 'arn:aws:ssm:eu-west-1:123456789012:document/change-freeze' }],
};

/** As the commands of a stage in UTC show it, such as "Mon 30 Nov". */
function shownDay(instant: string): string {
  const [weekday = '', day = '', month = ''] = new Date(instant).toUTCString().split(/,? /);
  return `${weekday} ${Number(day)} ${month}`;
}

const it = await openInProcessStage({ automation });
afterAll(it.close);

test('a start is skipped while the calendar is closed, and sent once it is open; plan and history say so', async () => {
  const until = new Date(it.clock.now() + 30 * 86_400_000).toISOString();
  const closed = await it.autopilot('calendar', 'close', 'change-freeze', '--until', until);
  expect(closed.stdout).toContain(`change-freeze  closed  until ${shownDay(until)}`);
  await it.stage.schedules.fireNow('watch-campaigns');

  expect((await it.autopilot('plan', '--days', '1')).stdout).toMatch(/each-hour +start smoke +skipped BLACKOUT/);
  await it.autopilot('send', 'start', 'smoke', '--reason', 'CHG-1');
  const { stdout } = await it.autopilot('history');
  expect(stdout).toMatch(/start smoke +skipped BLACKOUT/);
  expect(stdout).toContain(`the blackout change freeze covers`);
  expect(stdout).toContain(`until ${shownDay(until)}`);

  await it.autopilot('calendar', 'open', 'change-freeze');
  await it.stage.schedules.fireNow('watch-campaigns');
  const sent = await it.autopilot('send', 'start', 'smoke', '--reason', 'CHG-2');
  expect(sent.stdout).toContain('start smoke: begins');
});
