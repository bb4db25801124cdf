import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { SessionAnswer } from '#console/api.ts';
import { startStageProcess, type StageProcess, temporaryFolder } from '../stage/harness/stage-process.ts';
import { type ConsoleProcess, startConsoleProcess } from './harness/console-process.ts';
import { openWith, readUntil, tokenIn } from './harness/test-console.ts';

/** The stream of a tab that follows the stage of a console in another process. */
async function follow(link: string): Promise<Response> {
  const { origin: url } = new URL(link);
  const { session, stages } = (await (await openWith({ url }, tokenIn(link))).json()) as SessionAnswer;
  return fetch(`${url}/api/live?stage=${stages[0]?.name}`, { headers: { authorization: `Bearer ${session}` } });
}

/** The console in a process that ends with its test at the latest. */
async function startForTest(words: readonly string[]): Promise<ConsoleProcess> {
  const started = await startConsoleProcess(words);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

const folder = temporaryFolder();
let stage: StageProcess;
beforeAll(async () => {
  stage = await startStageProcess(folder.path);
});
afterAll(async () => {
  await stage.end('SIGKILL');
  folder.remove();
});

describe('autopilot console', () => {
  // It died of SIGTERM without a word: a tab took it for an outage, and kept the secret of its session. So it did of SIGHUP.
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('tells its tabs that it ends on %s', async (signal) => {
    const { child, link } = await startForTest(['--data', folder.path]);
    const text = readUntil(await follow(link), (read) => read.includes('event: gone'));
    const closed = once(child, 'close');

    child.kill(signal);

    expect(await closed).toEqual([0, null]);
    expect(await text).toContain('event: gone\n');
  });

  // It was called "local", and its page asked a person to type that in place of "prod".
  test('calls the one stage in AWS by its own name', async () => {
    const { child, link } = await startForTest(['--aws', '--stage', 'prod', '--region', 'eu-west-1']);
    const answer = await openWith({ url: new URL(link).origin }, tokenIn(link));
    const closed = once(child, 'close');

    child.kill('SIGTERM');
    await closed;

    const words = ['--aws', '--stage', 'prod', '--region', 'eu-west-1'];
    expect(((await answer.json()) as SessionAnswer).stages).toEqual([{ name: 'prod', words }]);
  });
});
