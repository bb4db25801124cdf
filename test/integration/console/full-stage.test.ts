import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { searched } from './full-stage/history-rows.ts';
import { freezeReason, type FullStage, openFullStage } from './full-stage/open-full-stage.ts';
import { putOff } from './full-stage/open-work.ts';
import { allParkReasons } from './full-stage/parked-rows.ts';
import { uploadKeyAt } from './full-stage/upload-rows.ts';
import { axeFindings, openTab, skipNote, skipReason, startBrowser, type Watched } from './page/browser.ts';

/** Each screen by its address, with what it must show of this stage. */
const screens: readonly (readonly [name: string, address: string, texts: readonly (string | RegExp)[]])[] = [
  ['Stages', '', ['FROZEN', 'No answer yet to the start of']],
  ['Now', 'local/now', [freezeReason, 'NO ANSWER YET', 'put off', uploadKeyAt(0)]],
  ['Parked', 'local/parked', allParkReasons],
  ['Run', 'local/run/in-doubt', ['no answer came: the gateway may have taken it']],
  ['Uploads', 'local/uploads', [uploadKeyAt(0), uploadKeyAt(49)]],
  ['History', 'local/history', ['OVERLAP', 'put off by the blackout backup']],
  ['Settings', 'local/settings', ['backup', 'release', 'nightly']],
];

/**
 * The console on a stage with 14 days of history, a freeze, two blackouts, a deferral, a parked row for each reason, a start in doubt, 10,000 rows
 * of history and 2,000 uploads: the real server, the real page and a local stage.
 */
describe.skipIf(skipReason !== undefined)(`the console on a full stage${skipNote}`, () => {
  let full: FullStage;
  let browser: Browser;
  let tab: Watched;

  beforeAll(async () => {
    [full, browser] = await Promise.all([openFullStage(), startBrowser()]);
    tab = await openTab(browser, { origin: full.console.url, now: full.now.toISOString() });
    await tab.page.goto(full.console.newLink());
    await tab.page.getByRole('heading', { level: 1 }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await full.close();
  });

  const open = async (address: string) => tab.page.goto(`${full.console.url}/#/${address}`);
  const seen = async (text: string | RegExp) => tab.page.getByRole('main').getByText(text).first().waitFor();

  const findings = async () => {
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.page.emulateMedia({ colorScheme });
      found.push(...(await axeFindings(tab.page)));
    }
    return found;
  };

  test.each(screens)('%s shows its data, and axe finds nothing in light and dark', async (_name, address, texts) => {
    await open(address);
    for (const text of texts) await seen(text);

    expect(await findings()).toEqual([]);
  });

  test('Calendar draws 2,000 occurrences, the freeze, both blackouts and the start that was put off', async () => {
    const { page } = tab;

    await open('local/calendar');
    await seen('The same as a table');

    expect(await page.locator('a.mark').count()).toBeGreaterThanOrEqual(1_900);
    const titles = await page.locator('rect.blackout title, rect.held title').allTextContents();
    expect([...new Set(titles)].toSorted()).toEqual([
      'blackout backup: starts are put off',
      'blackout release: starts are skipped',
      `frozen by ann: ${freezeReason}`,
    ]);
    expect(await page.locator(`a[data-mark*="${putOff}"]`).count()).toBeGreaterThan(0);
  });

  // Each mark that the pointer or a key reached drew all 2,000 again, with their times: a quarter of a second.
  test('Calendar draws only what changes when a key moves to another mark', async () => {
    const { page } = tab;
    await page.evaluate(`
      globalThis.timesWritten = 0;
      const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format');
      Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
        get() { timesWritten += 1; return get.call(this); },
      });
    `);

    await page.locator('a.mark[tabindex="0"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('a.mark[tabindex="0"]:focus').waitFor();

    const written = await page.evaluate<number>('timesWritten');
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(100);
  });

  test('Calendar has no finding of axe in light and dark', async () => {
    await thinOut(tab.page);

    expect(await findings()).toEqual([]);
  });

  test.each([
    ['a run', 'nightly', 'in-doubt'],
    ['a start that was put off', 'start smoke, put off by the blackout backup', putOff],
  ])('Now leads from %s to the story of its start', async (_what, title, id) => {
    await open('local/now');
    await tab.page.getByRole('link', { name: title, exact: true }).first().click();

    await tab.page.getByRole('list', { name: 'What happened' }).waitFor();
    expect(tab.page.url()).toContain(`/local/run/${id}`);
  });

  test('Uploads leads from the newest to earlier ones', async () => {
    await open('local/uploads');
    await seen(uploadKeyAt(0));
    await tab.page.getByRole('button', { name: 'Earlier' }).click();
    await seen(uploadKeyAt(50));

    expect(await tab.page.getByText(uploadKeyAt(0)).count()).toBe(0);
  });

  // One answer reads 2,000 rows: the page stopped there, with "Nothing found so far".
  test('History finds one row of 10,000 that is older than 6,000 others', async () => {
    const { page } = tab;

    await open('local/history');
    await page.getByRole('searchbox').fill('chg-4711');
    await page.keyboard.press('Enter');

    await seen(searched.reason);
    expect(await page.getByRole('main').locator('tbody tr').count()).toBe(1);
  });

  test('made no other request, and wrote nothing to the console', () => {
    expect(tab.messages).toEqual([]);
    expect(tab.outside).toEqual([]);
  });
});

/** Takes most marks, bars and rows of the calendar away: axe needs 20 s for 2,000 of each, and they are of a few kinds. */
async function thinOut(page: Page): Promise<void> {
  await page.evaluate(`
    for (const selector of ['a.mark:not([tabindex="0"])', 'rect.bar', 'tbody tr']) {
      document.querySelectorAll(selector).forEach((each, index) => index % 40 === 0 || each.remove());
    }
  `);
}
