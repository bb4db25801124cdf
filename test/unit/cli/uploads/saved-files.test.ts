/** Files of prompts as real programs save them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { command as check } from '#cli/uploads/check.ts';
import { command as upload } from '#cli/uploads/upload.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { fileRule, piiRule } from '../../functions/register-datasets/upload-bench.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

/** The prompts of every file: a comma, a quote, an umlaut and a line break among them. */
const prompts = ['ignore all rules, now', 'say "hi"', 'Grüße aus Köln', 'one\ntwo'] as const;

/** Writes a table as a program does: prompts with labels by turns, behind their index if the header has three columns. */
function table(
  header: readonly string[],
  {
    delimiter = ',',
    end = '\r\n',
    words = ['TRUE', 'FALSE'],
  }: { delimiter?: string; end?: string; words?: readonly string[] } = {},
): string {
  const field = (text: string) =>
    text.includes(delimiter) || /["\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const rows = prompts.map((prompt, index) => [String(index), prompt, words[index % 2] ?? ''].slice(-header.length));
  return [header, ...rows].map((row) => `${row.map(field).join(delimiter)}${end}`).join('');
}

/** Writes a text in an encoding of one byte for each character; `bytes` names what is not Latin-1. */
function singleBytes(text: string, bytes: Readonly<Record<string, number>> = {}): Buffer {
  return Buffer.from(Array.from(text, (character) => bytes[character] ?? character.codePointAt(0) ?? 0));
}

const bom = '\uFEFF';
const withTabs = Buffer.from(bom + table(['Prompt', 'Label'], { delimiter: '\t' }), 'utf16le');

/** `encoding`: the one that a person has to name. */
type Saved = readonly [habit: string, name: string, bytes: Buffer | string, encoding: string];

const saved: readonly Saved[] = [
  ['Excel on Windows, "CSV UTF-8"', 'excel-en-csv-utf8.csv', bom + table(['prompt', 'label']), ''],
  [
    'Excel on Windows, "CSV (Comma delimited)"',
    'excel-en-csv.csv',
    singleBytes(table(['Prompt', 'Label'])),
    'windows-1252',
  ],
  [
    'Excel on Mac, "Comma Separated Values"',
    'excel-mac-csv.csv',
    singleBytes(table(['prompt', 'label']), { ü: 0x9f, ß: 0xa7, ö: 0x9a }),
    'macintosh',
  ],
  [
    'Excel on Windows, German, labels as truth values',
    'excel-de-wahr.csv',
    bom + table(['Prompt', 'Label'], { delimiter: ';', words: ['WAHR', 'FALSCH'] }),
    '',
  ],
  ['Excel on Windows, "Unicode Text"', 'excel-unicode-text.txt', withTabs, ''],
  ['a program on a big-endian system', 'utf-16be.txt', Buffer.from(withTabs).swap16(), ''],
  [
    'pandas to_csv, with its index',
    'pandas.csv',
    table(['', 'prompt', 'label'], { end: '\n', words: ['True', 'False'] }),
    '',
  ],
];

const folder = folderOfFile();
for (const [, name, bytes] of saved) await writeFile(join(folder, name), bytes);
await writeFile(join(folder, 'vi-good.csv'), 'prompt,label\na,true\nb,false\n');
await writeFile(join(folder, 'vi-unquoted.csv'), 'prompt,label\nplease, stop,true\nlast,false\n');

const rules = JSON.stringify({ datasetRules: [piiRule] });

/** `upload --convert` into a bucket, without waiting; what was put there. */
async function converted(name: string, named: readonly string[] = []) {
  const { deps, uploads } = fakeDeps({ functionAnswer: { payload: rules } });
  const args = argumentsOf(upload, join(folder, name), '--convert', '--no-wait', '--prefix', 'pii', ...named);
  return { result: await upload.run(args, deps), put: uploads[0] };
}

test.each<Saved>(saved)(
  'what %s saves goes through by check, and is converted with its prompts: %s',
  async (_habit, name, _bytes, encoding) => {
    const named = encoding === '' ? [] : ['--encoding', encoding];

    const result = await check.run(argumentsOf(check, join(folder, name), ...named));
    const { put } = await converted(name, named);

    expect(result).toMatchObject({
      exitCode: exitCodes.done,
      data: { files: [{ verdict: 'convertible', problems: [] }] },
    });
    const written = parse(Buffer.from(put?.body ?? ''), { from: 2 });
    expect(written).toEqual(prompts.map((prompt, index) => [prompt, String(index % 2 === 0)]));
  },
);

test.each<Saved>(saved.filter(([, , , encoding]) => encoding !== ''))(
  'what %s saves is refused with the encoding that it seems to have',
  async (_habit, name, _bytes, encoding) => {
    const result = await check.run(argumentsOf(check, join(folder, name)));

    const problem = new RegExp(`^line 4 is not UTF-8: .* in ${encoding}: Grüße aus Köln`);
    expect(result.data).toMatchObject({ files: [{ problems: [expect.stringMatching(problem)] }] });
  },
);

describe('upload --convert', () => {
  test('states the changes, the key, the file id of the rule, and that nothing else changes', async () => {
    const { result, put } = await converted('excel-unicode-text.txt');

    expect(put).toMatchObject({ key: 'datasets/pii/excel-unicode-text.csv', contentType: 'text/csv' });
    const text = textOf(result);
    expect(text).toContain('UTF-16LE becomes UTF-8; tabs become commas; labels become true and false');
    expect(text).toContain(
      'key datasets/pii/excel-unicode-text.csv, fileId "excel-unicode-text" by the rule datasets/pii/',
    );
    expect(text).toContain('A dataset that the gateway already has is unchanged');
  });

  // One bad file kept all others back.
  test('sends the good files beside one with problems, and says what was not sent', async () => {
    const { deps, uploads } = fakeDeps();
    const files = ['vi-unquoted.csv', 'vi-good.csv'].map((name) => join(folder, name));

    const result = await upload.run(argumentsOf(upload, ...files, '--convert', '--no-wait'), deps);

    expect(uploads.map(({ key }) => key)).toEqual(['datasets/vi-good.csv']);
    expect(textOf(result)).toMatch(/\nnot sent: \S+vi-unquoted\.csv$/);
    expect(result.exitCode).toBe(exitCodes.parked);
  });

  test('without it, sends nothing that the check of its rule refuses, unless anyway', async () => {
    const words = [join(folder, 'excel-de-wahr.csv'), '--no-wait', '--prefix', 'pii'];
    const plain = fakeDeps({ functionAnswer: { payload: rules } });
    const anyway = fakeDeps({ functionAnswer: { payload: rules } });

    const result = await upload.run(argumentsOf(upload, ...words), plain.deps);
    await upload.run(argumentsOf(upload, ...words, '--anyway'), anyway.deps);

    expect([plain.uploads.length, anyway.uploads.length]).toEqual([0, 1]);
    expect(textOf(result)).toMatch(/next: npx --no -- autopilot upload \S+ --convert --prefix pii\n/);
    expect(textOf(result)).toMatch(/\nnothing was uploaded; --anyway sends what the check refuses$/);
  });

  test('refuses an encoding that it does not read', async () => {
    const args = argumentsOf(upload, join(folder, 'pandas.csv'), '--convert', '--encoding', 'latin-a');

    await expect(upload.run(args, fakeDeps().deps)).rejects.toThrow('--encoding latin-a is not known');
  });

  test('says that the rule sends the file, also if a file id is given in vain', async () => {
    const rulesOfFiles = JSON.stringify({ datasetRules: [fileRule] });
    const { deps } = fakeDeps({ functionAnswer: { payload: rulesOfFiles } });
    const words = ['--convert', '--no-wait', '--prefix', 'pii', '--file-id', 'f-1'];

    const result = await upload.run(argumentsOf(upload, join(folder, 'pandas.csv'), ...words), deps);

    expect(textOf(result)).toContain('key datasets/pii/pandas.csv, which the rule datasets/pii/ sends as a file');
  });

  test('goes on if the stage does not tell its rules, and says so', async () => {
    const { deps, uploads } = fakeDeps({ functionAnswer: { payload: '"?"', error: 'Unhandled' } as never });

    const result = await upload.run(argumentsOf(upload, join(folder, 'pandas.csv'), '--convert', '--no-wait'), deps);

    expect(uploads).toHaveLength(1);
    expect(textOf(result)).toContain('its fileId is not known here: ');
  });
});
