/**
 * What runs already, from any starter: by hand in the vendor's own pages, or by another campaign
 * against the same system.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { type InProcessStage, openInProcessStage } from './harness/in-process-stage.ts';
import { letTimePass } from './harness/let-time-pass.ts';
import { writeAutomation } from './harness/write-automation.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const tomorrow = `${new Date(Date.now() + 24 * hourMs).toISOString().slice(0, 10)}T`;

const automation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': {
      campaignId: seedIds.campaigns.chatBotNightly,
      minimumGap: '12 hours',
      runs: { nightly: { campaignRunIds: seedIds.campaignRuns.nightly.slice(0, 4), stopAfter: '1 hour' } },
    },
    smoke: {
      target: 'support-desk',
      runs: { smoke: { campaignRunId: seedIds.campaignRuns.smoke[0], stopAfter: '30 minutes' } },
    },
    monthly: {
      target: 'support-desk',
      runs: { sweep: { campaignRunId: seedIds.campaignRuns.monthly[1], stopAfter: '2 hours' } },
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

async function startByHand(campaignRunId: string): Promise<void> {
  await fetch(`${it.gateway.url}/_control/campaign-runs/${campaignRunId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'running' }),
  });
}

function startsElsewhere(): object[] {
  return it.stage.frontDoor
    .recentEvents()
    .map(({ event }) => event)
    .filter((event) => event['detail-type'] === eventTypes.campaignStartedElsewhere)
    .map(({ detail }) => detail);
}

/**
 * A campaign is looked at every five minutes, once more a minute after it read differently, and
 * five minutes later again.
 */
async function looks(): Promise<void> {
  for (const minutes of [6, 2, 6]) await letTimePass(it, minutes * minuteMs);
}

describe('a start by hand at the gateway', () => {
  const byHand = seedIds.campaignRuns.nightly[15];

  test('is told once, and the campaign is left alone for its gap, from any sender', async () => {
    await letTimePass(it, Date.parse(`${tomorrow}21:00:00Z`) - it.clock.now());
    const before = await it.autopilot('fire', 'watch-campaigns');
    await startByHand(byHand);

    const fired = await it.autopilot('fire', 'weeknights');
    await looks();
    const told = startsElsewhere();
    await letTimePass(it, Date.parse(`${tomorrow}22:05:00Z`) - it.clock.now());
    const [scheduled] = await it.aws.history();

    expect(before.code).toBe(0);
    expect(fired).toMatchObject({ code: 5, stdout: expect.stringContaining('skipped MINIMUM_GAP') });
    expect(told).toMatchObject([{ campaigns: ['chat-bot'], starts: 1, lastRun: byHand }]);
    expect(scheduled).toMatchObject({
      askedBy: { kind: 'schedule', name: 'weeknights' },
      outcome: 'skipped',
      reason: 'MINIMUM_GAP',
    });
  });

  test('holds nothing back once its gap is over, and a start of ours is not told', async () => {
    await letTimePass(it, 12 * hourMs);

    const fired = await it.autopilot('fire', 'weeknights');
    await looks();

    expect(fired).toMatchObject({ code: 0, stdout: expect.stringContaining('weeknights: start nightly: applied') });
    expect(startsElsewhere()).toHaveLength(1);
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
    expect(beside.stdout).toContain(`run ${seedIds.campaignRuns.smoke[0]} of support-desk counts as in flight since `);
    expect(stopped.code).toBe(0);
    expect(afterwards.code).toBe(0);
  });
});
