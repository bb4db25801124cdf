import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HistoryAnswer, SessionAnswer } from '#console/api.ts';
import type { ParkedAnswer } from '#console/api-work.ts';
import { packageFolder } from '#shared/places.ts';
import { startStageProcess, type StageProcess, temporaryFolder } from '../stage/harness/stage-process.ts';
import { openTab, openWith, readUntil, startTestConsole, type Tab, tokenIn } from './harness/test-console.ts';

/** What a person has in the environment for AWS: the stage of this machine has no use for it. */
const environment = {
  AWS_ACCESS_KEY_ID: 'AKIA-OF-A-PERSON',
  AWS_SECRET_ACCESS_KEY: 'the-secret-key-of-a-person',
  AWS_SESSION_TOKEN: 'the-session-token-of-a-person',
  AWS_PROFILE: 'the-profile-of-a-person',
} as const;

const folder = temporaryFolder();
const dataDir = join(folder.path, 'state');
let stage: StageProcess;

beforeAll(async () => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  stage = await startStageProcess(dataDir);
  vi.unstubAllEnvs();
  const wrong = join(folder.path, 'wrong.csv');
  writeFileSync(wrong, 'prompt,label\nhello,perhaps\n');
  await stage.autopilot('upload', '--anyway', wrong);
  await stage.autopilot('fire', 'weeknights');
});
afterAll(async () => {
  await stage.end('SIGKILL');
  folder.remove();
});

/** A tab of the console whose link was printed: a link opens one. */
const tabOf = async (link = '') => openTab({ url: new URL(link).origin, newLink: () => link });

/** What a tab that follows the stage reads until its console says that it ends. */
async function follow(tab: Tab): Promise<{ readonly told: Promise<string> }> {
  const stream = await tab('/api/live?stage=local');
  return { told: readUntil(stream, (read) => read.includes('event: gone\n')) };
}

/** `autopilot console` in a process that ends with its test at the latest, and the link that it prints. */
async function startConsoleProcess(words: readonly string[]): Promise<{ child: ChildProcess; link: string }> {
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

describe('autopilot console', () => {
  // It died of SIGTERM without a word: a tab took it for an outage, and kept the secret of its session. So it did of SIGHUP.
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('tells its tabs that it ends on %s', async (signal) => {
    const { child, link } = await startConsoleProcess(['--data', dataDir]);
    const { told } = await follow(await tabOf(link));
    const closed = once(child, 'close');

    child.kill(signal);

    expect(await closed).toEqual([0, null]);
    await told;
  });

  // It was called "local", and its page asked a person to type that in place of "prod".
  test('calls the one stage in AWS by its own name', async () => {
    const words = ['--aws', '--stage', 'prod', '--region', 'eu-west-1'];
    const { link } = await startConsoleProcess(words);

    const answer = await openWith({ url: new URL(link).origin }, tokenIn(link));

    expect(((await answer.json()) as SessionAnswer).stages).toEqual([{ name: 'prod', words }]);
  });
});

/** Its process runs the stage, its gateway and its functions too. */
describe('the console of npm start', () => {
  let ask: Tab;
  beforeAll(async () => {
    ask = await tabOf(stage.console);
  });

  test('gives the page no key, no token of the gateway, and nothing of the environment', async () => {
    const { parked } = await vi.waitFor(
      async () => {
        const answer = (await (await ask('/api/stages/local/parked')).json()) as ParkedAnswer;
        expect(answer.parked).toHaveLength(1);
        return answer;
      },
      { timeout: 120_000 },
    );
    const { history } = (await (await ask('/api/stages/local/history')).json()) as HistoryAnswer;
    const paths = await readingPaths({
      ':command': history.find(({ action }) => action === 'start')?.id ?? '',
      ':id': parked[0]?.id ?? '',
      ':key': parked[0]?.subject ?? '',
    });

    const answers = await Promise.all(paths.map(async (path) => ask(path)));
    const texts = await Promise.all(answers.map(async (answer) => answer.text()));

    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    // The id of the key is the same name in every stage, and the history says who sent a command.
    for (const secret of [stage.token, stage.key.secretAccessKey, ...Object.values(environment)]) {
      expect(secret.length).toBeGreaterThan(8);
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    }
  });

  test('tells its tabs that it ends', async () => {
    const { told } = await follow(ask);

    await stage.end('SIGINT');

    expect(await told).toContain('event: gone\n');
  });
});

/** The path of every route that reads, but for the stream. */
async function readingPaths(parameters: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await using running = await startTestConsole();
  return running.routes
    .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/stages'))
    .map(({ path }) =>
      path.replaceAll(/(:\w+)(?:\{[^}]*\})?/g, (_, name: string) => encodeURIComponent(parameters[name] ?? 'local')),
    );
}
