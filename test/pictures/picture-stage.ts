import { seedIds } from '#gateway/seed/seed-ids.ts';
import { readAssets } from '#console/assets.ts';
import { type RunningConsole, startConsole } from '#console/program/start-console.ts';
import { consoleStages } from '#console/server/console-stage.ts';
import { openStage, type StageDeps } from '#operator/stage/operator-deps.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { RecentRow } from '#shared/ledger/recent-outcomes.ts';
import { type CommandRow, endedRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { Page } from 'playwright-core';
import { openTab, startBrowser } from '../integration/console/page/browser.ts';
import { startStageProcess, temporaryFolder, until } from '../integration/stage/harness/stage-process.ts';
import { unpackState } from '../integration/upgrades/released-state.ts';
import { files, setClock, weekEnd } from '../upgrades/week.ts';

const waiting = `datasets/${files.waiting}.csv`;

/** The screens that README shows, with a text that stands there once their answer has come. */
const screens = [
  { name: 'now', text: waiting },
  { name: 'calendar', text: 'The same as a table' },
] as const;

export type PictureName = (typeof screens)[number]['name'];

/** A minute behind what the stage did last. It stands still, so that each picture says the same. */
const now = new Date(weekEnd.getTime() + 60_000);

const hourMs = 3_600_000;

/** Opens each screen of the pictures in a browser, at the size of its picture. */
export async function visitPictures(visit: (name: PictureName, page: Page) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const { dataDir, config } = unpackState('0.9.0', folder.path);
  setClock(dataDir, now);
  const stage = await startStageProcess(dataDir, '--config', config);
  try {
    const { aws: endpoint, region } = stage;
    const deps = openStage({ kind: 'local', stage: 'local', endpoint, region, folder: dataDir })();
    const ledger = await deps.stage.ledger();
    await fill(ledger);
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
  const operator = 'ann';
  const person = {
    operator,
    interruption: () => new AbortController().signal,
    elapsedMs: () => performance.now(),
    wait: async () => {},
    unique: () => 'unique',
    progress: () => {},
  };
  const open = () => ({ ...person, ...deps, localClock: undefined, now: async () => now });
  return startConsole({
    stages: consoleStages([{ label: 'local', words: [], open }]),
    assets: await readAssets(),
    operator,
  });
}

async function fill(ledger: Ledger): Promise<void> {
  for (const row of nightsBefore()) await ledger.write(undefined, row);
  const before = new Date(now.getTime() - 2 * hourMs);
  await setSwitch(ledger, stageSwitch, { isOn: false, by: 'ann', reason: 'the takeover is over', at: before });
  const reason = 'INC-77: the vendor repairs the gateway';
  const ends = new Date(now.getTime() + 48 * hourMs);
  await setSwitch(ledger, stageSwitch, { isOn: true, by: 'ann', reason, at: before, until: ends });
  await nameLastOutcomes(ledger);
}

/** The nights of the week before, and a smoke run each day: a calendar of a stage that lives. */
function nightsBefore(): readonly CommandRow[] {
  const days = Array.from({ length: 12 }, (_, index) => index + 2);
  return days.flatMap((day) => {
    const noon = new Date(Date.UTC(2036, 0, 14 - day, 13));
    const night = new Date(Date.UTC(2036, 0, 14 - day, 22));
    const isNight = day > 7 && night.getUTCDay() >= 1 && night.getUTCDay() <= 4;
    return [
      ...runOf({ run: 'smoke', at: noon, hours: 0.5, skip: day === 5 ? 'OVERLAP' : undefined }),
      ...(isNight ? runOf({ run: 'nightly', at: night, hours: 6, skip: day === 11 ? 'MINIMUM_GAP' : undefined }) : []),
    ];
  });
}

/** A start and the stop that ends its run; or a start that was skipped. */
function runOf({
  run,
  at,
  hours,
  skip,
}: {
  readonly run: 'nightly' | 'smoke';
  readonly at: Date;
  readonly hours: number;
  readonly skip: 'OVERLAP' | 'MINIMUM_GAP' | undefined;
}): readonly CommandRow[] {
  const [campaignRunId = ''] = seedIds.campaignRuns[run];
  const row = (action: 'start' | 'stop', instant: Date, end: Partial<Parameters<typeof endedRow>[1]>): CommandRow => {
    const origin = { kind: 'schedule', name: run === 'nightly' ? 'nights' : 'noon' } as const;
    const id = `${run}-${action}@${instant.toISOString()}`;
    const command: CampaignRunCommand = { version: 1, id, action, run, issuedAt: instant.toISOString(), origin };
    const record = { body: JSON.stringify(command), receiveCount: 1, sentAt: instant };
    return endedRow(
      newCommandRow(command, instant),
      { campaignRunId, outcome: { kind: 'applied' }, ...end },
      instant,
      record,
    );
  };
  if (skip !== undefined)
    return [row('start', at, { campaignRunId: undefined, outcome: { kind: 'skipped', reason: skip } })];
  const end = new Date(at.getTime() + hours * hourMs);
  const campaign = run === 'nightly' ? 'chat-bot' : 'smoke';
  const facts = { due: at.toISOString(), endsAt: end.toISOString(), plansStop: true, campaign };
  return [row('start', at, { facts }), row('stop', end, {})];
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

/** What a screen says. */
export async function textOf(page: Page): Promise<string> {
  return `${(await page.getByRole('main').innerText()).replaceAll(/[ \t]+\n/g, '\n')}\n`;
}
