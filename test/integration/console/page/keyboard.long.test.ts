import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SessionAnswer } from '#console/api.ts';
import { bundlePage, type PageFiles } from '#console/bundle-page.ts';
import { axeFindings, openTab, skipNote, skipReason, startBrowser } from './browser.ts';
import { nowText } from './facts.ts';
import { startFixture, token, type FixtureServer } from './fixture-server.ts';
import { chooseFile, openScreen, tabTo } from './keyboard.ts';

/** Waits for it to be seen, as a person would. */
async function isSeen(target: Locator): Promise<boolean> {
  await target.first().waitFor();
  return target.first().isVisible();
}

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

      expect(await isSeen(page.locator('h1:focus', { hasText: 'History' }))).toBe(true);
    });

    test('letters lead to the screens and to the search, and the list of them can turn them off', async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('p');
      await page.getByRole('heading', { level: 1, name: 'Parked' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('/');
      await page.getByRole('searchbox').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('g n ?weeknights');
      await page.keyboard.press('Escape');
      expect(await page.getByRole('heading', { level: 1, name: 'History' }).count()).toBe(1);

      await tabTo(page, page.getByRole('button', { name: 'Keys' }));
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await tabTo(page, page.getByLabel('Keys of one letter are on'));
      await page.keyboard.press('Space');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');

      expect(await page.getByRole('dialog').count()).toBe(0);
    });

    test('what was searched for, and the night and the run of the calendar, are in the address', async () => {
      await openScreen(page, /^History$/);
      await tabTo(page, page.getByRole('searchbox'));
      await page.keyboard.type('weeknights');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.url()).toContain('/prod/history?search=weeknights');

      await page.goto(`${server.origin}/#/prod/calendar?night=2026-11-20&run=nightly`);
      await page.getByLabel('Night', { exact: true }).waitFor();

      expect(await page.getByLabel('Night', { exact: true }).inputValue()).toBe('2026-11-20');
      expect(await page.getByLabel('Run', { exact: true }).inputValue()).toBe('nightly');
      expect(await page.getByRole('button', { name: 'Tonight' }).isEnabled()).toBe(true);
    });

    test('Escape closes what is folded out, and the focus stays there', async () => {
      await openScreen(page, /^Parked/);
      await page.goto(`${server.origin}/#/prod/parked/p1`);
      const summary = page.locator('summary', { hasText: 'Runbook' });
      await tabTo(page, summary);
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');

      expect(await page.locator('details.runbook[open]').count()).toBe(0);
      expect(await summary.and(page.locator(':focus')).count()).toBe(1);
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

    test('a file with problems is not sent: each problem stands at its row', async () => {
      await openScreen(page, /^Uploads$/);
      await chooseFile(page, 'bad.csv', 'text,label\na,maybe\n');
      await page.getByText('row 7: prompt is empty').waitFor();

      expect(await page.getByText('The first line names no column "prompt".').count()).toBe(1);
      expect(await page.getByRole('rowheader', { name: '7', exact: true }).count()).toBe(1);
      expect(await page.getByRole('button', { name: 'Send it' }).count()).toBe(0);
    });

    // The worker registers it all the same: only the page refused.
    test('a file with problems is sent if its rule checks nothing', async () => {
      await openScreen(page, /^Uploads$/);
      await chooseFile(page, 'as-it-is.csv', 'text,label\na,maybe\n');
      await page.getByText('registers it as it is, and checks nothing.').waitFor();

      expect(await page.getByRole('button', { name: 'Send it' }).count()).toBe(1);
    });
  });
});

describe.skipIf(skipReason !== undefined)(`a page that cannot know${skipNote}`, () => {
  let browser: Browser;
  let server: FixtureServer;
  let page: Page;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => browser.close());
  beforeEach(async () => {
    server = await startFixture(await bundlePage());
    ({ page } = await openTab(browser, { origin: server.origin, now: nowText }));
  });
  afterEach(async () => {
    await page.context().close();
    await server.close();
  });

  const openNow = async () => {
    await page.goto(`${server.origin}/#token=${token}`);
    await page.goto(`${server.origin}/#/prod/now`);
    await page.getByText('NO ANSWER YET').first().waitFor();
  };

  test('says so if its address was used before', async () => {
    await page.goto(`${server.origin}/#token=another`);

    await page.getByText('This tab has no session').waitFor();
    expect(await isSeen(page.getByText('this address was used'))).toBe(true);
  });

  test('keeps its session at a reload', async () => {
    await openNow();
    await page.reload();

    expect(await isSeen(page.getByText('NO ANSWER YET'))).toBe(true);
  });

  test('says that access is denied, with the command that helps, above the last facts', async () => {
    await openNow();
    server.deny('the SSO session has ended');

    await page.getByRole('alert').getByText('aws sso login').first().waitFor();
    expect(await isSeen(page.locator('.freshness.bad'))).toBe(true);
    expect(await isSeen(page.getByText('NO ANSWER YET'))).toBe(true);
  });

  test('says that the console has ended, and shows nothing old', async () => {
    await openNow();
    server.goAway();

    await page.getByRole('heading', { name: 'The console has ended' }).waitFor();
    expect(await page.getByText('NO ANSWER YET').count()).toBe(0);
  });

  test('says that the console does not answer, and when it tries again', async () => {
    await openNow();
    await server.close();

    expect(await isSeen(page.locator('.freshness.bad', { hasText: 'Next try in' }))).toBe(true);
  });

  test('writes times in the zone of the stage, in UTC or in the zone of the browser', async () => {
    await openNow();
    const next = page.getByRole('region', { name: /^Next/ }).locator('time').first();

    await page.getByLabel(/^Times/).selectOption('mine');
    await page.getByText('America/New_York').waitFor();

    expect(await next.textContent()).toBe('Sat 5 Dec 17:00');
  });
});
