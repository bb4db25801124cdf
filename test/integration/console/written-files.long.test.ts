import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { command } from '#cli/reports/report.ts';
import { evidencePage } from '#console/html-file.ts';
import type { Report } from '#console/report/read-report.ts';
import { reportDocument } from '#console/report/report-document.ts';
import { evidenceDocument } from '#operator/evidence/document/evidence-document.ts';
import type { Evidence } from '#operator/evidence/read-evidence.ts';
import { exampleDeps } from '../../golden/example-stage.ts';
import { argumentsOf, linesOf } from '../../unit/operator/fake-deps.ts';
import { temporaryFolder } from '../stage/harness/stage-process.ts';
import { axeFindings, openTab, type Watched } from './page/browser.ts';
import { nowText, reported } from './page/facts.ts';
import { filled, placesIn, readPage, textAt } from './page/hostile-places.ts';
import { inBrowser, testSilence } from './page/in-browser.ts';
import { hiddenIn, hostileAsShown, runEvidence } from './page/run-facts.ts';

const folder = temporaryFolder();
const file = join(folder.path, 'night.html');
afterAll(() => folder.remove());

async function report(...words: readonly string[]) {
  const { stage, ...deps } = await exampleDeps();
  const outputs = { ...(await stage.outputs()), Timezone: 'Europe/Dublin' };
  const inDublin = { ...deps, stage: { ...stage, outputs: async () => outputs } };
  const result = await command.run(argumentsOf(command, ...words), inDublin);
  return { data: result.data, said: linesOf(result).join('\n') };
}

const dayMs = 86_400_000;
const now = Date.parse(nowText);
const { calendar } = reported;

/** Two days of a stage whose last start was skipped. */
const aReport: Report = {
  stage: 'prod',
  ...reported,
  from: new Date(now - dayMs),
  until: new Date(now + dayMs),
  version: '1.0.0',
  isUploadsCut: true,
};

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
    expect(text).toContain("default-src 'none'");
  });

  // A date was no instant, and a person had to know the offset of that day.
  test('takes a date for its midnight in the zone of the stage', async () => {
    const summer = await report('--out', file, '--from', '2026-07-10', '--to', '2026-11-30');

    expect(summer.data).toMatchObject({ from: '2026-07-09T23:00:00.000Z', to: '2026-11-30T00:00:00.000Z' });
    await expect(report('--out', file, '--from', '2026-02-30')).rejects.toThrow(
      '--from: there is no such date as 2026-02-30',
    );
  });

  test('begins with figures, and looks as the calendar of the console does', async () => {
    const planned = calendar.planned.map((each) => ({ ...each, outcome: 'deferred' as const }));

    const text = await reportDocument({ ...aReport, calendar: { ...calendar, planned } });

    expect(text.replaceAll(/\s+/g, ' ')).toContain('No run has ended</strong>, 1 skipped FROZEN; 0 planned.');
    expect(text).toContain('will be deferred');
    expect(text).toMatch(/class="mark warn"[^>]*>(?:◆ FROZEN|FROZEN ◆|◆)</);
    expect(text).toMatch(/class="mark warn"[^>]*>(?:◇ deferred|deferred ◇|◇)</);
  });

  test('writes the instants of a sentence in the zone of the stage', async () => {
    const detail = 'run r-1 started, stops at 2026-07-21T04:00:00Z';
    const past = calendar.past.map((entry) => ({ ...entry, refusals: [], detail }));

    const text = await reportDocument({ ...aReport, calendar: { ...calendar, past } });

    expect(text).toContain('run r-1 started, stops at Tue 21 Jul 05:00');
  });

  test.each([
    [[], 'report writes a file'],
    // It wrote a file of that name.
    [['--out', '-'], 'report writes a file, and - names none: autopilot report --out night.html'],
    [['nightly', '--out', 'x'], 'unexpected argument "nightly"'],
    [['--out', 'x', '--from', 'yesterday'], '--from: "yesterday" is not a time'],
    [
      ['--out', 'x', '--from', '2026-11-10', '--to', '2026-10-25T00:00:00Z'],
      '--to Sun 25 Oct 01:00 (Europe/Dublin) is not after --from',
    ],
    [['--out', 'x', '--from', '2025-01-01T00:00:00Z', '--to', '2026-11-01T00:00:00Z'], '400 days at most'],
    [['--out', 'x', '--to', '2027-06-01T00:00:00Z'], '92 days ahead at most'],
    [['--out', '/not/there/x.html'], '/not/there/x.html cannot be written'],
  ])('%j is refused in one sentence', async (words, sentence) => {
    await expect(report(...words)).rejects.toThrow(sentence);
  });
});

/** Words of the product's own: a code, a kind of origin. Only its own code writes them. */
const isOwnWord = /\.reason$|\.kind$/;
const isOfOthers = /(?:bands|resolutions)\[\d+\]\.reason$/;

/** The same with a text of others in every place that takes one. */
const hostile = <Value>(value: Value, place: string) =>
  filled(value, place, (at) => (isOwnWord.test(at) && !isOfOthers.test(at) ? 'OWN_WORD' : textAt(at))) as Value;

/** Files that are handed on are opened by people who have no console, in any browser. */
inBrowser('a file that is handed on', (browser) => {
  const tabs: Watched[] = [];
  const open = async (document: string, theme?: 'light' | 'dark') => {
    const size = { width: 390, height: 800 };
    const tab = await openTab(browser(), { origin: 'null', now: nowText, size, ...(theme && { theme }) });
    tabs.push(tab);
    writeFileSync(file, document);
    await tab.page.goto(pathToFileURL(file).href);
    return tab.page;
  };

  test.each(['light', 'dark'] as const)('has no finding of axe, and fits a phone (%s)', async (theme) => {
    const page = await open(await reportDocument(aReport), theme);

    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    // The hours after 11 lay beyond the edge, and so did the nights.
    const beyond = await page.evaluate(
      `[...document.querySelectorAll('.lane svg')].filter((each) => each.getBoundingClientRect().right > 391).length`,
    );
    expect(beyond).toBe(0);
  });

  /** Opens it, and gives the places whose texts it shows. */
  const placesOf = async (document: string) => {
    const { text, others } = await readPage(await open(document));
    expect(others).toEqual([]);
    expect(hiddenIn(document)).toEqual([]);
    expect(text).toContain(hostileAsShown);
    return placesIn(text);
  };

  test('shows every text of a report as text', async () => {
    const { from, until, version, ...read } = aReport;

    const places = await placesOf(await reportDocument({ ...hostile(read, 'report'), from, until, version }));

    expect(places).toEqual(
      expect.arrayContaining([
        'report.calendar.bands[0].reason',
        'report.calendar.blackouts[0].name',
        'report.calendar.past[0].name',
        'report.calendar.planned[8].detail',
        'report.calendar.unread[0].why',
        'report.uploads[0].key',
        'report.uploads[0].detail',
        'report.parked[0].subject',
        'report.parked[0].detail',
        'report.problems[0].message',
      ]),
    );
  });

  test('shows every text of an evidence as text', async () => {
    const evidence: Evidence = hostile(runEvidence, 'evidence');

    const places = await placesOf(await evidencePage(evidenceDocument(evidence)));

    expect(places).toEqual(
      expect.arrayContaining([
        'evidence.run.run',
        'evidence.campaign',
        'evidence.start.command.askedBy.name',
        'evidence.start.command.askedBecause',
        'evidence.start.verdicts[1].detail',
        'evidence.course.campaign.name',
        'evidence.course.project.why',
      ]),
    );
  });

  testSilence(() => tabs);
});
