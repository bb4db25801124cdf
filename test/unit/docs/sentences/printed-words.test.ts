import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Words of an older style, in the sentences that the operator's command and the console print: an
 * actor has a name, and a thing is known or not.
 */
const oldWords = /\b(?:nobody|somebody|whoever|wish|wishes|moot|anew|told)\b|\bwhere (?:it|they|there) /i;

/** Strings and templates; what a template computes is left out, and so are comments. */
function sentencesOf(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const strings = code.match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? [];
  return strings.map((text) => text.replaceAll(/\$\{[^}]*\}/g, '…'));
}

test('the sentences of a source are found, without its comments and what it computes', () => {
  const source = "// told 'a'\n/** told `b` */\nconst told = 'c'; say(`d ${told} e`);";

  expect(sentencesOf(source)).toEqual(["'c'", '`d … e`']);
});

// `doctor` said that nobody is told of the alarms.
test('no sentence that is printed has a word of the older style', () => {
  const files = globSync('{operator,cli}/**/*.ts');
  const found = files.flatMap((file) =>
    sentencesOf(readFileSync(file, 'utf8'))
      .filter((sentence) => oldWords.test(sentence))
      .map((sentence) => `${file}: ${sentence}`),
  );

  expect(files.length).toBeGreaterThan(80);
  expect(found).toEqual([]);
});
