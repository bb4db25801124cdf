import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundlePage, type PageFiles } from '#console/bundle-page.ts';
import { openTab, skipNote, skipReason, startBrowser } from './browser.ts';
import { now, nowText } from './facts.ts';
import { startFixture, token, type FixtureServer } from './fixture-server.ts';

/** A page that stays open: what it shows goes on with the stage, and what a person did stays said. */
describe.skipIf(skipReason !== undefined)(`an open page${skipNote}`, () => {
  let browser: Browser;
  let files: PageFiles;
  let server: FixtureServer;
  let page: Page;

  beforeAll(async () => {
    [browser, files] = await Promise.all([startBrowser(), bundlePage()]);
  });
  afterAll(async () => browser.close());
  beforeEach(async () => {
    server = await startFixture(files, { allow: ['resolve', 'switch'] });
    ({ page } = await openTab(browser, { origin: server.origin, now: nowText }));
    await page.goto(`${server.origin}/#token=${token}`);
    await page.getByText('the SSO session has ended').waitFor();
  });
  afterEach(async () => {
    await page.context().close();
    await server.close();
  });

  const open = async (screen: string, text: string) => {
    await page.goto(`${server.origin}/#/prod/${screen}`);
    await page.getByText(text).first().waitFor();
    // The facts of the stream are known: only a change of them counts from here on.
    await page.locator('.freshness', { hasText: 'as of' }).waitFor();
  };
  const timesAsked = (end: string) => server.asked.filter((path) => path.endsWith(end)).length;

  // Parked showed 3 rows beside a 4 in the navigation, and a sent file stood as not seen yet.
  test.each([
    ['parked', 'Correct the rows', 'prod/parked'],
    ['calendar', 'The same as a table', 'prod/calendar'],
    ['uploads', 'datasets/good.csv', 'prod/uploads'],
    ['history', 'weeknights', 'prod/history'],
  ])('%s is read again once something happens at the stage, and only then', async (screen, text, path) => {
    await open(screen, text);
    const before = timesAsked(path);

    server.tell({ asOf: nowText });
    server.tell({ parked: now.parked.slice(1) });
    await expect.poll(() => timesAsked(path)).toBe(before + 1);
    await page.getByText(text).first().waitFor();

    expect(timesAsked(path)).toBe(before + 1);
  });

  test('History stays as it is while a person reads what they searched for', async () => {
    await open('history?search=weeknights', 'weeknights');
    const before = timesAsked('prod/history');

    server.tell({ parked: [] });
    await page.getByRole('navigation').getByText('waiting').waitFor({ state: 'detached' });

    expect(timesAsked('prod/history')).toBe(before);
  });

  // The focus fell to the body, and the rows that were resolved stayed in sight.
  test('a decision takes the focus to what was done, and reads what is left', async () => {
    await open('parked', 'Correct the rows');
    const before = timesAsked('prod/parked');
    await page.getByRole('button', { name: 'Dismiss all…' }).click();
    await page.getByLabel(/^Reason/).fill('corrected since');
    await page.getByRole('button', { name: 'Dismiss 2 items' }).click();

    await page.locator('[role="status"]:focus', { hasText: 'Decided 2 of 2.' }).waitFor();
    await expect.poll(() => timesAsked('prod/parked')).toBe(before + 1);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('a dry run can be cancelled, and the focus goes back to its button', async () => {
    await open('parked', 'Correct the rows');
    const button = page.getByRole('button', { name: 'Dismiss all…' });
    await button.click();
    await page.getByRole('button', { name: 'Cancel' }).click();

    expect(await button.and(page.locator(':focus')).count()).toBe(1);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(server.sent.some((request) => request.includes('/parked/resolve'))).toBe(false);
  });

  test('a parked file leads to its versions', async () => {
    await open('parked', 'Correct the rows');
    await page.getByRole('link', { name: 'datasets/pii/names-1.csv' }).click();
    await page.getByRole('link', { name: 'Every version of this file' }).click();

    await page.getByRole('heading', { level: 1, name: 'Uploads' }).waitFor();
    expect(page.url()).toContain('/uploads/datasets%2Fpii%2Fnames-1.csv');
  });

  // The button went with the freeze, and the answer with it.
  test('what a switch did stays said, though its freeze is gone', async () => {
    await open('now', 'NO ANSWER YET');
    await page.getByRole('button', { name: 'Thaw the stage…' }).click();
    await page.getByLabel(/^Reason/).fill('the vendor has repaired it');
    await page.getByLabel(/^Type prod/).fill('prod');
    await page.getByRole('dialog').getByRole('button', { name: 'Thaw the stage' }).click();
    await page.getByText('The freeze has ended.').waitFor();

    server.tell({ switches: [], needs: [] });
    await page.getByText('Nothing needs attention.').waitFor();

    expect(await page.getByText('The freeze has ended.').isVisible()).toBe(true);
  });

  // Another program may listen on the port of a console that has ended, and its page found the secret.
  test('forgets its session once the console has ended', async () => {
    await open('now', 'NO ANSWER YET');
    server.goAway();
    await page.getByRole('heading', { name: 'The console has ended' }).waitFor();

    expect(await page.evaluate<number>('sessionStorage.length')).toBe(0);
  });
});
