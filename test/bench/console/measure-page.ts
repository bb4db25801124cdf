/**
 * The real page in a browser, on the stage of the console's tests: 10,000 rows of history and 2,000
 * uploads.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { type FullStage, openFullStage } from '../../integration/console/full-stage/open-full-stage.ts';
import { startBrowser } from '../../integration/console/page/browser.ts';
import { spreadOf } from '../measure/statistics.ts';
import { type Asked, countRequests } from './count-requests.ts';

/** What was measured of the page. */
export interface MeasuredPage {
  /** Medians of new tabs, in milliseconds. */
  readonly firstPaintMs: number;
  readonly nowMs: number;
  readonly tabs: number;
  /** Of the calendar. */
  readonly marks: number;
  readonly longestScriptMs: number;
  /** Requests of AWS in a minute in which one tab showed Now. */
  readonly minute: readonly Asked[];
}

const tabs = 5;
const minuteMs = 60_000;
const size = { width: 1280, height: 900 };

/** Opens stage, console and browser, and measures one thing after the other. */
export async function measurePage(): Promise<MeasuredPage> {
  const browser = await startBrowser();
  try {
    const full = await openFullStage();
    try {
      return await measureIn(browser, full);
    } finally {
      await full.close();
    }
  } finally {
    await browser.close();
  }
}

async function measureIn(browser: Browser, full: FullStage): Promise<MeasuredPage> {
  const opened = [];
  for (let tab = 0; tab < tabs; tab += 1) opened.push(await openingOf(browser, full));
  const page = await openNow(browser, full);
  const scrolled = await scrollCalendar(browser, page, full);
  await page.goto(`${full.console.url}/#/local/now`);
  await page.getByText('Needs attention').waitFor();
  const counted = countRequests(full.stage.stage);
  await sleep(minuteMs);
  return {
    firstPaintMs: spreadOf(opened.map(({ paintMs }) => paintMs)).median,
    nowMs: spreadOf(opened.map(({ nowMs }) => nowMs)).median,
    tabs,
    ...scrolled,
    minute: counted(),
  };
}

/** A tab that shows Now, with the instant of that. */
async function openNow(browser: Browser, { console: running }: FullStage): Promise<Page> {
  const page = await (await browser.newContext({ viewport: size })).newPage();
  await page.addInitScript(`
    const look = () => {
      if (document.querySelector('main .columns') === null) requestAnimationFrame(look);
      else globalThis.shownAt = performance.now();
    };
    requestAnimationFrame(look);
  `);
  const link = new URL(running.newLink());
  await page.goto(link.href);
  await page.getByText('Needs attention').waitFor();
  return page;
}

async function openingOf(browser: Browser, full: FullStage) {
  const page = await openNow(browser, full);
  const [nowMs, paintMs] = await page.evaluate<[number, number]>(
    `[shownAt, performance.getEntriesByName('first-contentful-paint')[0].startTime]`,
  );
  await page.context().close();
  return { nowMs, paintMs };
}

/** Scrolls through the calendar with the pointer over its marks, which each of them hears. */
async function scrollCalendar(browser: Browser, page: Page, { console: running }: FullStage) {
  await page.goto(`${running.url}/#/local/calendar`);
  await page.getByText('The same as a table').waitFor();
  const marks = await page.locator('a.mark').count();
  await page.mouse.move(size.width / 2, size.height / 2);
  await browser.startTracing(page, { categories: ['devtools.timeline'] });
  for (let step = 0; step < 100; step += 1) {
    await page.mouse.wheel(0, 40);
    await sleep(20);
  }
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] };
  return { marks, longestScriptMs: longestScript(trace.traceEvents) / 1000 };
}

interface TraceEvent {
  readonly name: string;
  /** Microseconds. */
  readonly dur?: number;
}

/** What runs script, each with everything that it calls. */
const scripts = new Set(['FunctionCall', 'EvaluateScript', 'RunMicrotasks', 'FireAnimationFrame', 'TimerFire']);

/** In microseconds. */
function longestScript(events: readonly TraceEvent[]): number {
  return Math.max(0, ...events.filter(({ name }) => scripts.has(name)).map(({ dur = 0 }) => dur));
}
