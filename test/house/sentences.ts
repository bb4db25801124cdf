import { globSync, readFileSync } from 'node:fs';
import { readComments } from './read-comments.ts';
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

const pagesAllowed = 44;

/** Pages for people. */
const pages = [
  '{README,CONTRIBUTING,SECURITY}.md',
  'docs/*.md',
  'docs/reference/*.md',
  'docs/examples/*.md',
  '{gateway,create,infra,examples}/**/*.md',
];

/** The sources of a room. */
function sourcesOf(room: string): string[] {
  return globSync(`${room}/**/*.{ts,tsx,mjs,mts}`, { exclude: ['**/node_modules/**'] });
}

/** The long sentences of files, the longest first, if there are more than allowed: `FILE:LINE (WORDS) SENTENCE`. */
function tooManyLong(files: readonly string[], read: (text: string) => readonly Sentence[], allowed: number): string[] {
  const found = files
    .flatMap((file) =>
      read(readFileSync(file, 'utf8')).map((sentence) => ({ file, ...sentence, words: wordCount(sentence.text) })),
    )
    .filter(({ words }) => words > mostWords)
    .toSorted((a, b) => b.words - a.words)
    .map(({ file, line, words, text }) => `${file}:${line} (${words}) ${text}`);
  return found.length > allowed
    ? [`${found.length} sentences over ${mostWords} words, ${allowed} allowed:`, ...found]
    : [];
}

/** Doc comments that document nothing: an empty line follows, and something stands before. */
function strayComments(file: string): string[] {
  return readComments(readFileSync(file, 'utf8'))
    .filter(({ isDoc, headsFile, next }) => isDoc && !headsFile && next.trim() === '')
    .map(({ line }) => `${file}:${line}: a doc comment that stands before nothing`);
}

/** Every sentence of the project, in the folder of this process, that is too long or stands before nothing. */
export function findSentences(): string[] {
  const ofRooms = Object.entries(longAllowed).flatMap(([room, allowed]) =>
    tooManyLong(sourcesOf(room), commentSentences, allowed),
  );
  const stray = [...Object.keys(longAllowed), 'examples'].flatMap((room) => sourcesOf(room).flatMap(strayComments));
  return [...ofRooms, ...tooManyLong(globSync(pages), pageSentences, pagesAllowed), ...stray];
}
