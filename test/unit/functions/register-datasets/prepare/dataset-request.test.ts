import { describe, expect, it } from 'vitest';
import { datasetRequest, decodeMetadataText } from '#functions/register-datasets/dataset-request.ts';
import { chooseRule } from '#shared/uploads/dataset-rule.ts';
import type { SidecarFields } from '#shared/uploads/object-key.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import { fileRule, piiRule } from '../upload-bench.ts';

const object: ObjectCreated = {
  kind: 'created',
  bucket: 'uploads',
  key: 'datasets/pii/2026/First names.v2.csv',
  versionId: 'v1',
  versionKey: 'v1',
  etag: 'abc',
  sizeBytes: 3,
  sequencer: '1',
  eventTime: '2026-11-20T10:00:00.000Z',
};

function fieldsOf(metadata: Readonly<Record<string, string>>, rule = piiRule, from: ObjectCreated = object) {
  const request = datasetRequest(from, { metadata, etag: '"abc"' }, { rule });
  return request.ok ? request.fields : request;
}

describe('chooseRule', () => {
  const rules = ['datasets/', 'datasets/pii/eu/', 'datasets/pii/'].map((prefix) => ({ ...piiRule, prefix }));

  it.each([
    ['datasets/pii/eu/a.csv', 'datasets/pii/eu/'],
    ['datasets/pii/a.csv', 'datasets/pii/'],
    ['datasets/a.csv', 'datasets/'],
    ['other/a.csv', undefined],
  ])('gives %s to the longest prefix', (key, prefix) => {
    expect(chooseRule(rules, key)?.prefix).toBe(prefix);
  });
});

describe('datasetRequest', () => {
  it('takes each field from the metadata first, then from the rule', () => {
    const metadata = { 'file-id': 'f-9', 'scanner-package-id': 'p-1', 'scanner-versions': '2026-02', name: 'mine' };

    expect(fieldsOf(metadata)).toEqual({
      fileId: 'f-9',
      name: 'mine',
      scannerId: 'scanner-1',
      scannerPackageId: 'p-1',
      scannerVersions: ['2026-02'],
    });
    expect(fieldsOf({})).toEqual({ fileId: 'First names.v2', name: 'First names.v2', scannerId: 'scanner-1' });
  });

  it.each([
    ['{bucket}/{key}', 'uploads/datasets/pii/2026/First names.v2.csv'],
    ['{stem}-{versionId}-{etag}', 'First names.v2-v1-abc'],
    ['{unknown}', '{unknown}'],
  ])('fills the template %s', (fileId, expected) => {
    expect(fieldsOf({}, { ...piiRule, fileId })).toMatchObject({ fileId: expected });
  });

  it('does not fill a template with what a key looks like', () => {
    expect(fieldsOf({}, piiRule, { ...object, key: 'datasets/pii/{bucket}$&.csv' })).toMatchObject({
      fileId: '{bucket}$&',
    });
  });

  describe('of a rule that locks fields', () => {
    const rule = { ...piiRule, scannerVersions: ['1', '2'], locked: ['scannerId', 'scannerVersions'] as const };
    const made = (metadata: Readonly<Record<string, string>>, sidecar: SidecarFields = {}) =>
      datasetRequest(object, { metadata, etag: 'abc', sidecar }, { rule, scannerVersionsAs: 'comma-separated' });

    // Before, metadata came first always: any uploader picked the scanner.
    it.each([
      ['scannerId', 'the metadata of the object', { 'scanner-id': 'other' }, {}],
      ['scannerId', 'its sidecar', {}, { scannerId: 'other' }],
      ['scannerVersions', 'the metadata of the object', { 'scanner-versions': '2,1' }, {}],
      ['scannerVersions', 'its sidecar', {}, { scannerVersions: ['3'] }],
    ])('parks an upload that sets %s by %s', (field, where, metadata, sidecar) => {
      expect(made(metadata, sidecar)).toEqual({
        ok: false,
        reason: 'CHECK_FAILED',
        detail: `${where} sets ${field}, which the rule for datasets/pii/ locks`,
        locked: { field, place: where === 'its sidecar' ? 'sidecar' : 'metadata' },
      });
    });

    it('takes an upload that says what the rule says, and its other fields', () => {
      const metadata = { 'scanner-id': 'scanner-1', 'scanner-versions': '1, 2', 'file-id': 'mine' };

      expect(made(metadata, { scannerPackageId: 'p-1' })).toMatchObject({
        ok: true,
        fields: { fileId: 'mine', scannerId: 'scanner-1', scannerPackageId: 'p-1', scannerVersions: '1,2' },
      });
    });
  });

  it('says why there is no file id', () => {
    const { fileId: _fileId, ...none } = piiRule;
    const { versionId: _versionId, ...unversioned } = object;

    expect(fieldsOf({}, none)).toMatchObject({ ok: false, detail: expect.stringContaining('no metadata file-id') });
    expect(fieldsOf({}, { ...piiRule, fileId: '{versionId}' }, unversioned)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('keeps no versions'),
    });
  });
});

/** The scanner versions that are sent, or why nothing is. */
function sentVersions(
  how: Parameters<typeof datasetRequest>[2],
  found: Partial<Parameters<typeof datasetRequest>[1]> = {},
) {
  const request = datasetRequest(object, { metadata: {}, etag: 'x', ...found }, how);
  return request.ok ? request.fields.scannerVersions : request;
}

describe('scanner versions', () => {
  const listed = { ...piiRule, scannerVersions: ['2026-02', '2026-03'] };
  // One version used to go out as a text always, and the gateway takes arrays alone.
  it.each([
    ['comma-separated', '2026-02'],
    ['json-text', '["2026-02"]'],
    [undefined, ['2026-02']],
  ] as const)('that are one go out %s like several, wherever they come from', (scannerVersionsAs, sent) => {
    const { scannerVersions: _none, ...rule } = listed;
    const how = { rule, scannerVersionsAs };

    expect([
      sentVersions({ rule: { ...rule, scannerVersions: ['2026-02'] }, scannerVersionsAs }),
      sentVersions(how, { sidecar: { scannerVersions: ['2026-02'] } }),
      sentVersions(how, { sidecar: { scannerVersions: '2026-02' } }),
      sentVersions(how, { metadata: { 'scanner-versions': ' 2026-02' } }),
    ]).toEqual([sent, sent, sent, sent]);
  });

  it('stand between commas in a text of metadata or sidecar', () => {
    const text = '2026-04, 2026-05,';

    expect([
      sentVersions({ rule: listed }, { metadata: { 'scanner-versions': text } }),
      sentVersions({ rule: listed }, { sidecar: { scannerVersions: text } }),
      sentVersions({ rule: listed }, { metadata: { 'scanner-versions': ',' } }),
    ]).toEqual([['2026-04', '2026-05'], ['2026-04', '2026-05'], listed.scannerVersions]);
  });
});

it('of a rule that sends the file needs no fileId, and gives each dataset a name', () => {
  expect(fieldsOf({}, fileRule)).toEqual({ name: 'First names.v2', scannerId: 'scanner-1' });
  expect(fieldsOf({}, { ...fileRule, name: ' ' })).toMatchObject({ name: object.key });
});

describe('decodeMetadataText', () => {
  it.each([
    ['plain', 'plain'],
    ['  padded ', 'padded'],
    ['=?UTF-8?B?w5xiZXJzaWNodA==?=', 'Übersicht'],
    ['=?UTF-8?Q?=C3=9Cber_sicht?=', 'Über sicht'],
    ['=?UTF-8?B?w5w=?= =?UTF-8?B?YmVy?=', 'Über'],
    ['=?iso-8859-1?q?f=FCr?=', 'für'],
    ['=?no-such-charset?q?x?=', '=?no-such-charset?q?x?='],
    ['%C3%9Cber%20sicht', 'Über sicht'],
    ['100% sure', '100% sure'],
    ['100%zz', '100%zz'],
    ['%ff', '%ff'],
    [Buffer.from('Über').toString('latin1'), 'Über'],
    ['für', 'für'],
    ['日本', '日本'],
  ])('reads %j as %j', (value, text) => {
    expect(decodeMetadataText(value)).toBe(text);
  });
});
