import type { LockedField } from '#shared/uploads/locked-field.ts';
import { command } from '#cli/uploads/upload.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { planUploads } from '#cli/uploads/upload-arguments.ts';
import { decodeMetadataText } from '#functions/register-datasets/dataset-request.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { argumentsOf, fakeDeps, type FakeStage, now, textOf } from '../../operator/fake-deps.ts';
import { gateRow, uploadRow } from '../../operator/parked-fixtures.ts';
import { piiRule } from '../../functions/register-datasets/upload-bench.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const folder = folderOfFile();
const fileOf = async (name: string, content: string | Buffer) => {
  await writeFile(join(folder, name), content);
  return join(folder, name);
};
const good = await fileOf('good file.csv', 'prompt,label\nhello,false\n');

/** A worker that ends each upload as told. */
function uploadsEndAs(row: Partial<UploadRow>): Required<Pick<FakeStage, 'onUpload'>> {
  return {
    async onUpload({ bucket, key }, versionId, ledger) {
      const pk = ledgerKeys.upload(bucket, key, versionId);
      await ledger.write(undefined, uploadRow({ pk, bucket, key, versionId, eventTime: now.toISOString(), ...row }));
    },
  };
}

const at = now.toISOString();

const uploadsFail = (detail: string, locked?: LockedField) =>
  uploadsEndAs({ state: 'PARKED', outcome: { kind: 'parked', reason: 'CHECK_FAILED', detail, locked, at } });

describe('upload', () => {
  test('puts the file under datasets/ with its metadata and prints the dataset id in one line', async () => {
    const stage = uploadsEndAs({ datasetId: 'ds-1', datasetName: 'good', outcome: { kind: 'applied', at } });
    const { deps, uploads } = fakeDeps(stage);

    const words = ['--prefix', 'pii', '--file-id', ' file-7 ', '--scanner-versions', '2026-02'];
    const result = await command.run(argumentsOf(command, good, ...words), deps);

    expect(uploads[0]).toMatchObject({
      bucket: 'bucket',
      key: 'datasets/pii/good file.csv',
      contentType: 'text/csv',
      metadata: { 'file-id': 'file-7', 'scanner-versions': '2026-02' },
    });
    expect(textOf(result)).toBe(`${good}: registered with dataset id ds-1 (good)`);
    expect(result.exitCode).toBe(exitCodes.done);
    expect(result.data).toMatchObject({
      uploads: [{ outcome: 'applied', datasetId: 'ds-1', versionId: 'version-1', key: 'datasets/pii/good file.csv' }],
    });
  });

  test('names the dataset that the same bytes became before, and calls that done', async () => {
    const holder = 'upload#1#first';
    const outcome = { kind: 'skipped', reason: 'DUPLICATE_CONTENT', at } as const;
    const { deps } = fakeDeps({
      ...uploadsEndAs({ state: 'SKIPPED', datasetKey: 'dataset#1#x', outcome }),
      rows: [{ pk: 'dataset#1#x', kind: 'dataset', upload: holder }, uploadRow({ pk: holder, datasetId: 'ds-9' })],
    });

    const result = await command.run(argumentsOf(command, good), deps);

    expect(textOf(result)).toContain('skipped, the same bytes are already dataset ds-9');
    expect(result.exitCode).toBe(exitCodes.done);
  });

  test('calls a duplicate passed over while the other upload has no dataset yet', async () => {
    const outcome = { kind: 'skipped', reason: 'DUPLICATE_CONTENT', detail: 'the other is under way', at } as const;
    const { deps } = fakeDeps(uploadsEndAs({ state: 'SKIPPED', outcome }));

    const result = await command.run(argumentsOf(command, good), deps);

    expect(textOf(result)).toContain('skipped DUPLICATE_CONTENT: the other is under way');
    expect(result.exitCode).toBe(exitCodes.passedOver);
  });

  test('tells a parked file with reason, detail, next step and the id for parked show', async () => {
    const detail = 'row 3: the label is "maybe"';
    const { deps } = fakeDeps(uploadsFail(detail));

    const result = await command.run(argumentsOf(command, good), deps);

    expect(textOf(result)).toContain(`parked CHECK_FAILED: ${detail}`);
    expect(textOf(result)).toContain('next: Correct the file and upload it again');
    expect(textOf(result)).toMatch(/autopilot parked show [0-9a-f]{8}$/);
    expect(result.exitCode).toBe(exitCodes.parked);
  });

  // Its next step was to correct the file, which a conversion would not mend either.
  test('tells how an upload that sets a locked field goes through', async () => {
    const file = await fileOf('locked.csv', 'prompt;label\na;TRUE\nb;FALSE\n');
    const detail = 'the metadata of the object sets scannerId, which the rule for datasets/ locks';
    const { deps } = fakeDeps(uploadsFail(detail, { place: 'metadata', field: 'scannerId' }));

    const text = textOf(await command.run(argumentsOf(command, file, '--scanner-id', 'other'), deps));

    expect(text).toContain('next: upload the file again without scannerId in its metadata (--scanner-id)');
    expect(text).not.toContain('--convert');
  });

  // It was registered without a word, and the score of its prompt was wrong in one of two rows.
  test('tells what a person may want to correct in a file that passed its check', async () => {
    const checked = { rows: 4, blocking: 2, repeated: 1, contradictory: { prompts: 1, rows: [2, 4] } } as const;
    const { deps } = fakeDeps(uploadsEndAs({ datasetId: 'ds-1', checked, outcome: { kind: 'applied', at } }));

    const result = await command.run(argumentsOf(command, good), deps);

    const warnings = ['1 row repeats a prompt of earlier rows', 'one prompt has both labels (rows 2 and 4)'];
    expect(result.data).toMatchObject({ uploads: [{ warnings }] });
    expect(textOf(result)).toContain(warnings.map((warning) => `\n  warning: ${warning}`).join(''));
  });

  // --convert was offered for every file, also for one that it cannot read.
  test('offers a command that has no --prefix beside its --key', async () => {
    // It had both, and was refused each time.
    const file = await fileOf('x.csv', 'prompt;label\na;TRUE\nb;FALSE\n');
    const { deps } = fakeDeps(uploadsFail('no'));

    const text = textOf(await command.run(argumentsOf(command, file, '--prefix', 'pii'), deps));

    expect(text).toMatch(/upload \S+ --convert --key datasets\/pii\/x\.csv$/);
  });

  test.each([
    [
      'prompt;label\na;TRUE\nb;FALSE\n',
      /\n {2}a copy that goes through: npx --no -- autopilot upload \S+ --convert --key datasets\/x\.csv$/,
    ],
    ['prompt,label\na,maybe\nb,true\n', /parked show \w+$/],
    [
      'prompt,label\na,safe\nb,unsafe\n',
      /\n {2}with what it lacks in the place of WORDS: npx --no -- autopilot upload \S+ --convert --key datasets\/x\.csv --true WORDS --false WORDS$/,
    ],
    // Windows-1252 was named for bytes of any encoding, and registered as mojibake.
    [Buffer.from('prompt,label\nZo\xeb,true\nb,false\n', 'latin1'), /parked show \w+$/],
  ])('offers a conversion of what failed its check only if its copy goes through: %j', async (text, end) => {
    const file = await fileOf('x.csv', text);
    const { deps } = fakeDeps(uploadsFail('no'));

    expect(textOf(await command.run(argumentsOf(command, file), deps))).toMatch(end);
  });

  // Its row stayed parked: the copy of a .txt got the key of a .csv.
  test('--convert keeps the key of a file whose earlier version failed its check', async () => {
    const file = await fileOf('excel.txt', 'prompt\tlabel\na\tTRUE\nb\tFALSE\n');
    const outcome = { kind: 'parked', reason: 'CHECK_FAILED', at } as const;
    const parked = uploadsEndAs({ state: 'PARKED', openState: 'PARKED', openSince: at, outcome });
    const { deps, uploads } = fakeDeps(parked);

    await command.run(argumentsOf(command, file), deps);
    await command.run(argumentsOf(command, file, '--convert', '--no-wait'), deps);
    await command.run(argumentsOf(command, file, '--convert', '--no-wait', '--prefix', 'other'), deps);

    expect(uploads.map(({ key }) => key)).toEqual([
      'datasets/excel.txt',
      'datasets/excel.txt',
      'datasets/other/excel.csv',
    ]);
  });

  test('gives up waiting after --timeout, says what the worker is at, and that nothing is lost', async () => {
    const { deps, told } = fakeDeps(uploadsEndAs({ state: 'READY', attempts: 3, lastError: 'HTTP 503' }));

    const result = await command.run(argumentsOf(command, good, '--timeout', '10s'), deps);

    expect(result.exitCode).toBe(exitCodes.timedOut);
    expect(told).toEqual([expect.stringMatching(/no outcome yet, 3 tries since .*: last error: HTTP 503$/)]);
    expect(textOf(result)).toContain('not lost');
  });

  // It said that no worker had taken it up, and neither why nor when.
  test('tells the gate that holds it back: why, and when it is tried next', async () => {
    const { deps, told } = fakeDeps({ rows: [gateRow()] });

    const result = await command.run(argumentsOf(command, good, '--timeout', '10s'), deps);

    const words = `not tried yet since ${at}: the gateway connection is down: POST was answered 503: down; next try 2026-11-20T20:05:00.000Z`;
    expect(told).toEqual([`datasets/good file.csv: no outcome yet, ${words}`]);
    expect(textOf(result)).toContain(`no outcome yet (${words})`);
    expect(result.exitCode).toBe(exitCodes.timedOut);
  });

  test('does not wait with --no-wait', async () => {
    const { deps } = fakeDeps();

    const result = await command.run(argumentsOf(command, good, '--no-wait'), deps);

    expect(result.exitCode).toBe(exitCodes.done);
    expect(result.data).toMatchObject({ uploads: [{ outcome: 'sent', versionId: 'version-1' }] });
  });

  test('says so if the bucket keeps no versions: the outcome could not be told apart', async () => {
    const { deps } = fakeDeps({ isUnversioned: true });

    await expect(command.run(argumentsOf(command, good), deps)).rejects.toThrow(/keeps no versions/);
  });

  test.each([
    [['missing.csv'], /there is no file missing.csv/],
    [[tmpdir()], /is a folder/],
    // It said that nothing listens, since a key begins with datasets/, as this one does.
    [['--key', 'datasets/', 'a.csv'], /"datasets\/" is a folder: a key is datasets\/NAME/],
    [['--key', 'elsewhere/a.csv', 'a.csv'], /nothing listens at "elsewhere\/a.csv"/],
    [['--key', 'datasets/a.csv', 'a.csv', 'b.csv'], /give one file/],
    [['a.csv', '--name', 'a\u0007b'], /control characters/],
    [['x/a.csv', 'y/a.csv'], /two of the files would become datasets\/a.csv/],
    [['a.csv', '--timeout', 'soon'], /--timeout: "soon" is not a duration/],
  ])('refuses %j before anything is sent', async (argv, sentence) => {
    const { deps, uploads } = fakeDeps();

    await expect(command.run(argumentsOf(command, ...argv), deps)).rejects.toThrow(sentence);
    expect(uploads).toEqual([]);
  });

  test('reads every file before it sends the first: an empty last one leaves nothing half done', async () => {
    const { deps, uploads } = fakeDeps();

    await expect(command.run(argumentsOf(command, good, await fileOf('empty.csv', '')), deps)).rejects.toThrow(
      /is empty/,
    );
    expect(uploads).toEqual([]);
  });

  test.each(['plain name', 'Prüfung', '100%25 sure', '=?UTF-8?B?eA==?=', '试', 'Łukasz 🌙', 'a'.repeat(2000)])(
    'the worker reads --name %s as it was meant',
    (name) => {
      const [upload] = planUploads(argumentsOf(command, 'a.csv', '--name', name));

      expect(upload?.metadata['name']).toMatch(/^[ -~]+$/);
      expect(decodeMetadataText(upload?.metadata['name'] ?? '')).toBe(name);
    },
  );

  // S3 answered MetadataTooLarge, which names no option.
  test.each(['🌙'.repeat(1000), 'a'.repeat(2100)])('a name that S3 would not take is refused before', (name) => {
    expect(() => planUploads(argumentsOf(command, 'a.csv', '--name', name))).toThrow('shorten name');
  });

  test.each([
    [['a.csv'], 'datasets/a.csv'],
    [['a.csv', '--prefix', '/pii/'], 'datasets/pii/a.csv'],
    [['a.csv', '--prefix', 'datasets/pii'], 'datasets/pii/a.csv'],
    [['p.json', '--key', 'datasets/x/p.json'], 'datasets/x/p.json'],
    [['über+100% a.csv'], 'datasets/über+100% a.csv'],
  ])('%j goes to %s', (argv, key) => {
    expect(planUploads(argumentsOf(command, ...argv))[0]?.key).toBe(key);
  });
});

describe('several files, cut short', () => {
  const files: string[] = [];
  beforeAll(async () => {
    for (const name of ['one', 'two', 'three', 'four']) files.push(await fileOf(`${name}.csv`, 'prompt,label\n'));
  });
  const applied = uploadsEndAs({ datasetId: 'ds-1', outcome: { kind: 'applied', at } });

  test('by Ctrl-C: tells what was done, what is under way, and what was not sent', async () => {
    const keyboard = new AbortController();
    const { deps, uploads } = fakeDeps({
      interruption: keyboard.signal,
      async onUpload(...put) {
        if (put[0].key.endsWith('two.csv')) keyboard.abort();
        else await applied.onUpload(...put);
      },
    });

    const result = await command.run(argumentsOf(command, ...files), deps);

    expect(textOf(result).split('\n')).toEqual([
      `${files[0]}: registered with dataset id ds-1`,
      expect.stringMatching(/two.csv: no outcome yet, and no attempt at it has ended/),
      '  npx --no -- autopilot status',
      `${files[2]}: not sent`,
      `${files[3]}: not sent`,
    ]);
    expect(uploads).toHaveLength(2);
    // No call waits any more: time passes only by waiting here.
    expect(deps.elapsedMs()).toBe(0);
    expect(result.exitCode).toBe(exitCodes.failed);
    expect(result.data).toMatchObject({ uploads: [{}, { outcome: 'waiting' }], notSent: [files[2], files[3]] });
  });

  test('by a failure: tells what was done, which one failed and why, and what was not sent', async () => {
    const { deps } = fakeDeps({
      async onUpload(...put) {
        if (put[0].key.endsWith('two.csv')) throw new Error('the disk is full');
        await applied.onUpload(...put);
      },
    });

    const result = await command.run(argumentsOf(command, ...files), deps);

    expect(textOf(result).split('\n')).toEqual([
      `${files[0]}: registered with dataset id ds-1`,
      `${files[1]}: failed: Error: the disk is full`,
      `${files[2]}: not sent`,
      `${files[3]}: not sent`,
    ]);
    expect(result.exitCode).toBe(exitCodes.failed);
  });
});

describe('the rule that a file meets', () => {
  const rules = { datasetRules: [{ prefix: 'datasets/pii/', fileId: '{stem}', check: 'prompt-label-csv' }] };
  const functionAnswer = { payload: JSON.stringify(rules) };

  test('a file that no rule takes is named before it is sent: it vanished without a word', async () => {
    const { deps, told, uploads } = fakeDeps({
      functionAnswer,
      async onUpload() {
        expect(told).toHaveLength(1);
      },
    });

    await command.run(argumentsOf(command, good, '--prefix', 'pi', '--no-wait'), deps);

    expect(told).toEqual([
      `${good}: no rule takes datasets/pi/good file.csv, so it will be ignored (rules: datasets/pii/)`,
    ]);
    expect(uploads).toHaveLength(1);
  });

  test('nothing is said of a file that a rule takes, of a sidecar, or if the rules are not known', async () => {
    const sidecar = await fileOf('good file.csv.dataset.json', '{}');
    const known = fakeDeps({ functionAnswer });
    for (const words of [
      [good, '--prefix', 'pii'],
      [sidecar, '--prefix', 'elsewhere'],
    ])
      await command.run(argumentsOf(command, ...words, '--no-wait'), known.deps);
    const unknown = fakeDeps({ functionAnswer: { payload: '', functionError: 'Unhandled' } });
    await command.run(argumentsOf(command, good, '--prefix', 'pi', '--no-wait'), unknown.deps);

    expect([known.told, unknown.told]).toEqual([[], []]);
  });

  // A name of 113 characters passed it, and was refused by the gateway.
  test('--dry-run says that a name is too long for the gateway, and how to give another', async () => {
    const file = await fileOf(`${'n'.repeat(113)}.csv`, 'prompt,label\nhello,false\n');
    const payload = JSON.stringify({ datasetRules: [piiRule] });
    const words = [file, '--prefix', 'pii', '--dry-run'];
    const run = async (...more: string[]) =>
      command.run(argumentsOf(command, ...words, ...more), fakeDeps({ functionAnswer: { payload } }).deps);

    const result = await run();

    expect(textOf(result)).toContain('would have 113 characters, and the gateway takes 1 to 100: give one with --name');
    expect([result.exitCode, (await run('--name', 'short')).exitCode]).toEqual([exitCodes.parked, exitCodes.done]);
  });

  test('--dry-run puts nothing, and says which rule each file meets', async () => {
    const { deps, uploads } = fakeDeps({ functionAnswer });
    const taken = await command.run(argumentsOf(command, good, '--prefix', 'pii', '--dry-run'), deps);
    const ignored = await command.run(argumentsOf(command, good, '--dry-run'), deps);

    expect(uploads).toEqual([]);
    const key = 'datasets/pii/good file.csv';
    expect(taken).toMatchObject({
      exitCode: exitCodes.done,
      data: { planned: [{ file: good, key, rule: 'datasets/pii/', check: 'prompt-label-csv' }] },
    });
    expect(textOf(taken)).toBe(
      `${good}: ${key}, by the rule datasets/pii/, check prompt-label-csv\nnothing was uploaded`,
    );
    expect(ignored).toMatchObject({ exitCode: exitCodes.parked, data: { planned: [{ isIgnored: true }] } });
  });
});
