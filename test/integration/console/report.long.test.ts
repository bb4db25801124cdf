import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '#cli/report/report.ts';
import type { CalendarAnswer } from '#console/api.ts';
import { timesIn } from '#cli/terminal/times.ts';
import { readReport, type Report } from '#console/report/read-report.ts';
import { reportDocument } from '#console/report/report-document.ts';
import { argumentsOf } from '../../unit/operator/fake-deps.ts';
import { exampleDeps } from '../../golden/example-stage.ts';
import { axeFindings, openTab, skipNote, skipReason, startBrowser } from './page/browser.ts';
import { nowText } from './page/facts.ts';

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'autopilot-report-'));
  file = join(folder, 'night.html');
});

afterAll(() => rmSync(folder, { recursive: true }));

async function report(...words: readonly string[]) {
  const { stage, ...deps } = await exampleDeps();
  const outputs = { ...(await stage.outputs()), Timezone: 'Europe/Dublin' };
  const inDublin = { ...deps, stage: { ...stage, outputs: async () => outputs } };
  const { data, render } = await command.run(argumentsOf(command, ...words), inDublin);
  return {
    data,
    said: render((_, text) => text, timesIn('UTC')).join('\n'),
  };
}

/** What a report reads of the example, a day before and after. */
async function exampleReport(): Promise<Report> {
  const deps = await exampleDeps();
  const now = (await deps.now()).getTime();
  return readReport({ from: new Date(now - 86_400_000), until: new Date(now + 86_400_000) }, deps);
}

describe('autopilot report', () => {
  test('writes one file with the calendar, the commands, the uploads and what is parked, and says how much', async () => {
    const { data, said } = await report('--out', file);
    const text = readFileSync(file, 'utf8');

    expect(data).toMatchObject({ file, commands: expect.any(Number), parked: expect.any(Number), notRead: [] });
    expect(said).toMatch(/night\.html: \d+ commands?, \d+ planned, \d+ uploads?, \d+ parked/);
    for (const heading of ['Calendar', 'Commands', 'Uploads', 'Parked now'])
      expect(text).toContain(`<h2>${heading}</h2>`);
    expect(text).toContain('start nightly');
    expect(text).toContain('datasets/names.csv');
    expect(text).toContain('Europe/Dublin');
  });

  // A date was no instant, and a person had to know the offset of that day.
  test('takes a date for its midnight in the zone of the stage', async () => {
    const { data } = await report('--out', file, '--from', '2026-11-10', '--to', '2026-10-25T00:00:00Z').catch(
      (error: unknown) => ({ data: String(error) }),
    );
    const summer = await report('--out', file, '--from', '2026-07-10', '--to', '2026-11-30');

    expect(data).toContain(
      '--to Sun 25 Oct 01:00 (Europe/Dublin) is not after --from Tue 10 Nov 00:00 (Europe/Dublin)',
    );
    expect(summer.data).toMatchObject({ from: '2026-07-09T23:00:00.000Z', to: '2026-11-30T00:00:00.000Z' });
    await expect(report('--out', file, '--from', '2026-02-30')).rejects.toThrow(
      '--from: there is no such date as 2026-02-30',
    );
  });

  test('begins with figures, and looks as the calendar of the console does', async () => {
    const read = await exampleReport();
    const [entry] = read.calendar.past;
    const skipped = { ...entry, outcome: 'skipped' as const, action: 'start' as const, reason: 'FROZEN', detail: 'x' };
    const plan = {
      id: 'p',
      at: read.calendar.now,
      action: 'start' as const,
      run: 'nightly',
      outcome: 'deferred' as const,
      origin: { kind: 'schedule', name: 'w' },
      verdicts: [],
      requests: [],
      timezone: 'UTC',
    };
    const past = [{ ...skipped, askedAt: read.calendar.now }] as CalendarAnswer['past'];
    const calendar: CalendarAnswer = { ...read.calendar, past, planned: [plan] };

    const text = await reportDocument({ ...read, calendar });

    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      '0 starts applied</strong>, 1 skipped (FROZEN 1), 0 parked; 0 planned.',
    );
    expect(text).toContain('will be deferred');
    expect(text).toMatch(/class="mark warn"[^>]*>(?:◆ FROZEN|FROZEN ◆|◆)</);
    expect(text).toMatch(/class="mark warn"[^>]*>(?:◇ deferred|deferred ◇|◇)</);
  });

  test('writes the instants of a sentence in the zone of the stage', async () => {
    const read = await exampleReport();
    const detail = 'run r-1 started, stops at 2026-07-21T04:00:00Z';
    const past = read.calendar.past.map((entry) => ({ ...entry, detail }));
    const text = await reportDocument({ ...read, calendar: { ...read.calendar, past } });

    expect(text).toContain('run r-1 started, stops at Tue 21 Jul 05:00');
  });

  test('holds no script, and fetches nothing', async () => {
    await report('--out', file);
    const text = readFileSync(file, 'utf8');

    expect(text).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|(?:src|href)=|@import|url\(h/i);
    expect(text).toContain("default-src 'none'");
  });

  test.each([
    [[], 'report writes a file'],
    // It wrote a file of that name.
    [['--out', '-'], 'report writes a file, and - names none: autopilot report --out night.html'],
    [['nightly', '--out', 'x'], 'unexpected argument "nightly"'],
    [['--out', 'x', '--from', 'yesterday'], '--from: "yesterday" is not a time'],
    [['--out', 'x', '--from', '2026-11-20T00:00:00Z', '--to', '2026-11-19T00:00:00Z'], 'is not after --from'],
    [['--out', 'x', '--from', '2025-01-01T00:00:00Z', '--to', '2026-11-01T00:00:00Z'], '400 days at most'],
    [['--out', 'x', '--to', '2027-06-01T00:00:00Z'], '92 days ahead at most'],
    [['--out', '/not/there/x.html'], '--out: /not/there/x.html cannot be written'],
  ])('%j is refused in one sentence', async (words, sentence) => {
    await expect(report(...words)).rejects.toThrow(sentence);
  });
});

describe.skipIf(skipReason !== undefined)(`the file in a browser${skipNote}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
    await report('--out', file);
  });
  afterAll(async () => browser.close());

  test.each(['light', 'dark'] as const)('has no finding of axe, and fits a phone (%s)', async (theme) => {
    const size = { width: 390, height: 800 };
    const { page, messages, outside } = await openTab(browser, { origin: 'null', now: nowText, theme, size });
    await page.goto(pathToFileURL(file).href);

    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    // The hours after 11 lay beyond the edge, and so did the nights.
    expect(
      await page.evaluate(
        () =>
          [...document.querySelectorAll('.lane svg')].filter((each) => each.getBoundingClientRect().right > 391).length,
      ),
    ).toBe(0);
    expect(messages).toEqual([]);
    expect(outside.filter((url) => !url.startsWith('file:'))).toEqual([]);
  });
});
