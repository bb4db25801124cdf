import type { Mutant } from '../mutant.ts';

const everyCharacter = ['test/faults/output/every-character.test.ts'];
const redactor = ['test/unit/shared/text/redact.test.ts'];

/** What keeps a key, a file name or an answer from driving a terminal, a document or a log line, and a token from being seen in one. */
export const writtenByOthersMutants: readonly Mutant[] = [
  {
    name: 'a line of the command or of npm start is encoded where it leaves',
    file: 'shared/text/terminal-writer.ts',
    from: 'index % 2 === 0 ? visibleText(part) : part',
    to: 'part',
    tests: everyCharacter,
  },
  {
    name: 'a text cannot pass codes of its own to a terminal',
    file: 'shared/text/terminal-writer.ts',
    from: '`${mark}${begin}${mark}${text}${mark}${end}${mark}`',
    to: '`${mark}${begin}${text}${end}${mark}`',
    tests: everyCharacter,
  },
  {
    name: 'a bidi mark is encoded',
    file: 'shared/text/visible-text.ts',
    from: String.raw`[\p{Cc}\p{Cf}`,
    to: String.raw`[\p{Cc}`,
    tests: ['test/unit/shared/text/visible-text.test.ts', ...everyCharacter],
  },
  {
    name: 'a line of the log holds nothing that JSON leaves as it is and a terminal obeys',
    file: 'functions/_handler/log.ts',
    from: 'visibleText(JSON.stringify(line))',
    to: 'JSON.stringify(line)',
    tests: everyCharacter,
  },
  {
    name: 'the log file of a local function has one line for each line',
    file: 'local/lambda/function-log.ts',
    from: 'visibleText(`${new Date().toISOString()} ${line.requestId} ${line.text}`)',
    to: '`${new Date().toISOString()} ${line.requestId} ${line.text}`',
    tests: everyCharacter,
  },
  {
    name: 'a text cannot leave its cell of a table',
    file: 'operator/evidence/document/markdown.ts',
    from: "'|': '&#124;'",
    to: String.raw`'|': '\\|'`,
    tests: everyCharacter,
  },
  {
    name: 'an id in code cannot leave its cell of a table',
    file: 'operator/evidence/document/markdown.ts',
    from: '/[`|]/.test(line)',
    to: '/`/.test(line)',
    tests: everyCharacter,
  },
  {
    name: 'a word to paste drives no terminal',
    file: 'operator/readable.ts',
    from: 'if (visibleText(possible) === possible) return',
    to: 'if (possible !== undefined) return',
    tests: everyCharacter,
  },
  {
    name: 'a backslash before an encoded byte stays a backslash',
    file: 'operator/readable.ts',
    from: String.raw`possible.replaceAll(/['!\\]/g, bytesOf)`,
    to: `possible.replaceAll(/['!]/g, bytesOf)`,
    tests: everyCharacter,
  },
  {
    name: 'a token is found although it was escaped',
    file: 'shared/text/redact.ts',
    from: 'const view = viewOf(plain);',
    to: 'const view: View = { text: plain };',
    tests: redactor,
  },
  {
    name: 'a token is found in base64, wherever it begins',
    file: 'shared/text/redact.ts',
    from: '[0, 1, 2].map(',
    to: '[0].map(',
    tests: redactor,
  },
];
