/** Starts of a running stage on a day that is none for starts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { type InProcessStage, openInProcessStage } from '../harness/in-process-stage.ts';
import { shownDay } from '../harness/shown-day.ts';
import { writeAutomation } from '../harness/write-automation.ts';

const dayMs = 24 * 3_600_000;
const ids = seedIds.campaignRuns.smoke;
const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const today = [dayAt(Date.now()), dayAt(Date.now() + dayMs)];

const automation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': { longestRun: '1 hour', runs: { festive: { campaignRunIds: ids.slice(0, 4) } } },
  },
  schedules: [{ name: 'each-hour', start: 'festive', at: 'cron(30 * * * ? *)' }],
  blackouts: [{ name: 'holidays', dates: today, campaigns: ['chat-bot'] }],
};

let it: InProcessStage;

beforeAll(async () => {
  it = await openInProcessStage({ stageName: 'local', configIn: (folder) => writeAutomation(folder, automation) });
});

afterAll(async () => it.close());

test('on a day of a blackout no start is sent, and plan and history name it', async () => {
  const end = `${dayAt(Date.parse(today[1] ?? '') + dayMs)}T00:00:00.000Z`;

  const plan = await it.autopilot('plan', '--days', '1');
  expect(plan.stdout).toMatch(/each-hour +start festive +skipped BLACKOUT/);
  expect(plan.stdout).toContain(`holidays`);

  await it.autopilot('send', 'start', 'festive', '--reason', 'CHG-1');
  const history = await it.autopilot('history');
  expect(history.stdout).toMatch(/start festive +skipped BLACKOUT/);
  expect(history.stdout).toContain(`the blackout holidays covers`);
  expect(history.stdout).toContain(`until ${shownDay(end)} 00:00`);
});
