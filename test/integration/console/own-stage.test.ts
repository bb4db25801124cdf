import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startStageProcess, type StageProcess, temporaryFolder } from '../stage/harness/stage-process.ts';
import { openTab, skipNote, skipReason, startBrowser, type Watched } from './page/browser.ts';

/** The page of `npm start`, as a newcomer opens it: the real server, the real stage. */
describe.skipIf(skipReason !== undefined)(`the console of npm start${skipNote}`, () => {
  const folder = temporaryFolder();
  let stage: StageProcess;
  let browser: Browser;
  let tab: Watched;

  beforeAll(async () => {
    stage = await startStageProcess(join(folder.path, 'state'));
    browser = await startBrowser();
    const { origin } = new URL(stage.console ?? '');
    tab = await openTab(browser, { origin, now: new Date().toISOString() });
    const wrong = join(folder.path, '<img src=x onerror=alert(1)>.csv');
    writeFileSync(wrong, 'prompt,label\nhello,perhaps\n');
    await stage.autopilot('upload', wrong);
    await stage.autopilot('fire', 'weeknights');
    await tab.page.goto(stage.console ?? '');
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await stage.end('SIGINT');
    folder.remove();
  });

  test('is opened by the link of READY, which is gone from the address at once', async () => {
    await tab.page.getByRole('heading', { level: 1 }).waitFor();

    expect(tab.page.url()).not.toContain('token');
    const second = await fetch(`${new URL(tab.page.url()).origin}/api/session`, {
      method: 'POST',
      headers: { 'x-console-token': new URL(stage.console ?? '').hash.replace('#token=', '') },
    });
    expect(second.status).toBe(401);
  });

  test.each([
    ['Now', /nightly/],
    ['Parked', /CHECK_FAILED/],
    ['Calendar', /weeknights|nightly/],
    ['Uploads', /<img src=x onerror=alert\(1\)>/],
    ['History', /nightly/],
    ['Settings', /nightly/],
  ])('shows what the stage knows on the screen %s', async (name, what) => {
    await tab.page.getByRole('navigation').getByRole('link', { name }).click();
    await tab.page.getByRole('heading', { level: 1, name }).waitFor();

    await expect.poll(async () => tab.page.getByRole('main').innerText(), { timeout: 20_000 }).toMatch(what);
  });

  test('asks nothing of any other address, and the browser finds nothing to complain of', () => {
    expect(tab.outside).toEqual([]);
    expect(tab.messages).toEqual([]);
  });

  test('says that it has ended when npm start ends', async () => {
    await stage.end('SIGINT');

    await expect.poll(async () => tab.page.locator('body').innerText(), { timeout: 20_000 }).toMatch(/has ended/);
  });
});
