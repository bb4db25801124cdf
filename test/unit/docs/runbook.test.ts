/** I19: each reason has its page, with what to do. */
import { programs } from '#cli/programs.ts';
import { pagesOf } from '#cli/runbook.ts';
import { makeAgain, putBack } from '#operator/finding.ts';
import { ListingVanishedError } from '#functions/poll-scanner-packages/compare-packages.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { isParkReason, parkReasonFacts, parkReasons, runbookOf, skipReasons } from '#shared/vocabulary/reason-codes.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { typed } from '../operator/fake-deps.ts';
import { anchorsOf, headingsOf, operatorLinesOf, sectionOf } from './documents/markdown.ts';

const path = join(import.meta.dirname, '..', '..', '..', 'docs', 'runbook.md');
const runbook = readFileSync(path, 'utf8');
const codes = Object.keys(parkReasons).filter((code) => isParkReason(code));

/** The headings below another one. */
function headingsBelow(heading: string): string[] {
  return headingsOf(sectionOf(runbook, heading)).map(({ text }) => text);
}

/** The text behind one of the bold words of a code's section. */
function part(code: string, word: string): string {
  const [, text = ''] = sectionOf(runbook, code).split(new RegExp(`^\\*\\*${word}\\.?\\*\\*`, 'm'));
  return text.split(/^\*\*/m)[0] ?? '';
}

/** The bold words that its paragraphs begin with. */
function boldWords(section: string): string[] {
  return [...section.matchAll(/^\*\*([A-Z][a-z ]+)\.?\*\*/gm)].map(([, word = '']) => word);
}

test('has a heading for each code that is parked, and for no other', () => {
  expect(headingsBelow('Parked').toSorted()).toEqual(codes.toSorted());
});

test('has a heading for each code that skips something, and for no other', () => {
  expect(headingsBelow('Skipped on purpose').toSorted()).toEqual(Object.keys(skipReasons).toSorted());
});

test.each([putBack, makeAgain])('has the page that the doctor names: $says', ({ command = [] }) => {
  const [, , page = ''] = command;

  expect(anchorsOf(runbook)).toContain(page);
  expect(sectionOf(runbook, 'Changed by hand')).toContain('--revert-drift');
});

/** Events that ask for no action, or whose codes have headings of their own. */
const publishedWithoutHeading = {
  [eventTypes.campaignRunStarted]: 'as it was wanted',
  [eventTypes.campaignRunStopped]: 'as it was wanted; a late one is the alarm StopsLate',
  [eventTypes.campaignRunStartSkipped]: 'the reason is a heading of what is passed over',
  [eventTypes.workParked]: 'the reason is a heading of what is parked',
  [eventTypes.campaignRunEnded]: 'news',
  [eventTypes.campaignRunFailed]: 'the alarm RunFailed is its heading',
  [eventTypes.campaignRunScoreLow]: 'the alarm ScoreLow is its heading',
  [eventTypes.datasetRegistered]: 'as it was wanted',
  [eventTypes.scannerPackagesChanged]: 'news, and the rules of the watch act on it',
  [eventTypes.scheduleSilent]: 'the alarm SchedulesSilent is its heading',
  [eventTypes.startsHeldBack]: 'it names the command that ends it',
  [eventTypes.linkTested]: 'a test that came through: nothing is to be done',
  [eventTypes.projectChanged]: 'news, and the rules of the watch act on it',
} as const;
/** What is reported by an error, not by an event. */
const reportedOtherwise = [new ListingVanishedError(6, 10).code];
const reported = [
  ...Object.values(eventTypes).filter((type) => !Object.hasOwn(publishedWithoutHeading, type)),
  ...reportedOtherwise,
];

test('has a heading for each thing that is reported and asks for a person, and for no other', () => {
  expect(headingsBelow('Reported, not parked').toSorted()).toEqual(reported.toSorted());
});

test.each(reported)(
  '%s, which is reported, has what it means, impact, what to look at, the fix, what comes after, and what not to do',
  (code) => {
    const section = sectionOf(runbook, code);

    expect(section.trimStart()).toMatch(/^> .+\n/);
    expect(boldWords(section)).toEqual(['Impact', 'Look', 'Fix', 'Afterwards', 'Do not']);
    expect(operatorLinesOf(part(code, 'Look')).length).toBeGreaterThan(0);
  },
);

describe.each(codes)('%s', (code) => {
  const section = sectionOf(runbook, code);
  const { nextStep, decisions } = parkReasonFacts(code);

  test('is where the command line says that it is', () => {
    const pages = pagesOf(runbook).map(({ name }) => `autopilot runbook ${name}`);

    expect(pages.filter((command) => command === runbookOf(code).join(' '))).toHaveLength(1);
  });

  test('says impact, what to look at, the fix, what comes after, and what not to do', () => {
    expect(boldWords(section)).toEqual(['Impact', 'Look', 'Fix', 'Afterwards', 'Do not']);
  });

  test('its fix ends with the decisions of the next step', () => {
    const inWords = ['applied', 'repeat', 'dismiss'].filter((decision) => nextStep.includes(`--${decision}`));
    const inFix = operatorLinesOf(part(code, 'Fix')).flatMap((words) =>
      words.filter((word) => /^--(?:applied|repeat|dismiss)$/.test(word)).map((word) => word.slice(2)),
    );

    expect(inWords.toSorted()).toEqual([...decisions].toSorted());
    expect([...new Set(inFix)].toSorted()).toEqual([...decisions].toSorted());
  });
});

test.each(codes.filter((code) => parkReasonFacts(code).mayDouble))(
  '%s warns of a repeat that may do it twice',
  (code) => {
    expect(part(code, 'Do not')).toContain('--repeat');
  },
);

describe('each command in it', () => {
  // A program reads its own words: test/infra/deploy is about those.
  const lines = operatorLinesOf(runbook).filter(([name = '']) => !Object.hasOwn(programs, name));

  test.each(lines.map((words) => [words.join(' '), words] as const))('autopilot %s', async (_line, words) => {
    await expect(typed(words)).resolves.toBeDefined();
  });
});
