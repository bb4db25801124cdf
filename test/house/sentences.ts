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

const pagesAllowed = 16;

/** Pages for people. */
const pages = [
  '{README,CONTRIBUTING,SECURITY}.md',
  'docs/*.md',
  'docs/reference/*.md',
  'docs/examples/*.md',
  '{gateway,create,infra,examples}/**/*.md',
];

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

const declaration = /^\s*(?:export |async |function |const |interface |type |class )/;
const smallWords = new Set(
  'a all an and any are as at be been by each for from has have if in is it its of on one or that the their them there these they this those to was what which who with'.split(
    ' ',
  ),
);

/** A word without its ending: `writes`, `write`, `writing`. */
function stemOf(word: string): string {
  return word.toLowerCase().replace(/(?<=...)(?:ies|ing|ed|es|s|e|d|r)$/, '');
}

/** Doc comments of a line that have no word but those of the name below: that name says it. */
function echoes(file: string): string[] {
  return readComments(readFileSync(file, 'utf8'))
    .filter(({ isDoc, text, next }) => {
      const says = text.join(' ');
      if (!isDoc || text.length > 1 || !declaration.test(next) || /[`@\d…]/.test(says)) return false;
      const named = new Set(next.match(/[A-Z]?[a-z]+|[A-Z]+/g)?.map(stemOf));
      const words = says.toLowerCase().match(/[a-z]+/g) ?? [];
      return words.length <= mostEchoed && words.every((word) => smallWords.has(word) || named.has(stemOf(word)));
    })
    .map(({ line, text }) => `${file}:${line}: "${text.join('')}" says the name again`);
}

/** A longer comment says more, as a rule. */
const mostEchoed = 5;

/** Every sentence of the project, in the folder of this process, that is too long or stands before nothing. */
export function findSentences(): string[] {
  const ofRooms = Object.entries(longAllowed).flatMap(([room, allowed]) =>
    tooManyLong(sourcesOf(room), commentSentences, allowed),
  );
  const stray = [...Object.keys(longAllowed), 'examples'].flatMap((room) => sourcesOf(room).flatMap(strayComments));
  const echoed = Object.keys(longAllowed).flatMap((room) => sourcesOf(room).flatMap(echoes));
  return [...ofRooms, ...tooManyLong(globSync(pages), pageSentences, pagesAllowed), ...stray, ...echoed];
}
