/**
 * `npm run pictures`: takes the pictures of the console that README shows, in a browser, of a stage that does not change: the week that 0.9.0 left behind
 * (test/upgrades). They are looked at and committed by a person.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import { openTab, skipReason, startBrowser } from '../integration/console/page/browser.ts';
import { startStageProcess, temporaryFolder } from '../integration/stage/harness/stage-process.ts';
import { unpackState } from '../integration/upgrades/released-state.ts';
import { setClock, weekEnd } from '../upgrades/week.ts';

/** The screens, with a text that stands there once its answer has come. */
const screens = [
  { name: 'now', text: 'In flight' },
  { name: 'calendar', text: 'The same as a table' },
] as const;

/** A minute behind what the stage did last. */
const now = new Date(weekEnd.getTime() + 60_000);

async function main(): Promise<void> {
  if (skipReason !== undefined) throw new Error(skipReason);
  const outDir = join(packageFolder, 'docs', 'pictures');
  mkdirSync(outDir, { recursive: true });
  const folder = temporaryFolder();
  const { dataDir, config } = unpackState('0.9.0', folder.path);
  setClock(dataDir, now);
  const stage = await startStageProcess(dataDir, '--config', config);
  const browser = await startBrowser();
  try {
    const link = new URL(stage.console ?? '');
    const tab = await openTab(browser, {
      origin: link.origin,
      now: now.toISOString(),
      size: { width: 1200, height: 760 },
    });
    await tab.page.goto(link.href);
    for (const { name, text } of screens) {
      await tab.page.goto(`${link.origin}/#/local/${name}`);
      await tab.page.getByText(text).first().waitFor();
      await tab.page.screenshot({ path: join(outDir, `${name}.png`) });
    }
  } finally {
    await browser.close();
    await stage.end('SIGTERM');
    folder.remove();
  }
}

await main();
