import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { sessionAnswer } from '#console/api.ts';
import { startStageProcess, type StageProcess, temporaryFolder } from '../stage/harness/stage-process.ts';
import { openWith, readUntil, tokenIn } from './test-console.ts';

/** The stream of a tab that follows the stage of a console in another process. */
async function follow(link: string): Promise<Response> {
  const { origin: url } = new URL(link);
  const { session, stages } = sessionAnswer.parse(await (await openWith({ url }, tokenIn(link))).json());
  return fetch(`${url}/api/live?stage=${stages[0]}`, { headers: { authorization: `Bearer ${session}` } });
}

/** `autopilot console` as a process, with the link that it prints. */
async function startConsoleProcess(
  words: readonly string[],
): Promise<{ readonly child: ChildProcess; readonly link: string }> {
  const child = spawn(process.execPath, ['cli/autopilot.mjs', 'console', ...words], {
    cwd: packageFolder,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  const link = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const found = /http:\S+#token=\S+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`autopilot console ended: ${text}`)));
  });
  return { child, link };
}

const folder = temporaryFolder();
let stage: StageProcess;
beforeAll(async () => {
  stage = await startStageProcess(folder.path);
}, 120_000);
afterAll(async () => {
  await stage.end('SIGKILL');
  folder.remove();
});

describe('autopilot console', () => {
  // It died of SIGTERM without a word: a tab took it for an outage, and kept the secret of its session.
  test.each(['SIGINT', 'SIGTERM'] as const)('tells its tabs that it ends on %s', async (signal) => {
    const { child, link } = await startConsoleProcess(['--data', folder.path]);
    const text = readUntil(await follow(link), (read) => read.includes('event: gone'));
    const closed = once(child, 'close');

    child.kill(signal);

    expect(await closed).toEqual([0, null]);
    expect(await text).toContain('event: gone\n');
  });

  // It was called "local", and its page asked a person to type that in place of "prod".
  test('calls the one stage in AWS by its own name', async () => {
    const { child, link } = await startConsoleProcess(['--aws', '--stage', 'prod', '--region', 'eu-west-1']);
    const answer = await openWith({ url: new URL(link).origin }, tokenIn(link));
    const closed = once(child, 'close');

    child.kill('SIGTERM');
    await closed;

    expect(sessionAnswer.parse(await answer.json()).stages).toEqual(['prod']);
  });
});

describe('npm start', () => {
  test('tells the tabs of its console that it ends on SIGTERM', async () => {
    const text = readUntil(await follow(stage.console ?? ''), (read) => read.includes('event: gone'));

    const code = await stage.end('SIGTERM');

    expect(code).toBe(0);
    expect(await text).toContain('event: gone\n');
  });
});
