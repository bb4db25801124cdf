import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evidencePage } from '#console/html-file.ts';
import { reportDocument } from '#console/report/report-document.ts';
import type { Report } from '#console/report/read-report.ts';
import { evidenceDocument } from '#operator/evidence/document/evidence-document.ts';
import type { Evidence } from '#operator/evidence/read-evidence.ts';
import { temporaryFolder } from '../stage/harness/stage-process.ts';
import { openTab, skipNote, skipReason, startBrowser, type Watched } from './page/browser.ts';
import { nowText, reported } from './page/facts.ts';
import { filled } from './page/filled-answers.ts';
import { placesIn, readPage, textAt } from './page/hostile-places.ts';
import { hiddenIn, hostileAsShown, runEvidence } from './page/run-facts.ts';

const dayMs = 86_400_000;

/** Words of the product's own: a code, a kind of origin. Only its own code writes them. */
const isOwnWord = /\.reason$|\.kind$/;
const isOfOthers = /(?:bands|resolutions)\[\d+\]\.reason$/;

const fill = (place: string) => (isOwnWord.test(place) && !isOfOthers.test(place) ? 'OWN_WORD' : textAt(place));

/** A report whose every text is of others. */
async function hostileReport(): Promise<string> {
  const now = Date.parse(nowText);
  const period = { from: new Date(now - dayMs), until: new Date(now + dayMs) };
  const read = { stage: 'prod', ...reported };
  const report = filled(read, 'report', fill) as Report;
  return reportDocument({ ...report, ...period, version: '1.0.0', isUploadsCut: true });
}

/** The evidence of a start whose every text is of others. */
async function hostileEvidence(): Promise<string> {
  return evidencePage(evidenceDocument(filled(runEvidence, 'evidence', fill) as Evidence));
}

/** Files that are handed on are opened by people who have no console, in any browser. */
describe.skipIf(skipReason !== undefined)(`a file that is handed on${skipNote}`, () => {
  const folder = temporaryFolder();
  let browser: Browser;
  let tab: Watched;

  beforeAll(async () => {
    browser = await startBrowser();
    tab = await openTab(browser, { origin: 'null', now: nowText });
  });
  afterAll(async () => {
    await browser.close();
    folder.remove();
  });

  /** Opens it, and gives the places whose texts it shows. */
  const placesOf = async (document: string) => {
    const path = join(folder.path, 'file.html');
    writeFileSync(path, document);
    await tab.page.goto(pathToFileURL(path).href);
    const { text, others } = await readPage(tab.page);
    expect(others).toEqual([]);
    expect(hiddenIn(document)).toEqual([]);
    expect(text).toContain(hostileAsShown);
    return placesIn(text);
  };

  test('shows every text of a report as text', async () => {
    const places = await placesOf(await hostileReport());

    expect(places).toEqual(
      expect.arrayContaining([
        'report.calendar.bands[0].reason',
        'report.calendar.blackouts[0].name',
        'report.calendar.past[0].run',
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
    const places = await placesOf(await hostileEvidence());

    expect(places).toEqual(
      expect.arrayContaining([
        'evidence.run',
        'evidence.campaign',
        'evidence.start.command.askedBy.name',
        'evidence.start.command.askedBecause',
        'evidence.start.verdicts[1].detail',
        'evidence.course.campaign.name',
        'evidence.course.project.why',
      ]),
    );
  });

  test('ran nothing, fetched nothing and wrote nothing to the console', () => {
    expect(tab.messages).toEqual([]);
    expect(tab.outside.filter((url) => !url.startsWith('file:'))).toEqual([]);
  });
});
