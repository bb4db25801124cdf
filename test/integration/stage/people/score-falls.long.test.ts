/** The tour of README: a scanner is switched off at the gateway, and the next run finds out what that did. */
import { afterAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { runsOf } from '../harness/control-data.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';

const it = await openInProcessStage();
afterAll(it.close);

const said = async (...words: readonly string[]) => (await it.autopilot(...words)).stdout;

test('a score that falls after a scanner was switched off is a finding, with both numbers and the change', async () => {
  await it.autopilot('upload', 'examples/datasets/personal-data.csv', '--prefix', 'pii');
  await it.autopilot('clock', '+1h');
  expect(await said('scores', 'smoke')).toMatch(/complete .* 87 /);
  expect(await said('status')).not.toContain("smoke's score");

  await it.control(`/projects/chat-app/scanners/${seedIds.scanners.pii}`, 'PUT', { enabled: 'false' });
  await it.autopilot('clock', '+16m');
  await it.autopilot('clock', '+3 hours');

  const change = `projects.chat-app: scanners.${seedIds.scanners.pii}.enabled: true → false`;
  const low = `score 61, and it is to be at least 80; before it: ${change}`;
  expect(await said('history', 'smoke', '--limit', '1')).toContain('score 61');
  const scores = await said('scores', 'smoke');
  expect(scores).toMatch(/complete .* 61 [^]*complete .* 87 /);
  expect(scores).toContain(`before it: ${change}\n`);
  expect(await said('status')).toContain(low);
  expect(await said('parked', 'list')).toContain(low);
  await it.autopilot('parked', 'resolve', 'smoke:SCORE_LOW', '--dismiss', '--reason', 'a test of ours');
  expect(await said('status')).not.toContain("smoke's score");

  // A move of the clock sent the planned stop of a run that had ended long before it.
  const began = (await runsOf(it)).filter(({ words }) => words.includes('in_progress'));
  expect(began.map(({ words }) => words.join(' '))).toEqual(Array(2).fill('scheduled in_progress complete'));
});
