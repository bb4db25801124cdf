import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** Rooms whose comments were brought to plain English (house-style, "Plain English"). */
const rooms = ['infra', 'local', 'gateway', 'cli'];

/** Words of an older style: an actor has a name, and an event is notified, sent or recorded. */
const oldWords = /\b(?:nobody|somebody|whoever|wish|wishes|moot|anew|put off)\b/i;

/** "Where" is a place; a condition is an "if". */
const conditionalWhere =
  /\b(?:undefined|absent|nothing|true|false|rejects|empty|null|throws|@throws \w+|fails) where (?:it|they|there|the|a|an|that|one|no|nothing|this)\b/i;

/** The comments of a source, a line each. */
function commentsOf(source: string): readonly string[] {
  const blocks = source.match(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm) ?? [];
  return blocks.flatMap((block) => block.split('\n')).map((line) => line.trim());
}

test('the comments of a source are found, and not its strings', () => {
  const source = "/** One. */\nconst a = 'nobody'; // two\n/**\n * three\n */";

  expect(commentsOf(source).filter((line) => /one|two|three/i.test(line))).toEqual([
    '/** One. */',
    '// two',
    '* three',
  ]);
  expect(commentsOf(source).join(' ')).not.toContain('nobody');
});

describe.each(rooms)('the comments in %s', (room) => {
  const files = globSync(`${room}/**/*.{ts,tsx}`);

  test('have no word of the older style, and no condition that begins with "where"', () => {
    const found = files.flatMap((file) =>
      commentsOf(readFileSync(file, 'utf8'))
        .filter((line) => oldWords.test(line) || conditionalWhere.test(line))
        .map((line) => `${file}: ${line}`),
    );

    expect(files.length).toBeGreaterThan(10);
    expect(found).toEqual([]);
  });
});
