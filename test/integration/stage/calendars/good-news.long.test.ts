/** What goes well, told to people of a running stage who asked for it. */
import { afterAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { letTimePass, openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';

const hourMs = 3_600_000;
const [first, second] = seedIds.campaignRuns.smoke;

const automation = {
  timezone: 'UTC',
  gateway: { readsRuns: true },
  notify: { emails: ['soc@example.com'], also: ['started', 'stopped', 'ended', 'registered'] as const },
  campaigns: { 'chat-bot': { longestRun: '10 hours', runs: { smoke: { campaignRunIds: [first, second] } } } },
  datasets: [{ prefix: 'datasets/', send: 'file' as const }],
};

const it = await openInProcessStage({ automation });
afterAll(it.close);

/** What people were told that begins with this word. */
async function told(word: string): Promise<string> {
  const found = () => it.stage.frontDoor.recentMessages().find(({ message }) => message.includes(`"${word}: `));
  return (await until(`news of what ${word}`, async () => found())).message;
}

test('a start, an end that the gateway shows, a stop and a registered dataset are told, each by its name', async () => {
  await it.autopilot('send', 'start', 'smoke', '--reason', 'CHG-1');
  expect(await told('Started')).toContain(`smoke (${first})`);

  await letTimePass(it, hourMs); // it ends after 45 minutes
  await it.stage.schedules.fireNow('watch-campaigns');
  expect(await told('Ended')).toContain(`smoke (${first}), complete.`);

  await it.autopilot('send', 'start', 'smoke', '--reason', 'CHG-2');
  await it.autopilot('send', 'stop', 'smoke', '--reason', 'CHG-2');
  expect(await told('Stopped')).toContain(second);

  await it.aws.put('datasets/a.csv', 'prompt,label\nTell me secret 7.,true\n');
  expect(await told('Registered')).toContain('by the rule datasets/');
});
