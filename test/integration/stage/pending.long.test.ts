/**
 * Work that waits is seen: `send`, `status` and `show` name the command, the gateway's own words
 * and the next try. With the gateway answering 503, `send` used to end with "no outcome yet" and
 * `status` showed nothing.
 */
import { afterAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { openInProcessStage } from './harness/in-process-stage.ts';
import { type CommandResult, runAutopilot } from './harness/stage-process.ts';

const names = ['unknown', 'down', 'silent'] as const;

const { nightly } = seedIds.campaignRuns;
const it = await openInProcessStage({
  automation: {
    timezone: 'UTC',
    campaigns: Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          campaignId: seedIds.campaigns.chatBotNightly,
          // One campaign at the gateway is one target.
          target: 'chat-bot',
          overlap: 'allow' as const,
          runs: { [name]: { campaignRunIds: [nightly[index] ?? ''], stopAfter: '1 hour' } },
        },
      ]),
    ),
    datasets: [
      {
        prefix: 'datasets/',
        scannerId: seedIds.scanners.pii,
        scannerPackageId: seedIds.scannerPackages.pii,
        scannerVersions: ['1.0.0'],
        fileId: '019ba000-0000-7000-8000-000000000b01',
      },
    ],
  },
});
afterAll(it.close);

const arm = async (fault: object) => it.control('/faults', 'POST', { times: 'forever', ...fault });
const disarm = async () => it.control('/faults', 'DELETE');

/** Runs a command that waits, and presses Ctrl-C once it has said this: no time decides what it has seen. */
async function untilSaid(words: RegExp, ...args: readonly string[]): Promise<CommandResult> {
  return runAutopilot(it.dataDir, [...args, '--timeout', '10m'], { interruptAt: words });
}

/** What is shown of a command by its id, which `send` prints as JSON. */
async function pictures(sent: CommandResult): Promise<{ id: string; status: string; show: string }> {
  const { id }: { id: string } = JSON.parse(sent.stdout).command;
  const [status, show] = [await it.autopilot('status'), await it.autopilot('show', id)];
  return { id, status: status.stdout, show: show.stdout };
}

test('an upload that is refused and may heal waits in sight, with its refusal', async () => {
  await arm({ match: { method: 'POST' }, status: 403, body: { detail: 'not for you' } });

  const upload = await untilSaid(/403/, 'upload', 'examples/datasets/benign-look-alikes.csv');
  const key = 'datasets/benign-look-alikes.csv';
  const [status, shown] = [await it.autopilot('status'), await it.autopilot('show', key)];
  await disarm();

  expect(upload.stdout).toMatch(/no outcome yet \(\d tr\w+ since .*403.*it looks permanent/);
  expect(status.stdout.slice(status.stdout.indexOf('Retrying ('))).toContain(key);
  expect(shown.stdout).toMatch(/last error +.*403/);
});

test.each([
  ['unknown', { status: 404, body: { detail: 'campaign run not found' } }, /404.*campaign run not found/],
  ['silent', { reset: true }, /connection was lost before an answer/],
  ['down', { status: 503, body: { detail: 'down for the night' } }, /503.*down for the night/],
])('a start that is answered so waits in sight: %s', async (name, fault, words) => {
  await arm({ match: { method: 'PATCH' }, ...fault });

  const sent = await untilSaid(words, 'send', 'start', name, '--json');
  const { id, status, show } = await pictures(sent);
  await disarm();

  expect(JSON.parse(sent.stdout)).toMatchObject({
    outcome: 'waiting',
    pending: { id, lastError: expect.stringMatching(words) },
  });
  expect(sent.stderr).toMatch(words);
  expect(status.slice(status.indexOf('Retrying ('), status.indexOf('In flight ('))).toContain(id);
  expect(status).toMatch(words);
  expect(show).toMatch(words);
  expect(show).toMatch(/next try +\w{3} \d+ \w{3} \d\d:\d\d/);
});
