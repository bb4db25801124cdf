/** A running stage whose campaign halts on alarms of its target. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { withoutAction } from './harness/change-templates.ts';
import { requestsOf } from './harness/control-data.ts';
import { letTimePass, openInProcessStage } from './harness/in-process-stage.ts';
import { until } from './harness/stage-process.ts';

const arnOf = (name: string) => `arn:aws:cloudwatch:eu-west-1:123456789012:alarm:${name}`;

const automation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': {
      overlap: 'allow' as const,
      longestRun: '1 hour',
      haltOn: [arnOf('target-5xx'), arnOf('target latency: p99')],
      runs: { smoke: { campaignRunIds: seedIds.campaignRuns.smoke } },
    },
  },
  schedules: [{ name: 'each-hour', start: 'smoke', at: 'cron(30 * * * ? *)' }],
};

const it = await openInProcessStage({ automation });
afterAll(it.close);

beforeEach(async () => {
  for (const name of ['target-5xx', 'target latency: p99']) it.stage.frontDoor.alarms.set(name, 'OK');
  await tick();
  await it.autopilot('resume', 'chat-bot');
});

/** The tick that comes each minute, without its minute. */
async function tick(): Promise<void> {
  const { functionError, payload } = await it.invoke('watch-campaigns', { tick: 'watch-campaigns' });
  expect(functionError, payload).toBeUndefined();
}

async function start(...more: readonly string[]) {
  return it.autopilot('send', 'start', 'smoke', '--reason', 'CHG-1', ...more);
}

/** The PATCHes that ended a run, one path each. */
async function stops(): Promise<readonly string[]> {
  const requests = await requestsOf(it);
  const ends = requests.filter(({ method, body }) => method === 'PATCH' && body?.includes('cancelled'));
  return ends.map(({ path }) => path);
}

test('an alarm that rings stops the run at once, and holds starts until it is OK', async () => {
  expect((await start()).stdout).toContain('start smoke: begins');
  const before = (await stops()).length;

  expect((await it.autopilot('alarm', 'target-5xx', 'on')).stdout).toMatch(/target-5xx +ALARM/);
  await until('the stop', async () => (await stops()).length > before);

  expect((await it.autopilot('status')).stdout).toMatch(/HELD campaign chat-bot by alarm target-5xx/);
  const plan = (await it.autopilot('plan', '--days', '1')).stdout;
  expect(plan).toMatch(/HELD campaign chat-bot by alarm target-5xx .*none of its starts is sent/);
  expect(plan).toMatch(/each-hour +start smoke +skipped HELD_BY_ALARM/);
  expect((await start()).stdout).toMatch(/skipped HELD_BY_ALARM/);
  const { stdout: history } = await it.autopilot('history', '--verbose');
  expect(history).toMatch(/watcher watch-campaigns at .+: held by alarm target-5xx/);
  expect(history).toContain('campaign chat-bot held by alarm target-5xx since');
  expect((await it.autopilot('evidence', 'smoke')).stdout).toContain('held by alarm target-5xx');

  await it.autopilot('alarm', 'target-5xx', 'off');
  await until('the release', async () => !(await it.autopilot('status')).stdout.includes('HELD campaign'));
  expect((await it.autopilot('history', '--switches')).stdout).toContain('lifted by alarm target-5xx: it is OK again');
  expect((await start()).stdout).toContain('start smoke: begins');
});

test('a hold whose alarm rings is lifted only by who says so, until the alarm rings again', async () => {
  await it.autopilot('alarm', 'target-5xx', 'on');
  await until('the hold', async () => (await it.autopilot('status')).stdout.includes('HELD campaign'));
  const resume = ['resume', 'alarm', 'chat-bot/target-5xx', '--reason', 'INC-78'];

  const refused = await it.autopilot(...resume);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/the alarm target-5xx rings[^]*resume alarm chat-bot\/target-5xx --although-it-rings/);
  expect((await it.autopilot('status')).stdout).toContain('HELD campaign');

  await it.autopilot(...resume, '--although-it-rings');
  await tick();
  expect((await start()).stdout).toContain('start smoke: begins');
  const { stdout: lifted } = await it.autopilot('status');
  expect(lifted).toMatch(/target-5xx rings, and \w+ lifted its hold of chat-bot: INC-78; .*rings since/);
  expect(lifted).toMatch(/smoke goes on. To stop it:\n.*send stop smoke/);

  await it.autopilot('alarm', 'target-5xx', 'off');
  await until('the end', async () => !(await it.autopilot('status')).stdout.includes('target-5xx rings'));
  await it.autopilot('alarm', 'target-5xx', 'on');
  await until('the hold', async () => (await it.autopilot('status')).stdout.includes('HELD campaign'));
});

test('a lost event is made good within ninety seconds', async () => {
  await start();
  const before = (await stops()).length;
  writeFileSync(join(it.dataDir, 'aws', 'alarms.json'), JSON.stringify({ 'target-5xx': 'ALARM' }));
  await letTimePass(it, 90_000);

  expect((await it.autopilot('status')).stdout).toContain('HELD campaign chat-bot');
  expect((await stops()).length).toBeGreaterThan(before);
});

test('an alarm that no campaign halts on is refused by its name', async () => {
  const { code, stderr } = await it.autopilot('alarm', 'target-4xx', 'on');

  expect(code).not.toBe(0);
  expect(stderr).toContain('no campaign halts on an alarm "target-4xx"');
});

test('doctor names the missing grant of a stage that may not read its alarms', async () => {
  const denied = await openInProcessStage({ automation, change: withoutAction('cloudwatch:DescribeAlarms') });
  const { stdout } = await denied.autopilot('doctor');
  await denied.close();

  expect(stdout).toMatch(/watch-campaigns .*alarms: .*not authorized to perform: cloudwatch:DescribeAlarms/);
});
