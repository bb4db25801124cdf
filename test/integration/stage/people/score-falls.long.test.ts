/** The tour of README: a scanner is switched off at the gateway, and the next run finds out what that did. */
import { afterAll, expect, test } from 'vitest';
import { openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';

const it = await openInProcessStage();
afterAll(it.close);

const pii = '019ba000-0000-7000-8000-000000000701';

interface Scores {
  readonly runs: readonly {
    readonly run: string;
    readonly ends: readonly { readonly state: string; readonly score?: number; readonly changed: readonly string[] }[];
  }[];
}

async function ends() {
  const { stdout } = await it.autopilot('scores', 'smoke', '--json');
  const { runs }: Scores = JSON.parse(stdout);
  return runs[0]?.ends ?? [];
}

test('a score that falls after a scanner was switched off is a finding, with both numbers and the change', async () => {
  await it.autopilot('send', 'start', 'smoke', '--reason', 'the first of the tour');
  await it.autopilot('clock', '+1h');
  await until('the first run to have its score', async () => (await ends()).length === 1);
  const calm = await it.autopilot('status');

  await it.control(`/projects/chat-app/scanners/${pii}`, 'PUT', { enabled: 'false' });
  await it.autopilot('clock', '+20m');
  await until('the watch to have started smoke', async () => {
    const { stdout } = await it.autopilot('history', 'smoke', '--json');
    return stdout.includes('change:projects.chat-app:');
  });
  await it.autopilot('clock', '+1h');
  await until('the second run to have its score', async () => (await ends()).length === 2);

  const [second, first] = await ends();
  expect([first?.score, second?.score]).toEqual([87, 61]);
  expect(second?.changed).toEqual([expect.stringContaining('enabled')]);
  expect(calm.stdout).not.toContain("smoke's score");
  const status = await it.autopilot('status');
  const parked = await it.autopilot('parked', 'list');
  expect(status.stdout).toContain('score 61, and it is to be at least 80');
  expect(parked.stdout).toContain('SCORE_LOW');
  expect(parked.stdout).toContain('before it: projects.chat-app');
  const resolved = await it.autopilot(
    'parked',
    'resolve',
    'smoke:SCORE_LOW',
    '--dismiss',
    '--reason',
    'a test of ours',
  );
  expect(resolved.code).toBe(0);
  expect((await it.autopilot('status')).stdout).not.toContain("smoke's score");
});
