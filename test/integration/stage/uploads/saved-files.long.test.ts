/**
 * Files as real programs save them, put into one running stage: registered as they are, or as
 * `upload --convert` writes them, or refused by row.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { exitCodes } from '#cli/terminal/command.ts';
import { createStageAccess } from '#operator/stage/stage-access.ts';
import { clientSettings } from '#operator/target.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { type SavedFile, savedFiles } from '../../../unit/shared/datasets/saved-files.ts';
import { datasetsOf } from '../harness/control-data.ts';
import { type StageProcess, startStageProcess, temporaryFolder, until } from '../harness/stage-process.ts';
import { writeAutomation } from '../harness/write-automation.ts';

const folder = temporaryFolder();
let stage: StageProcess;
let ledger: Ledger;
/** By name, the end of each file that was put as it is. */
let ends: ReadonlyMap<string, UploadRow>;

/** What contradicts itself is in the form that a gateway reads, and is warned of. */
const readable = savedFiles.filter(({ goes }) => goes === 'ready');
const unreadable = savedFiles.filter((file) => !readable.includes(file));
const convertible = savedFiles.filter(({ goes }) => goes === 'convertible');
const refused = savedFiles.flatMap(({ goes, ...file }) => (typeof goes === 'string' ? [] : [{ ...file, goes }]));

const rawKey = (name: string) => `datasets/raw/${name}`;
const pathOf = (name: string) => join(folder.path, 'saved', name);

/** Puts each file as a tool would that knows nothing of Autopilot, and waits for its end. */
async function putAsTheyAre(): Promise<typeof ends> {
  const { aws: endpoint, region, key: credentials, bucket } = stage;
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const put = await Promise.all(
    savedFiles.map(async ({ name, bytes }) => {
      const object = new PutObjectCommand({ Bucket: bucket, Key: rawKey(name), Body: bytes });
      const { VersionId = '' } = await s3.send(object);
      return [name, ledgerKeys.upload(bucket, rawKey(name), VersionId)] as const;
    }),
  );
  s3.destroy();
  const rows = new Map<string, UploadRow>();
  for (const [name, pk] of put) {
    const ended = async () => {
      const row = await ledger.read<UploadRow>(pk);
      return row?.outcome === undefined ? undefined : row;
    };
    rows.set(name, await until(`the end of ${name}`, ended));
  }
  return rows;
}

const uploaded = z.looseObject({
  uploads: z.array(z.looseObject({ file: z.string(), outcome: z.string(), versionId: z.string() })),
  converted: z.array(z.looseObject({ file: z.string(), verdict: z.string(), problems: z.array(z.string()) })),
});

async function convert(files: readonly Pick<SavedFile, 'name'>[], ...words: readonly string[]) {
  const paths = files.map(({ name }) => pathOf(name));
  const { code, json } = await stage.autopilot('upload', '--convert', ...paths, ...words, '--json');
  return { code, ...uploaded.parse(json()) };
}

beforeAll(async () => {
  mkdirSync(join(folder.path, 'saved'));
  for (const { name, bytes } of savedFiles) writeFileSync(pathOf(name), bytes);
  const config = writeAutomation(folder.path, {
    timezone: 'Europe/Dublin',
    campaigns: {},
    schedules: [],
    datasets: [
      {
        prefix: 'datasets/',
        send: 'file',
        name: '{key}',
        check: 'prompt-label-csv',
        only: ['.csv', '.txt', '.json', '.jsonl'],
      },
    ],
  });
  stage = await startStageProcess(join(folder.path, 'data'), '--config', config);
  const { aws: endpoint, region, dataDir } = stage;
  const target = { kind: 'local', stage: 'local', endpoint, region, folder: dataDir } as const;
  ledger = await createStageAccess('local', clientSettings(target)).ledger();
  ends = await putAsTheyAre();
});

afterAll(async () => {
  await stage.end('SIGINT');
  folder.remove();
});

describe(`${savedFiles.length} files saved by real programs, through a running stage`, () => {
  test.each(readable)('$name is registered as it is ($habit)', ({ name }) => {
    expect(ends.get(name)).toMatchObject({ state: 'APPLIED', datasetId: expect.any(String) });
  });

  test.each(unreadable)('$name is parked as it is, with its problems ($habit)', ({ name }) => {
    expect(ends.get(name)).toMatchObject({
      state: 'PARKED',
      outcome: { reason: 'CHECK_FAILED', detail: expect.stringContaining('prompt-label-csv: ') },
    });
    const [first] = ends.get(name)?.problemsByRow ?? [];
    expect(first?.says).not.toBe('');
    expect(ends.get(name)?.outcome?.detail).toContain(first?.says.replace(/^the row /, ''));
  });

  test('those that can be converted are registered in the form that the gateway reads', async () => {
    const groups = Map.groupBy(convertible, ({ name, encoding }) => encoding ?? (name.endsWith('l') ? 'lines' : ''));
    for (const [group, files] of groups) {
      const isEncoding = files[0]?.encoding !== undefined;
      const words = isEncoding ? ['--encoding', group] : [];

      const { uploads, code } = await convert(files, '--prefix', `converted${group && `/${group}`}`, ...words);

      expect(uploads.map(({ outcome }) => outcome)).toEqual(files.map(() => 'applied'));
      expect(code).toBe(exitCodes.done);
    }
    const registered = await datasetsOf(stage);
    expect(registered).toHaveLength(readable.length + convertible.length);
  });

  test('those that cannot are refused with the rows that are wrong, and none of them is put', async () => {
    const unnamed = refused.map(({ name }) => ({ name }));

    const { uploads, converted, code } = await convert(unnamed, '--prefix', 'refused');

    expect(uploads).toEqual([]);
    expect(code).toBe(exitCodes.parked);
    for (const [index, { name, goes }] of refused.entries()) {
      expect(converted[index]?.problems, name).toEqual(goes.map((problem) => expect.stringMatching(problem)));
    }
    const { json } = await stage.autopilot('uploads', '--prefix', 'refused', '--json');
    expect(json()).toMatchObject({ uploads: [] });
  });

  test('a corrected file under the same key stands beside what was parked, and one command ends all such', async () => {
    const name = 'excel-de-csv-utf8.csv';
    const { uploads } = await convert([{ name }], '--key', rawKey(name));
    const [corrected] = uploads;

    const listed = await stage.autopilot('parked', 'list');
    expect(listed.stdout).toContain('autopilot parked resolve --dismiss --superseded');
    await stage.autopilot('parked', 'resolve', '--dismiss', '--superseded');

    const shown = (await stage.autopilot('show', rawKey(name), '--json')).json();
    expect(shown).toMatchObject({
      versions: [
        { versionId: corrected?.versionId, state: 'applied' },
        { state: 'parked', resolutions: [{ decision: 'dismiss' }] },
      ],
    });
    const { parked } = parkedList.parse((await stage.autopilot('parked', 'list', '--json')).json());
    const open = unreadable.map((file) => rawKey(file.name)).filter((key) => key !== rawKey(name));
    expect(parked.map(({ subject }) => subject).toSorted()).toEqual(open.toSorted());
  });
});

const parkedList = z.looseObject({ parked: z.array(z.looseObject({ subject: z.string() })) });
