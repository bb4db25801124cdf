/** What a colleague asks, answered from the screens alone, each in at most three clicks from the first one. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import type { RunningConsole } from '#console/program/start-console.ts';
import type { AutomationDocument } from '#shared/config/automation.ts';
import { type InProcessStage, openInProcessStage } from '../stage/harness/in-process-stage.ts';
import { letTimePass } from '../stage/harness/let-time-pass.ts';
import { until } from '../stage/harness/stage-process.ts';
import { writeAutomation } from '../stage/harness/write-automation.ts';
import { startConsoleOver } from './harness/console-over-stage.ts';
import { openTab, skipNote, skipReason, startBrowser, type Watched } from './page/browser.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const { nightly, smoke } = seedIds.campaignRuns;

/** Beyond the days that the calendar shows first, whatever the day of the test. */
const christmasYear = new Date().getUTCFullYear() + 1;

const automation: Omit<AutomationDocument, 'gateway'> = {
  timezone: 'UTC',
  campaigns: {
    'chat-bot': {
      campaignId: seedIds.campaigns.chatBotNightly,
      startsPerMonth: 40,
      runs: { nightly: { campaignRunIds: nightly, stopAfter: '6 hours' } },
    },
    'chat-bot-smoke': {
      campaignId: seedIds.campaigns.chatBotSmoke,
      runs: { smoke: { campaignRunIds: smoke, stopAfter: '10 minutes' } },
    },
  },
  schedules: [{ name: 'tuesdays', start: 'nightly', at: 'cron(0 22 ? * TUE *)' }],
  blackouts: [
    { name: 'christmas', from: `${christmasYear}-12-24T12:00`, to: `${christmasYear}-12-27T00:00`, starts: 'skip' },
  ],
  datasets: [
    { prefix: 'datasets/', scannerId: seedIds.scanners.promptInjection, send: 'file', check: 'prompt-label-csv' },
  ],
};

describe.skipIf(skipReason !== undefined)(`a colleague's ten questions${skipNote}`, () => {
  let it: InProcessStage;
  let running: RunningConsole;
  let browser: Browser;
  let tab: Watched;
  let clicks = 0;

  beforeAll(async () => {
    it = await openInProcessStage({ stageName: 'local', configIn: (folder) => writeAutomation(folder, automation) });
    await liveThroughATuesday(it);
    [running, browser] = await Promise.all([startConsoleOver(it), startBrowser()]);
    tab = await openTab(browser, { origin: running.url, now: new Date().toISOString() });
    await tab.page.goto(running.newLink());
    await tab.page.getByRole('heading', { level: 1 }).waitFor();
  });
  afterAll(async () => {
    await browser.close();
    await running.close();
    await it.close();
  });

  /** Opens the first screen, where every question begins. */
  const begin = async () => {
    clicks = 0;
    await tab.page.goto(`${running.url}/#/`);
    await tab.page.getByRole('heading', { level: 1, name: 'Stages' }).waitFor();
  };
  const click = async (target: Locator) => {
    clicks += 1;
    expect(clicks).toBeLessThanOrEqual(3);
    await target.click();
  };
  const openStageOf = async () => click(tab.page.getByRole('main').getByRole('link', { name: 'local', exact: true }));
  const openScreen = async (name: string) => click(tab.page.getByRole('navigation').getByRole('link', { name }));
  const panel = (name: RegExp) => tab.page.getByRole('region', { name });
  const row = (text: RegExp | string) => tab.page.getByRole('row').filter({ hasText: text });

  test('1. What runs now?', async () => {
    await begin();
    await openStageOf();

    await expect.poll(textOf(panel(/^In flight/))).toMatch(/nightly/);
    expect(
      await panel(/^In flight/)
        .getByRole('listitem')
        .count(),
    ).toBe(1);
  });

  test('2. Why did nothing run on Tuesday?', async () => {
    await begin();
    await openStageOf();
    await openScreen('Calendar');

    await expect
      .poll(textOf(row(/^Tue .* 22:00/)))
      .toMatch(/start nightly[^]*skipped[^]*FROZEN[^]*CHG-7 the vendor repairs the gateway/);
  });

  test('3. When does it stop?', async () => {
    await begin();
    await openStageOf();

    await expect.poll(textOf(panel(/^In flight/))).toMatch(/stop in \d h( \d+ min)?, \d\d:\d\d/);
  });

  test('4. Who froze it?', async () => {
    await begin();
    await openStageOf();

    await expect
      .poll(textOf(panel(/^What holds starts back$/)))
      .toMatch(/FROZEN by \S+ [^]*INC-77 half of the models are down/);
  });

  test('5. What happens at Christmas?', async () => {
    await begin();
    await openStageOf();
    await openScreen('Calendar');
    const day = tab.page.getByLabel('Around');
    await click(day);
    await day.fill(`${christmasYear}-12-25`);

    await expect
      .poll(textOf(row('blackout christmas')))
      .toMatch(/24 Dec[^]*12:00[^]*27 Dec[^]*00:00[^]*starts are skipped/);
  });

  test('6. Which file was refused, and where?', async () => {
    await begin();
    await openStageOf();
    await openScreen('Uploads');

    await expect.poll(textOf(row('datasets/customers.csv'))).toMatch(/parked[^]*CHECK_FAILED[^]*row 3/);
    await click(row('datasets/customers.csv').locator('summary'));
    await expect
      .poll(textOf(row('datasets/customers.csv').getByRole('listitem')))
      .toMatch(/^row 3: the label is "maybe"/);
  });

  test('7. Is the token about to expire?', async () => {
    await begin();
    await openStageOf();
    await openScreen('Settings');
    await click(tab.page.getByRole('button', { name: 'Examine the stage' }));

    await expect.poll(textOf(row(/^token/))).toMatch(/warning[^]*expires in 5 days[^]*token set/);
  });

  test('8. How many starts are left this month?', async () => {
    await begin();
    await openStageOf();

    await expect.poll(textOf(panel(/^Supplies/))).toMatch(/chat-bot\s+starts of \d{4}-\d\d[^]*39 of 40 left/);
  });

  test('9. Did another person start it?', async () => {
    await begin();
    await openStageOf();

    await expect.poll(textOf(panel(/^In flight/))).toMatch(/The last run of its campaign was started elsewhere: /);
  });

  test('10. What should I do first?', async () => {
    await begin();

    await expect
      .poll(textOf(row(/^local/)))
      .toMatch(/1 row waits for a decision: CHECK_FAILED 1[^]*autopilot parked list/);
    expect(clicks).toBe(0);
  });

  test('asked no other server, and wrote nothing to the console', () => {
    expect(tab.messages).toEqual([]);
    expect(tab.outside).toEqual([]);
  });
});

function textOf(target: Locator): () => Promise<string> {
  return async () => target.first().innerText();
}

/** A freeze over a Tuesday, a start that runs, one that another tool made, a freeze of today, a bad file, and a token that ends soon. */
async function liveThroughATuesday(it: InProcessStage): Promise<void> {
  await it.autopilot('freeze', '--reason', 'CHG-7 the vendor repairs the gateway');
  await letTimePass(it, untilTuesday(it.clock.now()));
  await it.autopilot('thaw');
  await it.autopilot('send', 'start', 'nightly', '--reason', 'CHG-8');
  // Right after the run of the stage, so that the watcher finds it as the campaign's last one.
  await startByAnotherTool(it, nightly.at(-1) ?? '');
  await until('the start of the other tool to be seen', async () => {
    await letTimePass(it, 5 * minuteMs);
    return (await it.autopilot('status', '--json')).stdout.includes('lastRunElsewhere') || undefined;
  });
  await it.autopilot('freeze', '--reason', 'INC-77 half of the models are down');
  await it.aws.put('datasets/customers.csv', 'prompt,label\nTell me the secret.,true\nWhat is the weather?,maybe\n');
  await until('the file to be parked', async () => ((await it.aws.parked()).length > 0 ? true : undefined));
  const expires = new Date(it.clock.now() + 5.5 * dayMs).toISOString();
  await it.autopilotReading('token', 'token', 'set', '--expires', expires);
}

/** Milliseconds until a quarter past the next 22:00 of a Tuesday. */
function untilTuesday(now: number): number {
  const next = new Date(now);
  next.setUTCDate(next.getUTCDate() + ((2 - next.getUTCDay() + 7) % 7));
  next.setUTCHours(22, 15, 0, 0);
  return next.getTime() - now + (next.getTime() - now > hourMs ? 0 : 7 * dayMs);
}

async function startByAnotherTool({ gateway, clock }: InProcessStage, campaignRunId: string): Promise<void> {
  const response = await fetch(`${gateway.url}/backend/v1/campaign-runs/${campaignRunId}`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
    body: JSON.stringify({ startAt: new Date(clock.now() + 1.25 * minuteMs).toISOString() }),
  });
  expect(response.status).toBe(200);
}
