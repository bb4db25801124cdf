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
  const lines = await until('the outcomes', async () => {
    const { stdout } = await it.autopilot('history');
    const found = stdout.split('\n').filter((line) => line.includes('start smoke'));
    return found.length >= 3 && found.some((line) => line.includes('in place of')) && found;
  });

  const applied = lines.filter((line) => /start smoke +applied/.test(line));
  expect(applied).toHaveLength(1);
  expect(applied[0]).toMatch(/; in place of 2 missed: hourly@\S+, hourly@\S+/);
  expect(lines.filter((line) => /start smoke +superseded .*missed; hourly@\S+ stands for it/.test(line))).toHaveLength(
    2,
  );
});
