import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SessionAnswer } from '#console/api.ts';
import { bundlePage, type PageFiles } from '#console/bundle-page.ts';
import { axeFindings, openTab, skipNote, skipReason, startBrowser } from './browser.ts';
import { nowText } from './facts.ts';
import { startFixture, token, type FixtureServer } from './fixture-server.ts';
import { openScreen, tabTo } from './keyboard.ts';

describe.skipIf(skipReason !== undefined)(`by keyboard alone${skipNote}`, () => {
  let browser: Browser;
  let files: PageFiles;
  let server: FixtureServer;
  let page: Page;

  beforeAll(async () => {
    [browser, files] = await Promise.all([startBrowser(), bundlePage()]);
  });
  afterAll(async () => browser.close());

  async function openConsole(allow: SessionAnswer['allow']): Promise<void> {
    server = await startFixture(files, { allow });
    ({ page } = await openTab(browser, { origin: server.origin, now: nowText }));
    await page.goto(`${server.origin}/#token=${token}`);
    await tabTo(page, page.getByRole('link', { name: 'prod', exact: true }).first());
    await page.keyboard.press('Enter');
    await page.getByText('NO ANSWER YET').first().waitFor();
  }
  afterEach(async () => {
    await page.context().close();
    await server.close();
  });

  describe('of a console that may change nothing', () => {
    beforeEach(async () => openConsole([]));

    test('Enter on a mark of the past opens the story of that start', async () => {
      await openScreen(page, /^Calendar$/);
      await tabTo(page, page.locator('a.mark[tabindex="0"]'));
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');

      await page.getByText('the gateway shows that it ran: lastRun').waitFor();
      expect(page.url()).toContain('/prod/run/night');
    });

    test('the screen that a link opens has the focus on its heading', async () => {
      await openScreen(page, /^History$/);

      expect(await page.locator('h1:focus', { hasText: 'History' }).count()).toBe(1);
    });

    test('a decision ends at its dry run, with the command for the rest', async () => {
      await openScreen(page, /^Parked/);
      await tabTo(page, page.getByRole('button', { name: 'Dismiss all…' }));
      await page.keyboard.press('Enter');

      await page.getByRole('dialog').getByText('Dismiss 2 items, leave 1.').waitFor();
      await page.getByText('npx --no autopilot parked resolve --code CHECK_FAILED --dismiss').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.getByRole('button', { name: /^Dismiss 2/ }).count()).toBe(0);
    });

    test('a dry run can be cancelled, and the focus goes back to its button', async () => {
      await openScreen(page, /^Parked/);
      const button = page.getByRole('button', { name: 'Dismiss all…' });
      await tabTo(page, button);
      await page.keyboard.press('Enter');
      await tabTo(page, page.getByRole('button', { name: 'Cancel' }));
      await page.keyboard.press('Enter');

      await button.and(page.locator(':focus')).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
    });
  });

  describe('of a console that may change things', () => {
    beforeEach(async () => openConsole(['resolve', 'upload', 'switch']));

    test('a group is resolved after its dry run: the rows that it named, with their versions', async () => {
      await openScreen(page, /^Parked/);
      await tabTo(page, page.getByRole('button', { name: 'Dismiss all…' }));
      await page.keyboard.press('Enter');
      await tabTo(page, page.getByLabel(/^Reason/));
      await page.keyboard.type('corrected since');
      await page.keyboard.press('Enter');
      await page.getByText('Decided 2 of 2.').waitFor();

      const [path, body = ''] = (server.sent.at(-1) ?? '').split(' {', 2);
      expect(path).toBe('/api/stages/prod/parked/resolve');
      expect(JSON.parse(`{${body}`)).toEqual({
        rows: [
          { row: 'UPLOAD#0', version: 4 },
          { row: 'UPLOAD#1', version: 5 },
        ],
        decision: 'dismiss',
        because: 'corrected since',
      });
    });
  });
});
