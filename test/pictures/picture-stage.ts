import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAssets } from '#console/assets.ts';
import { type RunningConsole, startConsole } from '#console/program/start-console.ts';
import { consoleStages } from '#console/server/console-stage.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { openStage, type StageDeps } from '#operator/stage/operator-deps.ts';
import { projectFolder } from '#shared/places.ts';
import type { Page } from 'playwright-core';
import { person } from '../integration/console/harness/console-over-stage.ts';
import { openTab, startBrowser } from '../integration/console/page/browser.ts';
import { startStageProcess, temporaryFolder } from '../integration/stage/harness/stage-process.ts';
import { fillLedger, now, parkedKey } from './picture-rows.ts';

/** The screens that README shows, with a text that stands there once their answer has come. */
const screens = [
  { name: 'now', text: parkedKey },
  { name: 'calendar', text: 'The same as a list' },
] as const;

export type PictureName = (typeof screens)[number]['name'];

/** Two campaigns of the embedded gateway: one that runs by night, one that tests each upload. */
const automation = {
  gateway: { baseUrl: 'http://127.0.0.1:1' },
  timezone: 'UTC',
  campaigns: {
    'chat-bot': {
      campaignId: seedIds.campaigns.chatBotNightly,
      runs: { nightly: { campaignRunIds: seedIds.campaignRuns.nightly.slice(0, 32), stopAfter: '8 hours' } },
    },
    smoke: {
      campaignId: seedIds.campaigns.chatBotSmoke,
      runs: { smoke: { campaignRunIds: seedIds.campaignRuns.smoke, stopAfter: '30 minutes' } },
    },
  },
  // The nights before are rows: the stage, whose clock jumps to tonight, is not to make up for one.
  schedules: [{ name: 'nights', start: 'nightly', at: 'cron(0 22 ? * MON-FRI *)', startDate: '2036-01-10T00:00:00Z' }],
  blackouts: [{ name: 'audit', from: '2036-01-14T12:00', to: '2036-01-14T20:00', starts: 'defer' }],
  datasets: [{ prefix: 'datasets/', send: 'file', check: 'prompt-label-csv', thenStart: 'smoke' }],
};

/** Opens each screen of the pictures in a browser, at the size of its picture. */
export async function visitPictures(visit: (name: PictureName, page: Page) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'state');
  const config = join(folder.path, 'automation.config.mjs');
  writeFileSync(config, `export default ${JSON.stringify({ local: automation })};\n`);
  const start = () => startStageProcess(dataDir, '--config', config);
  await (await start()).end('SIGTERM'); // only a stage makes its folder
  writeFileSync(join(dataDir, 'clock.json'), `${JSON.stringify({ offsetMs: now.getTime() - Date.now() })}\n`);
  const stage = await start();
  try {
    const { aws: endpoint, region } = stage;
    const deps = openStage({ kind: 'local', stage: 'local', endpoint, region, folder: dataDir })();
    await fillLedger(await deps.stage.ledger());
    const running = await startPictureConsole(deps);
    const browser = await startBrowser();
    try {
      const size = { width: 1200, height: 760 };
      const { page } = await openTab(browser, { origin: running.url, now: now.toISOString(), size });
      await page.goto(running.newLink());
      for (const { name, text } of screens) {
        await page.goto(`${running.url}/#/local/${name}`);
        await page.getByText(text).first().waitFor();
        await page.locator('.freshness', { hasText: 'as of' }).waitFor();
        await visit(name, page);
      }
    } finally {
      await browser.close();
      await running.close();
    }
  } finally {
    await stage.end('SIGTERM');
    folder.remove();
  }
}

/** The real console, whose stage has one time, and whose commands name no folder that exists on one machine alone. */
async function startPictureConsole(deps: StageDeps): Promise<RunningConsole> {
  const open = () => ({ ...person, ...deps, localClock: undefined, now: async () => now });
  return startConsole({
    stages: consoleStages([{ label: 'local', words: [], open }]),
    assets: readAssets,
    operator: person.operator,
  });
}

/** What a screen says. */
export async function textOf(page: Page): Promise<string> {
  const text = await page.getByRole('main').innerText();
  return `${text.replaceAll(/[ \t]+\n/g, '\n').replaceAll(projectFolder, 'PROJECT')}\n`;
}
