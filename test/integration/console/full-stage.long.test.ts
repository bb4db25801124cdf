import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { searched } from './full-stage/history-rows.ts';
import { freezeReason, type FullStage, openFullStage } from './full-stage/open-full-stage.ts';
import { putOff } from './full-stage/open-work.ts';
import { uploadKeyAt } from './full-stage/upload-rows.ts';
import { axeFindings, openTab, type Watched } from './page/browser.ts';
import { inBrowser, testSilence } from './page/in-browser.ts';

/** Each screen by its address, with what it must show of this stage. */
const screens: readonly (readonly [name: string, address: string, texts: readonly (string | RegExp)[]])[] = [
  ['Stages', '', ['FROZEN', 'needs attention']],
  ['Now', 'local/now', [freezeReason, 'asked: it may run since', 'deferred', uploadKeyAt(0)]],
  ['Parked', 'local/parked', ['POST_OUTCOME_UNKNOWN', 'NO_RUN_LEFT', 'BAD_MESSAGE']],
  ['Run', 'local/run/in-doubt', ['asked: it may run since', 'its planned stop']],
  ['Uploads', 'local/uploads', [uploadKeyAt(0), uploadKeyAt(49)]],
  ['Versions', `local/uploads/${encodeURIComponent(uploadKeyAt(0))}`, ['120 rows, 40 true and 80 false']],
  ['History', 'local/history', ['OVERLAP', 'for the end of the blackout backup']],
  ['Settings', 'local/settings', ['backup', 'release', 'nightly']],
];

/**
 * The console on a stage with 14 days of history, a freeze, two blackouts, a deferral, a parked row for each reason, a start in doubt, 10,000 rows
 * of history and 2,000 uploads: the real server, the real page and a local stage.
 */
inBrowser('the console on a full stage', (browser) => {
  let full: FullStage;
  let tab: Watched;

  beforeAll(async () => {
    full = await openFullStage();
    tab = await openTab(browser(), { origin: full.console.url, now: full.now.toISOString() });
    await tab.page.goto(full.console.newLink());
    await tab.page.getByRole('heading', { level: 1 }).waitFor();
  });
  afterAll(async () => full.close());

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

  test('Calendar draws 2,000 occurrences, the freeze, both blackouts and the start that was deferred', async () => {
    const { page } = tab;

    await open('local/calendar');
    await page.getByText(/nights before: /).click();
    await page.locator('details a.mark').first().waitFor();

    expect(await page.locator('a.mark').count()).toBeGreaterThanOrEqual(1_900);
    const titles = await page.locator('rect.blackout title, rect.held title').allTextContents();
    expect([...new Set(titles)].toSorted()).toEqual([
      'blackout backup: starts are deferred',
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

    await page.locator('details a.mark[tabindex="0"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('a.mark[tabindex="0"]:focus').waitFor();

    const written = await page.evaluate<number>('timesWritten');
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(100);
  });

  // The rule for contrast takes a minute for all of them in two themes.
  test('Calendar has no finding of axe with all its marks, and none of contrast with one of each look', async () => {
    const ofAll = await axeFindings(tab.page, ['color-contrast']);
    await leaveOneOfEachLook(tab.page);

    expect(ofAll).toEqual([]);
    expect(await findings()).toEqual([]);
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

  testSilence(() => [tab]);
});

/** Takes marks, bars and rows of the calendar away that look like one before, by their classes and the shape that stands for their outcome. */
async function leaveOneOfEachLook(page: Page): Promise<void> {
  await page.evaluate(() => {
    const looks = new Set<string>();
    for (const each of document.querySelectorAll('main svg a:not([tabindex="0"]), main rect, main tbody tr')) {
      const classes = [each, ...each.querySelectorAll('[class]')].map((part) => part.getAttribute('class'));
      const lane = each.closest('svg')?.parentElement?.className;
      const look = JSON.stringify([each.localName, lane, classes, each.querySelector('[aria-hidden]')?.textContent]);
      if (looks.has(look)) each.remove();
      looks.add(look);
    }
  });
}
