import { globSync, readFileSync } from 'node:fs';

/** Words of an older style: an actor has a name, a thing is known or not. */
const oldWords = /\b(?:nobody|somebody|someone|anybody|anyone|everybody|whoever|wish|wishes|moot|anew)\b/gi;

/** A condition begins with "if". Some of these name a place, which no pattern can tell: a room has a number of them. */
const conditionalWhere =
  /\bwhere (?:it|they|there|the|a|an|that|this|these|those|one|no|none|nothing|its|their|another|others|several|some|all|only|each|every|any|he|we|you)\b/gi;

/** Words of which a room has a number. */
const counted = { where: conditionalWhere, told: /\btold\b/gi, whatever: /\bwhatever\b/gi } as const;

/** How often a room may still say such a word. A number only falls: a change that removes words lowers it. */
type Allowed = Readonly<Record<keyof typeof counted, number>>;

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

/** The words of an older style, in the sentences that the operator's command and the console print. */
const oldPrinted = /\b(?:nobody|somebody|whoever|wish|wishes|moot|anew|told)\b|\bwhere (?:it|they|there) /i;

/** Lines of a text that hold a word, with the word's place: `FILE:LINE: the line`. */
function linesWith(pattern: RegExp, file: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) => [...line.matchAll(pattern)].map(() => `${file}:${at + 1}: ${line.trim()}`));
}

/** Old words in a set of files, and the lines with a word of which it has too many. */
function foundIn(globs: readonly string[], allowed: Allowed): string[] {
  const files = globSync([...globs], { exclude: ['**/node_modules/**'] }).filter(
    (file) => file !== 'test/house/words.ts' && !file.includes('golden/files'),
  );
  const find = (pattern: RegExp) => files.flatMap((file) => linesWith(pattern, file, readFileSync(file, 'utf8')));
  const tooMany = (['where', 'told', 'whatever'] as const).flatMap((word) => {
    const lines = find(counted[word]);
    return lines.length > allowed[word]
      ? [`${globs[0]} says "${word}" more often than ${allowed[word]}:`, ...lines]
      : [];
  });
  return [...find(oldWords), ...tooMany];
}

/** Strings and templates of a source; what a template computes is left out, and so are comments. */
function sentencesOf(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const strings = code.match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? [];
  return strings.map((text) => text.replaceAll(/\$\{[^}]*\}/g, '…'));
}

/** Every word of the project, in the folder of this process, that the house style leaves. */
export function findWords(): string[] {
  const printed = globSync('{operator,cli}/**/*.ts').flatMap((file) =>
    sentencesOf(readFileSync(file, 'utf8'))
      .filter((sentence) => oldPrinted.test(sentence))
      .map((sentence) => `${file}: ${sentence}`),
  );
  const ofRooms = Object.entries(rooms).flatMap(([room, allowed]) =>
    foundIn([`${room}/**/*.{ts,tsx,mjs,mts,css,html,yaml,yml,md}`], allowed),
  );
  return [...foundIn(pages, { where: 5, told: 1, whatever: 2 }), ...ofRooms, ...printed];
}
