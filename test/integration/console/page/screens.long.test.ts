import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundlePage } from '#console/bundle-page.ts';
import { axeFindings, openTab, skipNote, skipReason, startBrowser, type Watched } from './browser.ts';
import { nowText } from './facts.ts';
import { startFixture, token, type FixtureServer } from './fixture-server.ts';
import { hostile } from './run-facts.ts';

/** Each screen by its address, with a text that stands there once its answer has come. */
const screens: readonly (readonly [name: string, address: string, text: string])[] = [
  ['Stages', '#/', 'the SSO session has ended'],
  ['Now', '#/prod/now', 'NO ANSWER YET'],
  ['Parked', '#/prod/parked', 'Correct the rows'],
  ['Calendar', '#/prod/calendar', 'The same as a table'],
  ['Run', '#/prod/run/night2', 'the gateway shows that it ran: lastRun'],
  ['Uploads', '#/prod/uploads', 'datasets/good.csv'],
  ['Versions', `#/prod/uploads/${encodeURIComponent(`datasets/${hostile}.csv`)}`, 'v1'],
  ['History', '#/prod/history', 'weeknights'],
  ['One item', '#/prod/parked/p1', 'Every version of this file'],
  ['Doctor', '#/prod/doctor', 'it ends in 3 days'],
  ['Settings', '#/prod/settings', 'starts nightly at 22:00'],
];

/** Elements beyond the right edge of the window, and tables that hide a part of themselves: why a start did not run stood there, without a cue. */
const hiddenAtTheEdge = `[
  ...[...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent),
  ...[...document.querySelectorAll('main *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML),
].map((text) => text.slice(0, 80))`;

/** A4 within margins of 10 mm, at 96 pixels an inch. */
const paperWidth = 718;

test('the script has at most 40 kB as it is compressed', async () => {
  const { script } = await bundlePage();

  expect(gzipSync(script).length).toBeLessThanOrEqual(40_000);
});

describe.skipIf(skipReason !== undefined)(`each screen${skipNote}`, () => {
  let browser: Browser;
  let server: FixtureServer;
  const tabs = new Map<'light' | 'dark', Watched>();

  beforeAll(async () => {
    server = await startFixture(await bundlePage());
    browser = await startBrowser();
    for (const theme of ['light', 'dark'] as const) {
      const tab = await openTab(browser, { origin: server.origin, now: nowText, theme });
      tabs.set(theme, tab);
      await tab.page.goto(`${server.origin}/#token=${token}`);
      await tab.page.getByText('the SSO session has ended').waitFor();
    }
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const tabOf = (theme: 'light' | 'dark') => tabs.get(theme) ?? expect.unreachable('the tab is open');
  const open = async (address: string, text: string, theme: 'light' | 'dark' = 'light') => {
    const { page } = tabOf(theme);
    await page.goto(`${server.origin}/${address}`);
    await page.getByText(text).first().waitFor();
    return page;
  };

  test('is reached without the token in the address', () => {
    expect(tabOf('light').page.url()).not.toContain('token');
  });

  for (const theme of ['light', 'dark'] as const) {
    test.each(screens)(`%s has no finding of axe (${theme})`, async (_name, address, text) => {
      expect(await axeFindings(await open(address, text, theme))).toEqual([]);
    });
  }

  test.each(screens)('%s fits a width of 390 px without moving sideways', async (_name, address, text) => {
    await tabOf('light').page.setViewportSize({ width: 390, height: 800 });
    const page = await open(address, text);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    const hidden = await page.evaluate<readonly string[]>(hiddenAtTheEdge);
    await page.setViewportSize({ width: 1280, height: 900 });

    expect(width).toBeLessThanOrEqual(390);
    expect(hidden).toEqual([]);
  });

  test.each(screens)('%s fits with letters of twice the size', async (_name, address, text) => {
    const page = await open(address, text);

    await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    await page.evaluate(`document.documentElement.style.fontSize = ''`);

    expect(width).toBeLessThanOrEqual(1280);
  });

  // Tables scrolled on the screen, and so lost their last columns on paper.
  test.each(screens)('%s is printed whole, without what only a screen can do', async (_name, address, text) => {
    const page = await open(address, text);

    await page.setViewportSize({ width: paperWidth, height: 900 });
    await page.emulateMedia({ media: 'print' });
    const cutOff = await page.evaluate<number>(
      `Math.max(...[document.documentElement, ...document.querySelectorAll('.scroll')].map((each) => each.scrollWidth - each.clientWidth))`,
    );
    const seen = await page.locator('nav, header, .buttons, .command').filter({ visible: true }).count();
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: 1280, height: 900 });

    expect(cutOff).toBeLessThanOrEqual(0);
    expect(seen).toBe(0);
  });

  // An outer rule no longer reached them: half of each mark and of each name was cut off.
  test('Calendar shows each mark and each name whole', async () => {
    const page = await open('#/prod/calendar', 'The same as a table');

    const shown = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.calendar svg svg')].map((each) => getComputedStyle(each).overflow)`,
    );

    expect(new Set(shown)).toEqual(new Set(['visible']));
  });

  // Copy was 45 by 19 pixels, and a mark of the calendar 18 by 18 (WCAG 2.5.8).
  test.each(screens)('%s has no button, field or mark smaller than 24 px', async (_name, address, text) => {
    const page = await open(address, text);

    const small = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('button, select, summary, input, .mark .target')]
        .filter((each) => each.getClientRects().length > 0)
        .filter((each) => Math.min(each.getBoundingClientRect().width, each.getBoundingClientRect().height) < 23.9)
        .map((each) => each.outerHTML.slice(0, 80))`,
    );

    expect(small).toEqual([]);
  });

  test('nothing moves by itself for a person who asked for less motion', async () => {
    const page = await open('#/prod/now', 'NO ANSWER YET');

    expect(await page.evaluate<number>('document.getAnimations().length')).toBe(0);
  });

  // At 1280 px the instant of a row hung down into the row below, and covered its text.
  test.each([390, 1024, 1280])('Now keeps each instant of Next within its row at %i px', async (width) => {
    await tabOf('light').page.setViewportSize({ width, height: 900 });
    const page = await open('#/prod/now', 'quarter-end-of-the-search-assistant');

    const below = await page.evaluate<readonly number[]>(
      `[...document.querySelectorAll('.rows .right')].map((each) =>
        each.getBoundingClientRect().bottom - each.closest('li').getBoundingClientRect().bottom)`,
    );
    await page.setViewportSize({ width: 1280, height: 900 });

    expect(below.length).toBeGreaterThan(2);
    expect(Math.max(...below)).toBeLessThanOrEqual(0);
  });

  test('made no other request, and wrote nothing to the console', () => {
    for (const theme of ['light', 'dark'] as const) {
      expect(tabOf(theme).messages).toEqual([]);
      expect(tabOf(theme).outside).toEqual([]);
    }
  });
});
