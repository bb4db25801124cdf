import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { HistoryAnswer, SessionAnswer } from '#console/api.ts';
import type { ParkedAnswer } from '#console/api-work.ts';
import { startStageProcess, type StageProcess, temporaryFolder } from '../stage/harness/stage-process.ts';
import { startTestConsole } from './harness/test-console.ts';
import { openTab, skipNote, skipReason, startBrowser, type Watched } from './page/browser.ts';

/** What a person has in the environment for AWS: the stage of this machine has no use for it. */
const environment = {
  AWS_ACCESS_KEY_ID: 'AKIA-OF-A-PERSON',
  AWS_SECRET_ACCESS_KEY: 'the-secret-key-of-a-person',
  AWS_SESSION_TOKEN: 'the-session-token-of-a-person',
  AWS_PROFILE: 'the-profile-of-a-person',
} as const;

/** The page of `npm start`, as a newcomer opens it: the real server, the real stage. */
describe.skipIf(skipReason !== undefined)(`the console of npm start${skipNote}`, () => {
  const folder = temporaryFolder();
  let stage: StageProcess;
  let browser: Browser;
  let tab: Watched;

  beforeAll(async () => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    stage = await startStageProcess(join(folder.path, 'state'));
    browser = await startBrowser();
    const { origin } = new URL(stage.console ?? '');
    tab = await openTab(browser, { origin, now: new Date().toISOString() });
    const wrong = join(folder.path, '<img src=x onerror=alert(1)>.csv');
    writeFileSync(wrong, 'prompt,label\nhello,perhaps\n');
    await stage.autopilot('upload', '--anyway', wrong);
    await stage.autopilot('fire', 'weeknights');
    await tab.page.goto(stage.console ?? '');
  });

  afterAll(async () => {
    await browser.close();
    await stage.end('SIGINT');
    folder.remove();
    vi.unstubAllEnvs();
  });

  test('is opened by the link of READY, which is gone from the address at once', async () => {
    await tab.page.getByRole('heading', { level: 1 }).waitFor();

    expect(tab.page.url()).not.toContain('token');
  });

  // The process has them all: it runs the stage, its gateway and its functions.
  test('gives the page no key, no token of the gateway, and nothing of the environment', async () => {
    const kept = await tab.page.evaluate(() => Object.values(sessionStorage).join(''));
    const headers = { authorization: `Bearer ${(JSON.parse(kept) as SessionAnswer).session}` };
    const { origin } = new URL(tab.page.url());
    const ask = async (path: string) => fetch(`${origin}${path}`, { headers });
    const { parked } = (await (await ask('/api/stages/local/parked')).json()) as ParkedAnswer;
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
    const secrets = [stage.token, stage.key.secretAccessKey, ...Object.values(environment)];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(8);
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    }
  });

  test('asks nothing of any other address, and the browser finds nothing to complain of', () => {
    expect(tab.outside).toEqual([]);
    expect(tab.messages).toEqual([]);
  });

  test('says that it has ended when npm start ends', async () => {
    await stage.end('SIGINT');

    await expect.poll(async () => tab.page.locator('body').innerText()).toMatch(/has ended/);
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
