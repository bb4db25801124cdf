import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { command as check } from '#cli/uploads/check.ts';
import { command as upload } from '#cli/uploads/upload.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { shellWord } from '#shared/text/command-line.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';
import { fieldCases, goesIn, refused, warned, wordsOf } from './field-case-table.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

test.each(goesIn)('%s goes in with: %s', async (file, options, rows) => {
  const { deps, uploads } = fakeDeps();

  const result = await check.run(argumentsOf(check, join(fieldCases, file), ...wordsOf(options)));
  await upload.run(argumentsOf(upload, join(fieldCases, file), '--convert', '--no-wait', ...wordsOf(options)), deps);

  expect(result).toMatchObject({ exitCode: exitCodes.done, data: { files: [{ problems: [] }] } });
  expect(parse(Buffer.from(uploads[0]?.body ?? ''))).toEqual(parse(`prompt,label\n${rows}`));
});

test.each(refused.map(([file, sentence, left]) => [file, sentence, left] as const))(
  '%s is refused in one sentence: %s',
  async (name, sentence, left) => {
    const file = join(fieldCases, name);
    const { deps, uploads } = fakeDeps();

    const result = await check.run(argumentsOf(check, file));
    const sent = await upload.run(argumentsOf(upload, file, '--convert', '--no-wait'), deps);

    expect(result.exitCode).toBe(exitCodes.parked);
    const [first = '', ...lines] = textOf(result).split('\n').slice(1);
    expect(first.trim()).toMatch(sentence);
    const blanks = [...new Set(left?.match(/[A-Z]+/g))].join(' and ');
    expect(lines).toEqual(
      left === undefined
        ? []
        : [`  next, with ${blanks} filled in: npx --no -- autopilot check ${shellWord(file)} ${left}`],
    );
    expect([sent.exitCode, uploads]).toEqual([exitCodes.parked, []]);
  },
);

test.each(warned)('%s is ready, with warnings: %j', async (file, warnings) => {
  const result = await check.run(argumentsOf(check, join(fieldCases, file)));

  expect(result).toMatchObject({ exitCode: exitCodes.done, data: { files: [{ verdict: 'ready', warnings }] } });
});

test('every input has its row in a table above', async () => {
  const known = [...goesIn, ...refused, ...warned].map(([file]) => file);
  const other = ['F1-09-ok-two-boms.csv', 'F1-21-printed-command-fails.csv', 'jailbreakbench-shape.csv'];

  expect((await readdir(fieldCases)).filter((file) => ![...known, ...other].includes(file))).toEqual([]);
});

async function checked(text: string | Buffer, name: string, ...options: string[]) {
  const file = join(folderOfTest(), name);
  await writeFile(file, text);
  const { deps, uploads } = fakeDeps();
  const result = await check.run(argumentsOf(check, file, ...options));
  await upload.run(argumentsOf(upload, file, '--convert', '--no-wait', ...options), deps);
  return { text: textOf(result), rows: uploads[0] && parse(Buffer.from(uploads[0].body)).slice(1) };
}

describe('a file that is made', () => {
  // Two rows were one, and a label was lost.
  test('keeps both rows of a table with tabs in which a field begins with a quote', async () => {
    const { rows } = await checked(
      'prompt\tlabel\n"Hi" he said\ttrue\nsay "x"\tfalse\n"open\ttrue\nshut"\tfalse\n',
      'a.tsv',
    );

    expect(rows).toEqual([
      ['"Hi" he said', 'true'],
      ['say "x"', 'false'],
      ['"open', 'true'],
      ['shut"', 'false'],
    ]);
  });

  test('blames no quote for a long line of JSON', async () => {
    const { text } = await checked(`{"prompt":"${'x'.repeat(1_100_000)}","label":true}\n`, 'long-line.jsonl');

    expect(text).toContain('row 1 (line 1) is longer than 1,000,000 bytes; nothing behind it was read');
  });

  // A Cyrillic file was registered as mojibake by the command that was printed.
  test('reads Cyrillic by its named encoding, and shows the first such prompt', async () => {
    const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    const file = Buffer.concat([Buffer.from('prompt,label\n'), cyrillic, Buffer.from(',1\nb,0\n')]);

    const plain = await checked(file, 'a.csv');
    const named = await checked(file, 'a.csv', '--encoding', 'windows-1251');

    expect(plain.text).toContain('in windows-1251: Привет;');
    expect(plain.text).not.toContain('  next');
    expect(named.text).toContain('the first of 2 rows (1 true, 1 false) reads: "Привет", true');
    expect(named.rows).toEqual([
      ['Привет', 'true'],
      ['b', 'false'],
    ]);
  });

  test.each([
    ['version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n', /pointer of Git LFS/],
    ['{\\rtf1\\ansi prompt,label}', /Rich Text document/],
    ['[{"prompt":"a","label":1}', /JSON array is never closed/],
    [
      'prompt,label\n"open,true\nb,false\n"Good, one",true\n',
      /row 2 \(line 2\): a quoted field is opened and not closed/,
    ],
  ])('is named by what it is: %j', async (text, sentence) => {
    expect((await checked(text, 'a.csv')).text).toMatch(sentence);
  });
});
