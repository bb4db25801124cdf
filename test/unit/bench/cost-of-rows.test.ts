import { expect, test } from 'vitest';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { keptBytes, rowBytes } from '../../bench/cost/row-bytes.ts';

const upload: UploadRow = {
  pk: 'upload#1#b44114c5',
  kind: 'upload',
  state: 'READY',
  bucket: 'uploads',
  key: 'datasets/prompts.csv',
  versionId: '3HL4kqtJlcpXroDTDmJ',
  eventTime: '2026-11-20T09:59:58.000Z',
  attempts: 1,
  crashes: 0,
};

test('a row that is kept takes its bytes and a hundred more', () => {
  expect(keptBytes([upload])).toEqual({ table: rowBytes(upload) + 100, indexes: 0 });
});

test('and as many again while it is in the index of what is open', () => {
  const open: UploadRow = { ...upload, openState: 'IN_FLIGHT', openSince: '2026-11-20T10:00:00.000Z' };

  const { table, indexes } = keptBytes([open]);

  expect(indexes).toBe(table);
});

test('a registered upload has its keys in the index of datasets', () => {
  const applied: UploadRow = { ...upload, state: 'APPLIED', datasetId: 'dataset-1' };
  const madeDataset = 'madeDataset'.length + 22;

  expect(keptBytes([applied]).indexes).toBe('pk'.length + upload.pk.length + madeDataset + 100);
});
