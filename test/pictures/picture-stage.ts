import { openStage } from '#operator/stage/open-stage.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { RecentRow } from '#shared/ledger/recent-outcomes.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import type { Page } from 'playwright-core';
import { openTab, startBrowser } from '../integration/console/page/browser.ts';
import { startStageProcess, temporaryFolder, until } from '../integration/stage/harness/stage-process.ts';
import { unpackState } from '../integration/upgrades/released-state.ts';
import { files, setClock, weekEnd } from '../upgrades/week.ts';

/** The stage of the pictures: the week that 0.9.0 left behind (test/upgrades), so each run shows the same. */

const waiting = `datasets/${files.waiting}.csv`;

/** The screens that README shows, with a text that stands there once their answer has come. */
const screens = [
  { name: 'now', text: waiting },
  { name: 'calendar', text: 'The same as a table' },
] as const;

export type PictureName = (typeof screens)[number]['name'];

/** A minute behind what the stage did last. */
const now = new Date(weekEnd.getTime() + 60_000);

/** Opens each screen of the pictures in a browser, at the size of its picture. */
export async function visitPictures(visit: (name: PictureName, page: Page) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const { dataDir, config } = unpackState('0.9.0', folder.path);
  setClock(dataDir, now);
  const stage = await startStageProcess(dataDir, '--config', config);
  try {
    const { aws: endpoint, region } = stage;
    const opened = openStage({ kind: 'local', stage: 'local', endpoint, region, folder: dataDir })();
    const ledger = await opened.stage.ledger();
    await setSwitch(ledger, stageSwitch, { isOn: false, by: 'ann', reason: 'the takeover is over', at: now });
    const reason = 'INC-77: the vendor repairs the gateway';
    await setSwitch(ledger, stageSwitch, {
      isOn: true,
      by: 'ann',
      reason,
      at: now,
      until: new Date(now.getTime() + 2 * 86_400_000),
    });
    await nameLastOutcomes(ledger);
    const browser = await startBrowser();
    try {
      const link = new URL(stage.console ?? '');
      const size = { width: 1200, height: 760 };
      const { page } = await openTab(browser, { origin: link.origin, now: now.toISOString(), size });
      await page.goto(link.href);
      for (const { name, text } of screens) {
        await page.goto(`${link.origin}/#/local/${name}`);
        await page.getByText(text).first().waitFor();
        await visit(name, page);
      }
    } finally {
      await browser.close();
    }
  } finally {
    await stage.end('SIGTERM');
    folder.remove();
  }
}

/** Names the commands of the last outcomes as this version does: 0.9.0 wrote their ids. The upload that waited ends in this run. */
async function nameLastOutcomes(ledger: Ledger): Promise<void> {
  const row = await until('the upload that waited', async () => {
    const found = await ledger.read<RecentRow>(ledgerKeys.recent());
    return found?.lines?.some((line) => line.endsWith(waiting)) === true ? found : undefined;
  });
  const lines = row.lines?.map((line) =>
    line.replace(/\S*night(?:ly|s)@\S+$/, 'start nightly').replace(/\S*e:([\da-f-]{36})@\S+$/, 'stop $1'),
  );
  const { pk, kind } = row;
  await ledger.write<RecentRow>(row, { pk, kind, lines: lines ?? [] });
}

/** What a screen says. Times move while the stage runs, so a length of time and the hour of its clock are masked. */
export async function textOf(page: Page): Promise<string> {
  const text = await page.getByRole('main').innerText();
  const lengths = /\d+ (?:d|h|min|s)(?: \d+ (?:h|min|s))?\b/g;
  return `${text
    .replaceAll(lengths, '[time]')
    .replace(/(?<=It is .*)\d\d:\d\d/, '[hour]')
    .replaceAll(/[ \t]+\n/g, '\n')}\n`;
}
