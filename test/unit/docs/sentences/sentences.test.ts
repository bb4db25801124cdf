import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commentSentences, pageSentences, type Sentence, wordCount } from './read-sentences.ts';

/** The house style: at most 25 words a sentence. */
const mostWords = 25;

/**
 * Sentences of a room that are longer. A number only falls: a change that shortens one lowers it.
 */
const longAllowed: Readonly<Record<string, number>> = {
  functions: 2,
  shared: 0,
  infra: 6,
  local: 1,
  gateway: 0,
  operator: 0,
  console: 0,
  cli: 0,
  create: 0,
  test: 61,
};

const pagesAllowed = 38;

/** The long sentences of files, the longest first: `FILE:LINE (WORDS) SENTENCE`. */
function longSentences(files: readonly string[], read: (text: string) => readonly Sentence[]): string[] {
  return files
    .flatMap((file) =>
      read(readFileSync(file, 'utf8')).map((sentence) => ({ file, ...sentence, words: wordCount(sentence.text) })),
    )
    .filter(({ words }) => words > mostWords)
    .toSorted((a, b) => b.words - a.words)
    .map(({ file, line, words, text }) => `${file}:${line} (${words}) ${text}`);
}

test('a sentence ends at its point, over the lines of a comment and in a cell of a table', () => {
  const comment = '/**\n * One of\n * two. Two.\n *\n * - Three\n * @param a - four\n */\n// Five.\nconst six = 6;';
  expect(commentSentences(comment).map(({ text }) => text)).toEqual([
    'One of two.',
    'Two.',
    '- Three',
    '@param a - four',
    'Five.',
  ]);

  const page = '# No\n\nOne of\ntwo.\n\n```\nno\n```\n\n- Three. Four\n\n| five | six |\n';
  expect(pageSentences(page).map(({ text }) => text)).toEqual(['One of two.', '- Three.', 'Four', 'five', 'six']);
});

test('words are counted without marks and addresses', () => {
  expect(wordCount('a [link](https://example.com/a b) – and `code`')).toBe(4);
});

test.each(Object.entries(longAllowed))('%s has no more long sentences in its comments than it had', (room, allowed) => {
  const found = longSentences(
    globSync(`${room}/**/*.{ts,tsx,mjs,mts}`, { exclude: ['**/node_modules/**'] }),
    commentSentences,
  );

  expect(found.length > allowed ? found : []).toEqual([]);
});

test('the pages for people have no more long sentences than they had', () => {
  const files = globSync([
    '{README,CONTRIBUTING,SECURITY}.md',
    'docs/*.md',
    'docs/reference/*.md',
    'docs/examples/*.md',
    '{gateway,create,infra,examples}/**/*.md',
  ]);
  const found = longSentences(files, pageSentences);

  expect(files.length).toBeGreaterThan(25);
  expect(found.length > pagesAllowed ? found : []).toEqual([]);
});
