import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const run = '019ba000-0000-7000-8000-000000000301';
const campaign = '019ba000-0000-7000-8000-000000000201';

function start(...args: readonly string[]) {
  const child = spawn(
    process.execPath,
    ['--import', './shared/require-node.mjs', 'test/peer/start.ts', '--port', '0', ...args],
    {
      cwd: root,
      env: { PATH: process.env['PATH'], AUTOPILOT_GATEWAY_TOKEN: 'mine' },
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a person starts a peer with the runs of a configuration, sees what arrives, and ends it', async () => {
  const child = start('--campaign', campaign, '--run', run, '--late-stop', '409');
  const headers = { authorization: 'Bearer mine', 'content-type': 'application/json' };
  const answers: number[] = [];
  const seen: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    seen.push(line);
    const url = /^The peer listens at (?<url>http:\S+)\.$/.exec(line)?.groups?.['url'];
    if (url !== undefined) {
      const stop = { method: 'PATCH', headers, body: '{"status":"cancelled"}' };
      for (const init of [{ headers }, stop, stop])
        answers.push((await fetch(`${url}/backend/v1/campaign-runs/${run}`, init)).status);
    }
    if (line.includes('"kind":"cancelled"')) child.kill('SIGINT');
  }
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];

  expect(answers).toEqual([200, 200, 409]);
  expect(code).toBe(0);
  expect(seen).toContain(`PATCH /backend/v1/campaign-runs/${run} 409`);
});

test.each([
  [['--late-stop', '418'], '--late-stop takes 200, 409, names the field, names no field'],
  [['--length-minutes', 'long'], '--length-minutes long is not a number'],
])('a start by %j says what is wrong', async (args, says) => {
  const child = start(...args);
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const [code] = await once(child, 'close');

  expect(code).toBe(1);
  expect(said).toContain(says);
});
