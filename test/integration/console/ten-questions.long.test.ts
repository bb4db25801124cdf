/** What an operator asks at 3 a.m., on a screen as wide as a phone: each is answered with at most two taps from Now. */
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
  datasets: [
    { prefix: 'datasets/', scannerId: seedIds.scanners.promptInjection, send: 'file', check: 'prompt-label-csv' },
  ],
};

/** The questions, each with the taps that lead to its answer from Now. */
describe.skipIf(skipReason !== undefined)(`ten questions at 3 a.m. on a phone${skipNote}`, () => {
  let it: InProcessStage;
  let running: RunningConsole;
  let browser: Browser;
  let tab: Watched;

  beforeAll(async () => {
    it = await openInProcessStage({ stageName: 'local', configIn: (folder) => writeAutomation(folder, automation) });
    await liveThroughATuesday(it);
    [running, browser] = await Promise.all([startConsoleOver(it), startBrowser()]);
    tab = await openTab(browser, {
      origin: running.url,
      now: new Date().toISOString(),
      size: { width: 390, height: 800 },
    });
    await tab.page.goto(running.newLink());
    await tab.page.getByRole('heading', { level: 1 }).waitFor();
  });
  afterAll(async () => {
    await browser.close();
    await running.close();
    await it.close();
  });

  const panel = (name: RegExp) => tab.page.getByRole('region', { name });
  const row = (text: RegExp | string) => tab.page.getByRole('row').filter({ hasText: text });
  const screen = (name: string) => tab.page.getByRole('navigation').getByRole('link', { name });
  const hero = () => tab.page.locator('.hero');

  const questions: readonly (readonly [
    question: string,
    taps: () => Locator[],
    place: () => Locator,
    answer: RegExp,
  ])[] = [
    ['Is anything running?', () => [], hero, /nightly[^]*stops at/],
    [
      'Can I stop it?',
      () => [],
      () => panel(/^In flight/),
      /Stop it:[^]*npx --no autopilot send stop [\da-f-]{36} --reason TEXT/,
    ],
    [
      'Why did it not start?',
      () => [screen('Calendar')],
      () => row(/^\s*Tue .* 22:00/),
      /start nightly[^]*skipped[^]*FROZEN[^]*CHG-7 the vendor repairs the gateway/,
    ],
    [
      'What must I do first?',
      () => [],
      () => panel(/^Needs attention/).getByRole('listitem'),
      /problem[^]*npx --no autopilot/,
    ],
    ['What ran last night?', () => [], hero, /Last night: (?:nothing was to start|\d of \d)/],
    ['When is the next one?', () => [], hero, /Next start nightly Tue .* 22:00[^]*FROZEN: will be skipped/],
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
      () => row('stop smoke'),
      /applied[^]*reason: INC-78 it is too loud[^]*operator/,
    ],
    [
      'Until when do the ids last?',
      () => [],
      () => panel(/^Run ids and budgets/),
      /nightly campaign run ids[^]*left, enough until [^]*chat-bot\s+starts of \d{4}-\d\d[^]*39 of 40 left/,
    ],
  ];

  test.each(questions)('%s', async (_question, taps, place, answer) => {
    const { page } = tab;
    await page.goto(`${running.url}/#/local/now`);
    await page.locator('.verdict').waitFor();
    expect(taps().length).toBeLessThanOrEqual(2);
    for (const tap of taps()) await tap.click();

    await expect.poll(textOf(place())).toMatch(answer);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
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
  await it.autopilot('send', 'start', 'smoke', '--reason', 'CHG-9');
  await it.autopilot('send', 'stop', 'smoke', '--reason', 'INC-78 it is too loud');
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
