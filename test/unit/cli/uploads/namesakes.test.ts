import { expect, test } from 'vitest';
import { withNamesakes } from '#operator/uploads/namesakes.ts';
import type { UploadReport } from '#operator/uploads/upload-file.ts';
import type { StageDatasetRule } from '#operator/stage/stage-config.ts';
import { fakeDeps } from '../../operator/fake-deps.ts';

const sent: UploadReport = {
  file: 'data.csv',
  bucket: 'bucket',
  key: 'datasets/test/data.csv',
  versionId: 'v2',
  outcome: 'applied',
  datasetId: 'ds-2',
};

async function warningsOf(
  rule: Partial<StageDatasetRule>,
  keys: readonly string[],
  upload: Partial<UploadReport> = {},
) {
  const bucket = [sent.key, ...keys].map((key) => ({
    key,
    versionId: 'v1',
    lastModified: new Date(0),
    isLatest: true,
    etag: '"e"',
    sizeBytes: 1,
  }));
  const rules = [{ prefix: 'datasets/', check: 'none', ...rule }];
  const { uploads } = await withNamesakes(
    { uploads: [{ ...sent, ...upload }], notSent: [] },
    { rules },
    fakeDeps({ bucket }).deps,
  );
  return uploads[0]?.warnings;
}

test('an upload whose name another key has is warned of with that key', async () => {
  expect(await warningsOf({ file: { maxBytes: 1 } }, ['datasets/train/data.csv'])).toEqual([
    'the key datasets/train/data.csv has the name "data" too',
  ]);
});

test('an upload whose fileId another key has is warned of with that key', async () => {
  expect(await warningsOf({ name: '{key}', fileId: 'file-{stem}' }, ['datasets/train/data.csv'])).toEqual([
    'the key datasets/train/data.csv has the fileId "file-data" too',
  ]);
});

test.each<[string, Partial<StageDatasetRule>, readonly string[], Partial<UploadReport>]>([
  ['another name', {}, ['datasets/train/other.csv'], {}],
  ['a name of its own by metadata', {}, ['datasets/train/data.csv'], { datasetName: 'test data' }],
  ['its own older version alone', {}, ['datasets/test/data.csv'], {}],
  ['its own sidecar alone', {}, ['datasets/test/data.csv.dataset.json'], {}],
  ['a fileId of its version', { name: '{key}', fileId: '{stem}-{versionId}' }, ['datasets/train/data.csv'], {}],
  ['no dataset', {}, ['datasets/train/data.csv'], { outcome: 'parked' }],
])('an upload with %s has no such warning', async (...[, rule, keys, upload]) => {
  expect(await warningsOf(rule, keys, upload)).toBeUndefined();
});

test('a key of the same letters in another form of Unicode is a twin, shown so that both can be told apart', async () => {
  const key = 'datasets/test/n\u00e4chte.csv';

  expect(await warningsOf({}, ['datasets/test/na\u0308chte.csv'], { key, datasetName: 'of its own' })).toEqual([
    `another key, of other bytes (Unicode), looks like ${key}: datasets/test/na%CC%88chte.csv`,
  ]);
  expect(await warningsOf({}, ['datasets/train/na\u0308chte.csv'], { key })).toHaveLength(1);
});
