import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readAssets } from '#console/assets.ts';
import { consoleStages } from '#console/server/console-stage.ts';
import { visibleText } from '#shared/text/visible-text.ts';
import type { StageAccess } from '#operator/stage/stage-access.ts';
import { hostileTexts } from '../../../builders/hostile-texts.ts';
import { exampleDeps } from '../../../golden/example-stage.ts';
import { hostileDeps } from '../harness/hostile-stage.ts';
import { startTestConsole, type TestConsole } from '../harness/test-console.ts';
import { openTab, skipNote, skipReason, startBrowser, type Watched } from './browser.ts';
import { nowText } from './facts.ts';

/** One file name with U+2028 blinded the page: it read no event that held one, and said "Reading…" for ever. */
describe.skipIf(skipReason !== undefined)(`a text of others in the stream${skipNote}`, () => {
  let running: TestConsole;
  let browser: Browser;
  let tab: Watched;

  beforeAll(async () => {
    browser = await startBrowser();
    // A stage for each text, and one without any that stands first.
    const texts = ['plain', ...hostileTexts.map(([, text]) => text)];
    const all = await Promise.all(texts.map(async (text) => hostileDeps(text)));
    const stages = consoleStages(all.map((deps, index) => ({ label: `stage-${index}`, words: [], open: () => deps })));
    running = await startTestConsole({ stages, assets: readAssets });
    tab = await openTab(browser, { origin: running.url, now: nowText });
    await tab.page.goto(running.newLink());
    await tab.page.getByRole('navigation').waitFor();
  });
  afterAll(async () => {
    await browser.close();
    await running.close();
  });

  test.each(hostileTexts.map(([kind, text], index) => ({ kind, text, stage: `stage-${index + 1}` })))(
    'is shown as it is on Now: $kind',
    async ({ text, stage }) => {
      const { page } = tab;

      await page.goto(`${running.url}/#/${stage}/now`);
      // The reason of its freeze; the same event holds the text as the name of a file, and of a person.
      await page.getByRole('main').getByText(visibleText(text)).first().waitFor();

      expect(await page.locator('.freshness').textContent()).toContain('Live');
      expect(await page.locator('.stage').textContent()).toContain(stage);
    },
  );

  test('made no other request, and wrote nothing to the console', () => {
    expect(tab.outside).toEqual([]);
    expect(tab.messages).toEqual([]);
  });
});

/** It comments, and gives no facts: its ledger does not answer. */
async function startSilentConsole(): Promise<TestConsole> {
  const deps = await exampleDeps();
  const stage: StageAccess = { ...deps.stage, ledger: async () => new Promise<never>(() => {}), until: () => stage };
  return startTestConsole({ deps: { ...deps, stage }, assets: readAssets });
}

// It said "Reading…" for ever.
test.skipIf(skipReason !== undefined)(
  `a stream that stands and gives nothing is called unreadable${skipNote}`,
  async () => {
    await using running = await startSilentConsole();
    const browser = await startBrowser();
    onTestFinished(async () => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    await page.clock.install();
    const stream = page.waitForResponse((response) => response.url().includes('/api/live'));
    await page.goto(running.newLink());
    await page.getByText('Reading…').waitFor();
    await stream;

    await page.clock.fastForward(20_000);

    const note = page.getByRole('main').getByRole('alert');
    await note.getByText('The stream of this stage cannot be read').waitFor();
    expect(await note.textContent()).toContain('autopilot status');
    expect(await page.getByText('Reading…').count()).toBe(0);
  },
);
