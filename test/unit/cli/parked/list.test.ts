import { checkPromptLabelCsv } from '#shared/datasets/prompt-label-csv.ts';
import { describe, expect, test } from 'vitest';
import { command } from '#cli/parked/parked.ts';
import { timesIn } from '#cli/terminal/times.ts';
import { handleOf } from '#operator/handles.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { argumentsOf, fakeDeps, type FakeStage, now, textOf, linesOf } from '../../operator/fake-deps.ts';
import { parkedCommand, parkedMessage, parkedUpload } from '../../operator/parked-fixtures.ts';

const upload = parkedUpload();
const id = handleOf(upload.pk);

describe('parked list', () => {
  // A key of 1,024 bytes filled ten lines of a terminal.
  test.each([
    [['list'], /^\S+ +CHECK_FAILED  upload datasets\/\S+…\S*\/a\.csv  18:00, 2 h ago$/m],
    [['list', '--verbose'], /^\S+ +CHECK_FAILED  upload datasets\/\S+…\S*\/a\.csv  /m],
    [
      ['resolve', '--dismiss', '--code', 'CHECK_FAILED', '--dry-run', '--reason', 'old'],
      /^ {2}\S+ +CHECK_FAILED  upload .*…\S+\/a\.csv$/m,
    ],
  ])('is as wide as its terminal, with the end of each key: %j', async (words, row) => {
    const key = `datasets/${'k😀'.repeat(330)}/a.csv`;
    const rows = [key, 'datasets/b.csv'].map((one) => parkedUpload({ reason: 'CHECK_FAILED', key: one }));
    const { deps } = fakeDeps({ rows });

    const result = await command.run(argumentsOf(command, ...words), deps);
    const lines = linesOf(result, (at) => ({ ...timesIn('UTC')(at), width: 120 }));

    expect(lines.join('\n')).toMatch(row);
    expect(Math.max(...lines.filter((line) => line.includes('…')).map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test('of hundreds it shows twenty and says how many more there are; JSON has them all, from every page', async () => {
    const { deps, ledger } = fakeDeps();
    for (let index = 0; index < 230; index += 1)
      await ledger.write<UploadRow>(undefined, parkedUpload({ key: `datasets/${index}.csv` }));

    const result = await command.run(argumentsOf(command), deps);
    const few = await command.run(argumentsOf(command, 'list', '--limit', '3'), deps);

    expect(result.data).toHaveProperty('parked.length', 230);
    expect(textOf(result).match(/upload datasets/g)).toHaveLength(20);
    expect(textOf(result)).toContain('and 210 more: --limit 230 shows them all');
    expect(textOf(few).match(/upload datasets/g)).toHaveLength(3);
    expect(few.data).toMatchObject({ total: 230, parked: { length: 3 } });
  });

  test('names the newer version of a key beside its row, and how to end all such', async () => {
    const { deps } = fakeDeps({ versions, rows: [parkedUpload({ reason: 'CHECK_FAILED' }), newer] });

    const result = await command.run(argumentsOf(command, 'list'), deps);

    expect(textOf(result)).toContain(
      'newer versions took the place of 1. To end all such:\n  npx --no -- autopilot parked resolve --dismiss --superseded\n',
    );
    expect(textOf(await command.run(argumentsOf(command, 'list', '--verbose'), deps))).toContain(
      'a newer version of this key came 2026-11-20T19:00:00.000Z: applied ds-9. This ends all such: npx',
    );
    expect(result.data).toMatchObject({ parked: [{ newer: { takesItsPlace: true } }] });
  });

  test('cuts a long detail: all of it is in show', async () => {
    const { deps, ledger } = fakeDeps();
    const outcome = { kind: 'parked', reason: 'OBJECT_GONE', detail: 'x'.repeat(2000), at: upload.eventTime } as const;
    await ledger.write<UploadRow>(undefined, { ...upload, outcome });

    const text = textOf(await command.run(argumentsOf(command, 'list', '--verbose'), deps));

    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(200);
  });

  test.each([
    [['--code', 'no-run-left'], ['NO_RUN_LEFT']],
    [
      ['--code', 'no run left,VALIDATION'],
      ['NO_RUN_LEFT', 'VALIDATION'],
    ],
    [
      ['--code', 'VALIDATION', '--code', 'FORBIDDEN'],
      ['VALIDATION', 'FORBIDDEN'],
    ],
    [
      ['--since', '90m'],
      ['VALIDATION', 'FORBIDDEN'],
    ],
    [['--since', '2026-11-20T19:00:00Z', '--before', '30m'], ['VALIDATION']],
    [['--before', '2026-11-20T20:00:00+01:00'], ['NO_RUN_LEFT']],
  ])('keeps to the rows that are asked for: %j', async (words, reasons) => {
    const { deps, ledger } = fakeDeps({ rows: [parkedCommand()] });
    await ledger.write<UploadRow>(
      undefined,
      parkedUpload({ key: 'datasets/v.csv', reason: 'VALIDATION', openSince: '2026-11-20T19:00:00.000Z' }),
    );
    await ledger.write<UploadRow>(
      undefined,
      parkedUpload({ key: 'datasets/f.csv', reason: 'FORBIDDEN', openSince: '2026-11-20T19:30:00.000Z' }),
    );

    const { data } = await command.run(argumentsOf(command, 'list', ...words), deps);

    expect(data).toMatchObject({ parked: reasons.map((reason) => ({ reason })) });
    expect(data).toHaveProperty('total', reasons.length);
  });

  test('says so if nothing is parked, or nothing of that kind', async () => {
    const { deps, ledger } = fakeDeps();
    const empty = await command.run(argumentsOf(command, 'list'), deps);
    await ledger.write<UploadRow>(undefined, upload);
    const others = await command.run(argumentsOf(command, 'list', '--code', 'CONFIG'), deps);

    expect(textOf(empty)).toBe('nothing is parked');
    expect(textOf(others)).toBe('nothing of that kind is parked (1 other is)');
  });

  test.each([
    [['list', '--code', 'VALIDATON'], /did you mean "VALIDATION"/],
    [['list', '--code', 'whatever'], /there are POST_OUTCOME_UNKNOWN, /],
    [['list', '--limit', '0'], /--limit 0: give a whole number from 1 to/],
    [['list', '--since', '2026-11-20T21:00:00Z'], /Fri 20 Nov 21:00 \(UTC\) is still to come: it is Fri 20 Nov 20:00/],
    [
      ['list', '--before', 'yesterday'],
      /--before: "yesterday" is not a time, for example 06:00, 2026-11-19T06:00 or 2h \(ago\)/,
    ],
    [['list', '--since', '1h', '--before', '2h'], /nothing lies between/],
  ])('refuses %j', async (argv, sentence) => {
    const running = async () => command.run(argumentsOf(command, ...argv), fakeDeps().deps);

    await expect(running()).rejects.toThrow(sentence);
  });
});

/** Two versions of its key, the newer one registered. */
const versions = [
  { versionId: 'v2', lastModified: new Date('2026-11-20T19:00:00.000Z') },
  { versionId: 'v1', lastModified: new Date('2026-11-20T18:00:00.000Z') },
];

const { openState: _openState, openSince: _openSince, parked: _parked, ...rest } = upload;
const newer: UploadRow = {
  ...rest,
  pk: ledgerKeys.upload('bucket', upload.key, 'v2'),
  versionId: 'v2',
  state: 'APPLIED',
  datasetId: 'ds-9',
  outcome: { kind: 'applied', at: now.toISOString() },
};

/** The text of `parked show` of one row. */
async function shown(row: CommandRow | MessageRow | UploadRow, words: readonly string[] = [], stage: FakeStage = {}) {
  const { deps } = fakeDeps({ ...stage, rows: [row] });
  return textOf(await command.run(argumentsOf(command, 'show', row.pk, ...words), deps));
}

describe('parked show', () => {
  test('does not offer a repeat if the dataset is there for certain', async () => {
    const certain = await shown(parkedUpload({ reason: 'APPLIED_ID_UNKNOWN' }));

    expect(certain).toContain('--applied DATASET-ID');
    expect(certain).not.toContain('--repeat');
  });

  test('a file that has to be corrected comes with its upload, the key quoted', async () => {
    const text = await shown(parkedUpload({ key: "datasets/it's.csv", reason: 'CHECK_FAILED' }));

    expect(text).toContain(String.raw`autopilot upload --convert FILE --key 'datasets/it'\''s.csv'`);
    expect(text).toContain('--dismiss --reason');
  });

  // Pasted, the line without the option was refused for the same column.
  test.each([
    ['prompt,toxic\na,1\n', '--label-column COLUMN'],
    ['text,label\na,1\n', '--prompt-column COLUMN'],
    ['prompt,label\na,\n', ''],
  ])('a file with a wrong column comes with the option that names it: %j', async (file, option) => {
    const found = checkPromptLabelCsv(Buffer.from(file));
    const problemsByRow = found.ok ? [] : found.problemsByRow;
    const outcome = { kind: 'parked', reason: 'CHECK_FAILED', at: now.toISOString() } as const;

    const text = await shown(parkedUpload({ key: 'datasets/a.csv', outcome, problemsByRow }));

    expect(text).toMatch(new RegExp(`--convert FILE --key datasets/a.csv${option === '' ? '' : ` ${option}`}\n`));
    expect(text.includes('in the place of COLUMN')).toBe(option !== '');
  });

  // It said to correct the file and to check it; the file was right.
  test.each([
    [
      { place: 'metadata', field: 'scannerPackageId' },
      /upload the file again without scannerPackageId in its\s+metadata \(--scanner-package-id\), under the same key, then resolve/,
    ],
    [
      { place: 'sidecar', field: 'name' },
      /upload its sidecar without name and then the file again, each under the same key/,
    ],
  ] as const)('an upload that sets a locked field is uploaded again without it: %j', async (locked, next) => {
    const detail = `the ${locked.place} of the object sets ${locked.field}, which the rule for datasets/pii/ locks`;
    const outcome = { kind: 'parked', reason: 'CHECK_FAILED', detail, locked, at: now.toISOString() } as const;

    const text = await shown(parkedUpload({ key: 'datasets/pii/a.csv', outcome }));

    expect(text).toMatch(next);
    expect(text).toContain('autopilot upload FILE --key datasets/pii/a.csv');
    expect(text).not.toMatch(/[Cc]orrect the file|autopilot check|--convert/);
  });

  test('a stop that is not tried any more says that the run may go on', async () => {
    const row = parkedCommand();
    const stop = { ...row.command, action: 'stop' as const };
    const outcome = { kind: 'parked', reason: 'HORIZON_EXCEEDED', at: now.toISOString() } as const;

    const text = await shown({ ...row, command: stop, outcome });

    expect(text).toContain('until then the run may run, unless you stop it at the gateway');
  });

  test('a message of a stage that observed is told as that', async () => {
    const row = parkedMessage();

    expect(await shown({ ...row, isObserved: true })).toContain('observed message commands m-1');
  });

  test.each([
    ['that did nothing is only to be dismissed', 'CHECK_FAILED', true],
    ['that may have made a dataset is still to be settled', 'POST_OUTCOME_UNKNOWN', false],
  ] as const)('says what became of a newer version of the same key: a row %s', async (_what, reason, isReplaced) => {
    const { deps } = fakeDeps({ versions, rows: [parkedUpload({ reason }), newer] });

    const older = textOf(await command.run(argumentsOf(command, 'show', id), deps));
    const newest = textOf(await command.run(argumentsOf(command, 'show', newer.pk), deps));

    expect(older).toContain('a newer version of this key came at 2026-11-20T19:00:00.000Z: applied ds-9');
    expect(older.includes('the newer version took its place: resolve --dismiss this one')).toBe(isReplaced);
    expect(older.includes('--repeat')).toBe(!isReplaced);
    expect(newest).not.toContain('newer');
  });

  test('shows a row all the same if the bucket may not be listed', async () => {
    const { deps, told } = fakeDeps({ rows: [upload] });
    const denied = {
      ...deps,
      stage: { ...deps.stage, versions: async () => Promise.reject(new Error('AccessDenied')) },
    };

    const text = textOf(await command.run(argumentsOf(command, 'show', id), denied));

    expect(text).toContain('parked POST_OUTCOME_UNKNOWN');
    expect(told).toEqual(['whether newer versions of parked keys came is not known: AccessDenied']);
  });
});

test.each([
  ['its handle', id],
  ['its key in the ledger', upload.pk],
  ['the key of its object', 'datasets/a.csv'],
  ['the address of its object', 's3://bucket/datasets/a.csv'],
])('a row that was resolved is found by %s, with the decision', async (_what, typed) => {
  const { deps } = fakeDeps({ versions: [{ versionId: 'v1', lastModified: now }], rows: [upload] });
  await command.run(argumentsOf(command, 'resolve', id, '--applied', 'ds-7', '--reason', 'by its name'), deps);

  const result = await command.run(argumentsOf(command, 'show', typed), deps);

  expect(textOf(result)).toContain('not parked any more: applied');
  expect(textOf(result)).toContain(`decided    applied ds-7 by grace at ${now.toISOString()}: by its name`);
  expect(textOf(result)).not.toContain('parked resolve');
  expect(result.data).toMatchObject({ parked: [{ isParked: false, advice: [] }] });
});

describe('finding rows', () => {
  test('lists the candidates if the beginning of an id fits several', async () => {
    const { deps, ledger } = fakeDeps();
    const keys = Array.from({ length: 40 }, (_, index) => `datasets/${index}.csv`);
    for (const key of keys) await ledger.write<UploadRow>(undefined, parkedUpload({ key }));
    const digits = keys.map((key) => handleOf(parkedUpload({ key }).pk).charAt(0));
    const digit = digits.find((first, index) => digits.indexOf(first) !== index) ?? '';

    const showing = command.run(argumentsOf(command, 'show', digit), deps);

    await expect(showing).rejects.toThrow(
      new RegExp(`"${digit}" begins the id of \\d+ parked items: ${digit}[0-9a-f]{7} \\(upload datasets/`),
    );
  });

  test('asks which one if several versions of a key are parked', async () => {
    const { deps, ledger } = fakeDeps();
    for (const versionId of ['v1', 'v2']) {
      await ledger.write<UploadRow>(undefined, { ...upload, pk: ledgerKeys.upload('bucket', upload.key, versionId) });
    }

    const showing = command.run(argumentsOf(command, 'show', upload.key), deps);

    await expect(showing).rejects.toThrow(/"datasets\/a.csv" is the key of 2 parked items: [0-9a-f]{8} \(/);
  });
});
