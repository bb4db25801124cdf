import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** Rooms in plain English: their comments, and every text that they print or deploy; the tests with their names. */
const rooms = ['functions', 'shared', 'infra', 'local', 'gateway', 'operator', 'console', 'cli', 'create', 'test'];

/** Words of an older style: an actor has a name, and a condition begins with "if". */
const oldWords =
  /\b(?:nobody|somebody|whoever|wish|wishes|moot|anew)\b|\b(?:undefined|absent|nothing|true|false|rejects|empty|null|throws|@throws \w+|fails) where (?:it|they|there|the|a|an|that|one|no|nothing|this)\b/gi;

/** The lines of a source that hold such a word. */
function oldLines(source: string): readonly string[] {
  return source.split('\n').filter((line) => line.match(oldWords) !== null);
}

test('a word of the older style is found in a comment and in a string, and a place is no condition', () => {
  const source = [
    '/** Undefined where there is none. */',
    "const text = 'Nobody calls.';",
    '// absent if there is none, at the place where it stands',
  ].join('\n');

  expect(oldLines(source)).toHaveLength(2);
});

/** Pages for people. The decision records are left as they were written. */
const pages = [
  '*.md',
  'docs/*.md',
  'docs/reference/*.md',
  'gateway/*.md',
  'examples/**/*.md',
  '.github/**/*.md',
  'automation.config.ts',
];

test('the pages for people name their actors, and begin no condition with "where"', () => {
  const files = globSync(pages);
  const found = files.flatMap((file) => oldLines(readFileSync(file, 'utf8')).map((line) => `${file}: ${line.trim()}`));

  expect(files.length).toBeGreaterThan(25);
  expect(found).toEqual([]);
});

describe.each(rooms)('the sources in %s', (room) => {
  test('name their actors, and begin no condition with "where"', () => {
    // The tests of the words quote them.
    const files = globSync(`${room}/**/*.{ts,tsx,mjs}`).filter((file) => !file.endsWith('words.test.ts'));
    const found = files.flatMap((file) =>
      oldLines(readFileSync(file, 'utf8')).map((line) => `${file}: ${line.trim()}`),
    );

    expect(files.length).toBeGreaterThan(2);
    expect(found).toEqual([]);
  });
});
