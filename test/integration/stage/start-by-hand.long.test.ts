/**
 * What runs already, from any starter: by hand in the vendor's own pages, or by another campaign
 * against the same system.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { type InProcessStage, openInProcessStage } from './harness/in-process-stage.ts';
import { letTimePass } from './harness/let-time-pass.ts';
import { writeAutomation } from './harness/write-automation.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const tomorrow = `${new Date(Date.now() + 24 * hourMs).toISOString().slice(0, 10)}T`;
const { nightly, smoke, monthly } = seedIds.campaignRuns;

const automation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': {
      campaignId: seedIds.campaigns.chatBotNightly,
      minimumGap: '12 hours',
      runs: { nightly: { campaignRunIds: nightly.slice(0, 4), stopAfter: '2 hours' } },
    },
    smoke: {
      target: 'support-desk',
      runs: { smoke: { campaignRunIds: smoke.slice(0, 4), stopAfter: '30 minutes' } },
    },
    monthly: {
      target: 'support-desk',
      runs: { sweep: { campaignRunIds: [monthly[1]], stopAfter: '2 hours' } },
    },
  },
  schedules: [{ name: 'weeknights', start: 'nightly', at: 'cron(0 22 * * ? *)', startDate: `${tomorrow}12:00:00Z` }],
};

let it: InProcessStage;

beforeAll(async () => {
  it = await openInProcessStage({
    stageName: 'local',
    configIn: (folder) => writeAutomation(folder, automation),
  });
});

afterAll(async () => it.close());

/** A person moves the begin of a scheduled run to the next second. */
async function startByHand(campaignRunId: string): Promise<void> {
  const { status } = await fetch(`${it.gateway.url}/backend/v1/campaign-runs/${campaignRunId}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
    body: JSON.stringify({ startAt: new Date(it.clock.now() + 1000).toISOString() }),
  });
  expect(status).toBe(200);
}

describe('a start by hand at the gateway', () => {
  test('leaves the campaign alone for its gap, from any sender', async () => {
    await letTimePass(it, Date.parse(`${tomorrow}21:00:00Z`) - it.clock.now());
    await startByHand(String(nightly[15]));
    await letTimePass(it, minuteMs);

    const fired = await it.autopilot('fire', 'weeknights');
    await letTimePass(it, Date.parse(`${tomorrow}22:05:00Z`) - it.clock.now());
    const [scheduled] = await it.aws.history();

    expect(fired).toMatchObject({ code: 5, stdout: expect.stringContaining('skipped MINIMUM_GAP') });
    expect(scheduled).toMatchObject({
      askedBy: { kind: 'schedule', name: 'weeknights' },
      outcome: 'skipped',
      reason: 'MINIMUM_GAP',
    });
  });

  test('holds nothing back once its gap is over', async () => {
    await letTimePass(it, 12 * hourMs);

    const fired = await it.autopilot('fire', 'weeknights');

    expect(fired).toMatchObject({ code: 0, stdout: expect.stringContaining('weeknights: start nightly: applied') });
  });
});

describe('two campaigns that name one target', () => {
  test('are not in flight at the same time', async () => {
    const first = await it.autopilot('send', 'start', 'smoke');
    const beside = await it.autopilot('send', 'start', 'sweep');
    const stopped = await it.autopilot('send', 'stop', 'smoke');
    const afterwards = await it.autopilot('send', 'start', 'sweep');

    expect(first.code).toBe(0);
    expect(beside).toMatchObject({ code: 5, stdout: expect.stringContaining('skipped OVERLAP') });
    expect(beside.stdout).toContain(`run ${smoke[0]} of smoke counts as in flight since `);
    expect(stopped.code).toBe(0);
    expect(afterwards.code).toBe(0);
  });
});
