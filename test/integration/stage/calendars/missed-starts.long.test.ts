/** A stage that is down for hours, and then makes up for what it missed. */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { openMovableClock } from '#local/clock/movable-clock.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const automation = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': { longestRun: '2 hours', runs: { smoke: { campaignRunIds: seedIds.campaignRuns.smoke.slice(0, 9) } } },
  },
  schedules: [
    { name: 'hourly', start: 'smoke', at: 'cron(0 * * * ? *)', validFor: '10 minutes', missed: 'once' as const },
  ],
};

const folder = folderOfFile();
const open = async () => openInProcessStage({ dataDir: folder, automation });

await (await open()).close();
const clock = openMovableClock(join(folder, 'clock.json'));
// Three occurrences later, at twenty minutes past: each is too late by its own validity.
clock.moveForward(3 * hourMs + 20 * minuteMs - (clock.now() % hourMs));
const it = await open();
afterAll(it.close);

test('after hours of outage one start is sent for all that were missed, and history names them', async () => {
  const starts = await until('the outcomes', async () => {
    const found = (await it.aws.history()).filter(({ action }) => action === 'start');
    return found.length >= 3 && found.some(({ outcome }) => outcome === 'applied') && found;
  });

  const missed = starts.filter(({ outcome }) => outcome === 'superseded');
  expect(missed).toHaveLength(2);
  for (const { detail } of missed) expect(detail).toMatch(/missed; .* stands for it/);
  expect(starts.filter(({ outcome }) => outcome === 'applied').map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/in place of 2 missed: \S/),
  ]);
});
