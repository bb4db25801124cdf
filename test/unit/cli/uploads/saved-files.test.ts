import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'csv-parse/sync';
import { command as check } from '#cli/uploads/check.ts';
import { command as upload } from '#cli/uploads/upload.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { createUploadBench, fileRule, piiRule } from '../../functions/register-datasets/upload-bench.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';
import { type SavedFile, savedFiles, savedPrompts } from '../../shared/datasets/saved-files.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const folder = folderOfFile();
for (const { name, bytes } of savedFiles) await writeFile(join(folder, name), bytes);

const rules = JSON.stringify({ datasetRules: [piiRule] });

/** `upload --convert` into a bucket, without waiting; what was put there. */
async function converted(name: string, encoding: string | undefined) {
  const { deps, uploads } = fakeDeps({ functionAnswer: { payload: rules } });
  const named = encoding === undefined ? [] : ['--encoding', encoding];
  const args = argumentsOf(upload, join(folder, name), '--convert', '--no-wait', '--prefix', 'pii', ...named);
  return { result: await upload.run(args, deps), put: uploads[0] };
}

/** What the worker makes of an object. */
async function outcomeOf(body: string) {
  const bench = createUploadBench();
  const result = await bench.deliver(bench.put({ key: 'datasets/pii/a.csv', versionId: 'v1', body }));
  return result.outcomes?.[0];
}

const good = savedFiles.filter(({ goes, name }) => typeof goes === 'string' && name !== 'vi-contradicts.csv');
const bad = savedFiles.flatMap(({ goes, ...file }) => (typeof goes === 'string' ? [] : [{ ...file, goes }]));
/** As text, which is what the worker's bench holds. */
const inUtf8 = savedFiles.filter(({ bytes }) => bytes.equals(Buffer.from(bytes.toString())));

async function checked({ name, encoding }: Pick<SavedFile, 'name' | 'encoding'>) {
  const named = encoding === undefined ? [] : ['--encoding', encoding];
  return check.run(argumentsOf(check, join(folder, name), ...named));
}

/** One of the files has its umlauts written out. */
function withoutUmlauts(text = ''): string {
  return text.replace(/ü|ue/, 'u').replace(/ö|oe/, 'o').replace(/ß|ss/, 's');
}

describe.each(good)('$name: $habit', (file) => {
  test('goes through by check', async () => {
    const result = await checked(file);

    expect(result.data).toMatchObject({ files: [{ verdict: file.goes, problems: [] }] });
    expect(result.exitCode).toBe(exitCodes.done);
  });

  test('is written by upload --convert as the worker registers it, with its prompts', async () => {
    const { put } = await converted(file.name, file.encoding);

    const written = Buffer.from(put?.body ?? '').toString();
    expect(await outcomeOf(written)).toMatchObject({ kind: 'applied' });
    const prompts = parse(written, { bom: true, from: 2, relax_column_count: true }).map(([prompt]) =>
      withoutUmlauts(prompt),
    );
    expect(prompts).toEqual(savedPrompts.map((prompt) => withoutUmlauts(prompt)));
  });
});

describe.each(bad)('$name: $habit', (file) => {
  test('is refused by check, with what is wrong by row', async () => {
    const result = await checked(file);

    expect(result.data).toMatchObject({
      files: [{ problems: file.goes.map((problem) => expect.stringMatching(problem)) }],
    });
    expect(result.exitCode).toBe(exitCodes.parked);
  });

  test('is not uploaded by upload --convert', async () => {
    const { result, put } = await converted(file.name, file.encoding);

    expect(put).toBeUndefined();
    expect(result.exitCode).toBe(exitCodes.parked);
    expect(textOf(result)).toMatch(/\nnothing was uploaded$/);
  });
});

test.each(inUtf8)('the worker registers $name as it is only if it is ready', async ({ goes, bytes }) => {
  const isRegistered = goes === 'ready';

  expect(await outcomeOf(bytes.toString())).toMatchObject(
    isRegistered ? { kind: 'applied' } : { kind: 'parked', reason: 'CHECK_FAILED' },
  );
});

describe('upload --convert', () => {
  test('states the changes, the key, the file id of the rule, and that nothing else changes', async () => {
    const { result, put } = await converted('excel-unicode-text.txt', undefined);

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
    const args = argumentsOf(upload, join(folder, 'pandas-array.json'), '--convert', '--encoding', 'latin-a');

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
