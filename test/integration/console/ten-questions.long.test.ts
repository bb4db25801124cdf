/** What an operator asks at 3 a.m., on a screen as wide as a phone: each is answered with at most two taps from Now. */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningConsole } from '#console/program/start-console.ts';
import type { InProcessStage } from '../stage/harness/in-process-stage.ts';
import { dailyAt, openTroubledNight } from '../stage/people/troubled-night.ts';
import { startConsoleOver } from './harness/console-over-stage.ts';
import { openTab, type Watched } from './page/browser.ts';
import { inBrowser, testSilence } from './page/in-browser.ts';

/** The questions, each with the taps that lead to its answer from Now. */
inBrowser('ten questions at 3 a.m. on a phone', (browser) => {
  let it: InProcessStage;
  let running: RunningConsole;
  let tab: Watched;

  beforeAll(async () => {
    it = await openTroubledNight();
    running = await startConsoleOver(it);
    tab = await openTab(browser(), {
      origin: running.url,
      now: new Date().toISOString(),
      size: { width: 390, height: 800 },
    });
    await tab.page.goto(running.newLink());
    await tab.page.getByRole('heading', { level: 1 }).waitFor();
  });
  afterAll(async () => {
    await running.close();
    await it.close();
  });

  const panel = (name: RegExp) => tab.page.getByRole('region', { name });
  const row = (text: RegExp | string) => tab.page.getByRole('row').filter({ hasText: text });
  const screen = (name: string) => tab.page.getByRole('navigation').getByRole('link', { name });
  const said = (words: string) => () => tab.page.getByRole('paragraph').filter({ hasText: words });

  const questions: readonly (readonly [
    question: string,
    taps: () => Locator[],
    place: () => Locator,
    answer: RegExp,
  ])[] = [
    ['Is anything running?', () => [], said('nightly:'), /nightly: runs since \d\d:\d\d, stops \d\d:\d\d/],
    [
      'Can I stop it?',
      () => [],
      () => panel(/^Runs/),
      /Stop it[^]*npx --prefix \S+ --no -- autopilot send stop [\da-f-]{36} --reason TEXT/,
    ],
    [
      'Why did it not start?',
      () => [screen('Calendar')],
      () => tab.page.getByRole('listitem').filter({ hasText: 'not started' }),
      /nightly\s[^]*skipped FROZEN: the stage is frozen/,
    ],
    [
      'What must I do first?',
      () => [],
      () => panel(/^Needs attention/).getByRole('listitem'),
      /problem[^]*npx --prefix \S+ --no -- autopilot/,
    ],
    ['What ran last night?', () => [], said('Last night'), /Last night: 1 run: 1 cancelled/],
    [
      'When is the next one?',
      () => [],
      said('Next start'),
      new RegExp(`Next start nightly \\w{3} .* ${dailyAt}[^]*FROZEN: will be skipped`),
    ],
    [
      'Is the gateway down, or are we?',
      () => [screen('Doctor'), tab.page.getByText('checks passed')],
      () => tab.page.getByRole('listitem').filter({ hasText: /^\S+ ok gateway/ }),
      /ok gateway/,
    ],
    [
      'What did I lose?',
      () => [screen('Parked'), tab.page.getByRole('link', { name: 'datasets/customers.csv' })],
      () => tab.page.getByRole('region', { name: 'One item' }),
      /the label is "maybe"[^]*autopilot parked resolve/,
    ],
    [
      'Who stopped it?',
      () => [screen('History')],
      () => row('start smoke'),
      /cancelled \d\d:\d\d by operator \w+, before it began/,
    ],
    [
      'Until when do the ids last?',
      () => [],
      () => panel(/^Run ids and budgets/),
      /nightly\s+campaign run ids[^]*left, enough until [^]*chat-bot\s+starts of \d{4}-\d\d[^]*39 of 40 left/,
    ],
  ];

  test.each(questions)('%s', async (_question, taps, place, answer) => {
    const { page } = tab;
    await page.goto(`${running.url}/#/local/now`);
    await page.locator('.verdict').waitFor();
    expect(taps().length).toBeLessThanOrEqual(2);
    for (const tap of taps()) await tap.click();

    await expect.poll(async () => place().first().innerText()).toMatch(answer);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  testSilence(() => [tab]);
});
