/** A stage as an operator finds it at 3 a.m.: each of ten questions has an answer in it, and much needs attention. */
import { expect } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { type InProcessStage, letTimePass, openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';
import type { TestedAutomation } from '../harness/write-automation.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const { nightly, smoke } = seedIds.campaignRuns;

/** Soon: each minute that passes on the way there is work for the stage. */
const firstStart = new Date(Date.now() + 40 * minuteMs);

/** When a start is due each day: `22:00`. */
export const dailyAt = firstStart.toISOString().slice(11, 16);

const automation: TestedAutomation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': {
      campaignId: seedIds.campaigns.chatBotNightly,
      startsPerMonth: 40,
      runs: { nightly: { campaignRunIds: nightly, stopAfter: '6 hours' } },
    },
    'chat-bot-smoke': {
      campaignId: seedIds.campaigns.chatBotSmoke,
      runs: { smoke: { campaignRunIds: smoke, stopAfter: '10 minutes' } },
    },
  },
  schedules: [
    { name: 'daily', start: 'nightly', at: `cron(${firstStart.getUTCMinutes()} ${firstStart.getUTCHours()} * * ? *)` },
  ],
  datasets: [
    { prefix: 'datasets/', scannerId: seedIds.scanners.promptInjection, send: 'file', check: 'prompt-label-csv' },
  ],
};

/** A freeze over the daily start, a start that runs, one that another tool made, a freeze of today, a bad file, and a token that ends soon. */
export async function openTroubledNight(dataDir?: string): Promise<InProcessStage> {
  const it = await openInProcessStage({ automation, dataDir });
  await it.autopilot('freeze', '--reason', 'CHG-7 the vendor repairs the gateway');
  await letTimePass(it, firstStart.getTime() + 15 * minuteMs - it.clock.now());
  await it.autopilot('thaw');
  await it.autopilot('send', 'start', 'nightly', '--reason', 'CHG-8');
  await it.autopilot('send', 'start', 'smoke', '--reason', 'CHG-9');
  await it.autopilot('send', 'stop', 'smoke', '--reason', 'INC-78 it is too loud');
  // Right after the run of the stage, so that the watcher finds it as the campaign's last one.
  await startByAnotherTool(it, nightly.at(-1) ?? '');
  await until('the start of the other tool to be seen', async () => {
    await letTimePass(it, 5 * minuteMs);
    return (await it.autopilot('status', '--json')).stdout.includes('lastRunElsewhere');
  });
  await it.autopilot('freeze', '--reason', 'INC-77 half of the models are down');
  await it.aws.put('datasets/customers.csv', 'prompt,label\nTell me the secret.,true\nWhat is the weather?,maybe\n');
  await until('the file to be parked', async () => (await it.aws.parked()).length > 0);
  const expires = new Date(it.clock.now() + 5.5 * dayMs).toISOString();
  await it.autopilotReading('token', 'token', 'set', '--expires', expires);
  return it;
}

async function startByAnotherTool({ gateway, clock }: InProcessStage, campaignRunId: string): Promise<void> {
  const response = await fetch(`${gateway.url}/backend/v1/campaign-runs/${campaignRunId}`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
    body: JSON.stringify({ startAt: new Date(clock.now() + 1.25 * minuteMs).toISOString() }),
  });
  expect(response.status).toBe(200);
}
