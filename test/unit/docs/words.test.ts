import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** Words of an older style: an actor has a name, a thing is known or not. */
const oldWords = /\b(?:nobody|somebody|someone|anybody|anyone|everybody|whoever|wish|wishes|moot|anew)\b/gi;

/** A condition begins with "if". Some of these name a place, which no pattern can tell: a room has a number of them. */
const conditionalWhere =
  /\bwhere (?:it|they|there|the|a|an|that|this|these|those|one|no|none|nothing|its|their|another|others|several|some|all|only|each|every|any|he|we|you)\b/gi;

/** How often a room may still say such a word. A number only falls: a change that removes words lowers it. */
interface Allowed {
  readonly where: number;
  readonly told: number;
  readonly whatever: number;
}

const none: Allowed = { where: 0, told: 0, whatever: 0 };

/** Rooms in plain English: their comments, and every text that they print or deploy; the tests with their names. */
const rooms: Readonly<Record<string, Allowed>> = {
  functions: none,
  shared: none,
  infra: { where: 1, told: 0, whatever: 0 },
  local: { where: 1, told: 0, whatever: 0 },
  gateway: { where: 1, told: 0, whatever: 0 },
  operator: none,
  console: { where: 6, told: 0, whatever: 0 },
  cli: { where: 4, told: 0, whatever: 0 },
  create: none,
  examples: none,
  test: { where: 96, told: 363, whatever: 128 },
};

/** Pages for people, and what they copy. The decision records are left as they were written. */
const pages = [
  '*.md',
  'docs/*.md',
  'docs/reference/*.md',
  'docs/examples/*.md',
  'docs/openapi.yaml',
  '.github/**/*.{md,yml,yaml}',
  '.ci/run',
  '*.{yaml,config.ts,mjs}',
];

/** Lines of a text that hold a word, with the word's place: `FILE:LINE: the line`. */
function linesWith(pattern: RegExp, file: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) => [...line.matchAll(pattern)].map(() => `${file}:${at + 1}: ${line.trim()}`));
}

/** What a set of files says; the tests of the words quote them, and are left out. */
function saidIn(globs: readonly string[]) {
  const files = globSync([...globs], { exclude: ['**/node_modules/**'] }).filter(
    (file) => !file.endsWith('words.test.ts') && !file.includes('golden/files'),
  );
  const find = (pattern: RegExp) => files.flatMap((file) => linesWith(pattern, file, readFileSync(file, 'utf8')));
  return {
    files,
    old: find(oldWords),
    counted: { where: find(conditionalWhere), told: find(/\btold\b/gi), whatever: find(/\bwhatever\b/gi) },
  };
}

/** The lines with a word that a room has too many of. */
function tooMany({ counted }: ReturnType<typeof saidIn>, allowed: Allowed): string[] {
  const words = ['where', 'told', 'whatever'] as const;
  return words.flatMap((word) => (counted[word].length > allowed[word] ? counted[word] : []));
}

test.each([
  ['/** Undefined where there is none. */', 1, 0],
  ['# Where the row is gone, the worker waits', 1, 0],
  ['<!-- the id, where it has one -->', 1, 0],
  ['/* reads it where the guard needs it */', 1, 0],
  ["const text = 'Nobody calls, someone waits, anyone may.';", 0, 3],
  ['// absent if there is none, at the place in which it stands', 0, 0],
])('a word of the older style is found: %s', (line, wheres, words) => {
  expect(linesWith(conditionalWhere, 'a', line)).toHaveLength(wheres);
  expect(linesWith(oldWords, 'a', line)).toHaveLength(words);
});

test('the pages for people name their actors, and begin no condition with "where"', () => {
  const said = saidIn(pages);

  expect(said.files.length).toBeGreaterThan(30);
  expect(said.old).toEqual([]);
  expect(tooMany(said, { where: 5, told: 1, whatever: 2 })).toEqual([]);
});

describe.each(Object.entries(rooms))('the sources in %s', (room, allowed) => {
  test('name their actors, and begin no condition with "where"', () => {
    const said = saidIn([`${room}/**/*.{ts,tsx,mjs,mts,css,html,yaml,yml,md}`]);

    expect(said.files.length).toBeGreaterThan(2);
    expect(said.old).toEqual([]);
    expect(tooMany(said, allowed)).toEqual([]);
  });
});
