import { gzipSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundlePage } from '#console/bundle-page.ts';
import { writeKinds } from '#console/api.ts';
import { axeFindings, openTab, type Watched } from './browser.ts';
import { nowText } from './facts.ts';
import { startFixture, token, type FixtureServer } from './fixture-server.ts';
import { inBrowser, testSilence } from './in-browser.ts';
import { hostile } from './run-facts.ts';

/** Each screen by its address, with a text that stands there once its answer has come. */
const screens: readonly (readonly [name: string, address: string, text: string])[] = [
  ['Stages', '#/', 'the SSO session has ended'],
  ['Now', '#/prod/now', 'no answer yet, for 1 h'],
  ['Parked', '#/prod/parked', 'Correct the rows'],
  ['Runs', '#/prod/runs', 'changed before it'],
  ['Calendar', '#/prod/calendar', 'The same as a list'],
  ['Run', '#/prod/run/night2', '7 h 30 min later'],
  ['Uploads', '#/prod/uploads', 'datasets/good.csv'],
  ['Versions', `#/prod/uploads/${encodeURIComponent(`datasets/${hostile}.csv`)}`, 'v1'],
  ['History', '#/prod/history', 'weeknights'],
  ['One item', '#/prod/parked/p1', 'Every version of this file'],
  ['Doctor', '#/prod/doctor', 'it ends in 3 days'],
  ['Settings', '#/prod/settings', 'starts nightly at 22:00'],
];

const usualSize = { width: 1280, height: 900 };

/** A way in which a screen is seen, and a script that gives what is wrong with it then. */
interface Look {
  readonly says: string;
  readonly size?: typeof usualSize;
  readonly fontSize?: '200%';
  readonly media?: 'print';
  readonly wrong: string;
}

/** Those of the elements that can be seen and are smaller than so many pixels. */
function smallerThan(pixels: number, elements: string): string {
  return `[...document.querySelectorAll('${elements}')].filter((each) => {
    const { width, height, right } = each.getBoundingClientRect();
    return each.checkVisibility() && right > 0 && width > 0 && Math.min(width, height) < ${pixels - 0.1};
  })`;
}

const looks: readonly Look[] = [
  {
    // Tables hid a part of themselves: why a start did not run stood there, without a cue.
    says: 'fits a width of 390 px without moving sideways',
    size: { width: 390, height: 800 },
    wrong: `[
      ...[...document.querySelectorAll('html, .scroll')].filter((each) => each.scrollWidth > each.clientWidth),
      ...[...document.querySelectorAll('main *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1),
    ]`,
  },
  {
    says: 'fits with letters of twice the size',
    fontSize: '200%',
    wrong: `[document.documentElement].filter(({ scrollWidth }) => scrollWidth > innerWidth)`,
  },
  {
    // Tables scrolled on the screen, and so lost their last columns on paper: A4 within margins of 10 mm, at 96 pixels an inch.
    says: 'is printed whole, without what only a screen can do',
    size: { width: 718, height: 900 },
    media: 'print',
    wrong: `[
      ...[...document.querySelectorAll('html, .scroll')].filter((each) => each.scrollWidth > each.clientWidth),
      ...[...document.querySelectorAll('nav, header, .buttons, .command')].filter((each) => each.checkVisibility()),
    ]`,
  },
  {
    // Copy was 45 by 19 pixels, and a mark of the calendar 18 by 18 (WCAG 2.5.8).
    says: 'has no button, field, mark or point smaller than 24 px',
    wrong: smallerThan(24, 'button, select, summary, input, .target'),
  },
  {
    // A link within a sentence was 16 px high, and the thumb took the line below it.
    says: 'has nothing under 44 px to touch on a phone',
    size: { width: 390, height: 844 },
    wrong: smallerThan(44, 'button, select, summary, input, a:not(svg a)'),
  },
];

/** Evaluates a script on the page as it is looked at. */
async function evaluate<Result>(page: Page, { size = usualSize, fontSize, media }: Partial<Look>, script: string) {
  await page.setViewportSize(size);
  await page.emulateMedia({ media: media ?? null });
  await page.evaluate(`document.documentElement.style.fontSize = '${fontSize ?? ''}'`);
  return page.evaluate<Result>(script);
}

test('the script has at most 40 kB as it is compressed', async () => {
  const { script } = await bundlePage();

  expect(gzipSync(script).length).toBeLessThanOrEqual(40_000);
});

inBrowser('each screen', (browser) => {
  let server: FixtureServer;
  const tabs = new Map<'light' | 'dark', Watched>();

  beforeAll(async () => {
    server = await startFixture(await bundlePage(), { allow: [...writeKinds] });
    for (const theme of ['light', 'dark'] as const) {
      const tab = await openTab(browser(), { origin: server.origin, now: nowText, theme });
      tabs.set(theme, tab);
      await tab.page.goto(`${server.origin}/#token=${token}`);
      await tab.page.getByText('the SSO session has ended').waitFor();
    }
  });
  afterAll(async () => server.close());

  const open = async (address: string, text: string, theme: 'light' | 'dark' = 'light') => {
    const { page } = tabs.get(theme) ?? expect.unreachable('the tab is open');
    await page.goto(`${server.origin}/${address}`);
    await page.getByText(text).first().waitFor();
    return page;
  };
  for (const theme of ['light', 'dark'] as const) {
    test.each(screens)(`%s has no finding of axe (${theme})`, async (_name, address, text) => {
      expect(await axeFindings(await open(address, text, theme))).toEqual([]);
    });
  }

  describe.each(looks.map((look) => [look.says, look] as const))('%s:', (_says, look) => {
    test.each(screens)('%s', async (_name, address, text) => {
      const page = await open(address, text);

      const wrong = await evaluate(page, look, `${look.wrong}.map(({ outerHTML }) => outerHTML.slice(0, 80))`);
      await evaluate(page, {}, '');

      expect(wrong).toEqual([]);
    });
  });

  // An outer rule no longer reached them: half of each mark and of each name was cut off.
  test('Calendar shows each mark and each name whole', async () => {
    const page = await open('#/prod/calendar', 'The same as a list');

    const shown = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.calendar svg svg')].map((each) => getComputedStyle(each).overflow)`,
    );

    expect(new Set(shown)).toEqual(new Set(['visible']));
  });

  test('nothing moves by itself for a person who asked for less motion', async () => {
    const page = await open('#/prod/now', 'no answer yet, for 1 h');

    expect(await page.evaluate<number>('document.getAnimations().length')).toBe(0);
  });

  // At 1280 px the instant of a row hung down into the row below, and covered its text.
  test.each([390, 1024, 1280])('Now keeps each instant of Next within its row at %i px', async (width) => {
    const page = await open('#/prod/now', 'quarter-end-of-the-search-assistant');

    const below = await evaluate<readonly number[]>(
      page,
      { size: { width, height: 900 } },
      `[...document.querySelectorAll('.rows .right')].map((each) =>
        each.getBoundingClientRect().bottom - each.closest('li').getBoundingClientRect().bottom)`,
    );
    await evaluate(page, {}, '');

    expect(below.length).toBeGreaterThan(2);
    expect(Math.max(...below)).toBeLessThanOrEqual(0);
  });

  test('Runs has a point for each complete run, and a mark where something changed', async () => {
    const page = await open('#/prod/runs', 'changed before it');
    const line = page.getByRole('group', { name: /^Scores of/ });

    expect(
      await line.getByRole('link').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label'))),
    ).toEqual([88, 87, 61].map((score) => expect.stringMatching(new RegExp(`^\\w{3} \\d+ \\w{3}.* score ${score}$`))));
    expect(await line.locator('line title').allTextContents()).toEqual([expect.stringContaining('projects.chat-app')]);
  });

  // It stood at 467 of 844 px, below the next start, the last night and what could not be read.
  test('Now shows the first need above the fold of a phone, and one line above it all', async () => {
    const page = await open('#/prod/now', 'no answer yet, for 1 h');

    const [header, need, fold] = await evaluate<readonly [number, number, number]>(
      page,
      { size: { width: 390, height: 844 } },
      `['header', '.todo > li', 'nav'].map((each) => document.querySelector(each).getBoundingClientRect())
        .map(({ height, bottom, top }, index) => [height, bottom, top][index])`,
    );
    await evaluate(page, {}, '');

    expect(header).toBeLessThanOrEqual(48);
    expect(need).toBeLessThanOrEqual(fold / 2);
  });

  describe('by keyboard alone', () => {
    test('Enter on a point of the line opens the story of that run, and so does its row', async () => {
      for (const link of [/score 61$/, /^Sat|^Fri/]) {
        const page = await open('#/prod/runs', 'changed before it');
        await tabTo(page, page.getByRole('main').getByRole('link', { name: link }).first());
        await page.keyboard.press('Enter');
        await page.getByText('7 h 30 min later').waitFor();
        expect(page.url()).toContain('/prod/run/night0');
      }
    });

    test('a finding is dismissed with a reason', async () => {
      const page = await open('#/prod/parked', 'Found about runs');
      await tabTo(page, page.getByRole('button', { name: 'Dismiss…' }));
      await page.keyboard.press('Enter');
      expect(await axeFindings(page)).toEqual([]);
      await tabTo(page, page.getByLabel(/^Reason/));
      await page.keyboard.type('a test of ours');
      await page.keyboard.press('Enter');
      await page.getByText('Decided 1 of 1.').waitFor();

      expect(server.sent.at(-1)).toMatch(
        /resolve \{"rows":\[\{"row":"finding#nightly#SCORE_LOW","version":3\}\],"decision":"dismiss","because":"a test of ours"/,
      );
    });

    test('Enter on a mark of the past opens the story of that start', async () => {
      const page = await open('#/prod/now', 'no answer yet, for 1 h');
      await openScreen(page, /^Calendar$/);
      await tabTo(page, page.locator('a.mark[tabindex="0"]').first());
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');

      await page.getByText('7 h 30 min later').waitFor();
      expect(page.url()).toContain('/prod/run/night');
    });

    test('a dry run can be cancelled, and the focus goes back to its button', async () => {
      const page = await open('#/prod/now', 'no answer yet, for 1 h');
      await openScreen(page, /^Parked/);
      const button = page.getByRole('button', { name: 'Dismiss all…' });
      await tabTo(page, button);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByText('Dismiss 2 items, leave 1.').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await tabTo(page, page.getByRole('button', { name: 'Cancel' }));
      await page.keyboard.press('Enter');

      await button.and(page.locator(':focus')).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
    });
  });

  testSilence(() => [...tabs.values()]);
});

/** Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 300; presses += 1) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  expect.unreachable('the element is not in the order of the Tab key');
}

/** Opens a screen by its link in the navigation. */
async function openScreen(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, page.getByRole('navigation').getByRole('link', { name }));
  await page.keyboard.press('Enter');
  // The focus goes to the new screen's heading: a key before that would go to the screen that is left.
  await page.getByRole('heading', { level: 1, name }).and(page.locator(':focus')).waitFor();
}
