import { expect, test } from 'vitest';
import { peerIds } from '../../peer/seed.ts';
import { openPeer } from './open-peer.ts';

const fileId = '0199c000-0000-7000-8000-000000000901';
const json = { name: 'private data', fileId };
const bytes = Buffer.from('prompt,label\r\n"\u00e9",true\r\n\u0000\u00ff', 'latin1');

type Parts = readonly (readonly [string, string | Blob])[];

function formOf(parts: Parts): FormData {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, 'private.csv');
  }
  return form;
}

const file = new Blob([bytes], { type: 'text/csv' });

test.each([
  [{}],
  [{ name: 'n' }],
  [{ name: 'n'.repeat(100) }],
  [{ scannerId: peerIds.scanners.privacy, scannerPackageId: peerIds.packages.privacy }],
  [{ scannerId: null, scannerPackageId: null, scannerVersions: null }],
  [{ scannerVersions: [] }],
  [{ scannerVersions: ['2026-02', fileId, '2026-02-01T00:00:00Z', 'a_b-C'] }],
])('a JSON dataset with %j is made', async (changed) => {
  const { peer, send } = await openPeer();

  const { status, body } = await send('POST', '/datasets', { ...json, ...changed });

  expect([status, Object.keys(body)]).toEqual([200, ['id']]);
  expect(peer.state.datasets.get(body.id)).toMatchObject({ ...json, ...changed });
  expect(peer.effects('dataset')).toMatchObject([{ id: body.id }]);
});

test.each([
  [{ name: undefined }, 'body.name'],
  [{ name: '' }, 'body.name'],
  [{ name: 'n'.repeat(101) }, 'body.name'],
  [{ fileId: undefined }, 'body.fileId'],
  [{ fileId: null }, 'body.fileId'],
  [{ fileId: 'private.csv' }, 'body.fileId'],
  [{ scannerId: 'privacy' }, 'body.scannerId'],
  [{ scannerPackageId: '' }, 'body.scannerPackageId'],
  [{ scannerVersions: '2026-02' }, 'body.scannerVersions'],
  [{ scannerVersions: ['2026-02', '1.0'] }, 'body.scannerVersions.1'],
  [{ scannerVersions: ['v'.repeat(101)] }, 'body.scannerVersions.0'],
  [{ scannerVersions: [7] }, 'body.scannerVersions.0'],
  [{ description: 'mine' }, 'body.description'],
])('a JSON dataset with %j is refused with 422 that names %s', async (changed, named) => {
  const { peer, send } = await openPeer();

  const answer = await send('POST', '/datasets', { ...json, ...changed });

  expect([answer.status, answer.named]).toEqual([422, [named]]);
  expect(peer.effects()).toEqual([]);
});

const versions: readonly (readonly [Parts, readonly string[] | null])[] = [
  [[], null],
  [[['scannerVersions', '2026-02']], ['2026-02']],
  [
    [
      ['scannerVersions', '2026-01'],
      ['scannerVersions', '2026-02'],
    ],
    ['2026-01', '2026-02'],
  ],
];

test.each(versions)('multipart with the versions %j is made, with the bytes that were sent', async (more, expected) => {
  const { peer, send } = await openPeer();

  const { status, body } = await send('POST', '/datasets', formOf([['file', file], ['name', 'private'], ...more]));

  expect(status).toBe(200);
  const dataset = peer.state.datasets.get(body.id);
  expect(dataset).toMatchObject({ name: 'private', scannerVersions: expected });
  expect(dataset?.file).toEqual({ name: 'private.csv', type: 'text/csv', bytes });
});

const name = ['name', 'n'] as const;
const sent = ['file', file] as const;
const wrong: readonly (readonly [string, Parts, string])[] = [
  ['no file', [name], 'body.file'],
  ['a text as the file', [['file', 'prompt,label'], name], 'body.file'],
  ['no name', [sent], 'body.name'],
  ['a long name', [sent, ['name', 'n'.repeat(101)]], 'body.name'],
  ['a fileId', [sent, name, ['fileId', fileId]], 'body.fileId'],
  ['an empty scannerId', [sent, name, ['scannerId', '']], 'body.scannerId'],
  ['versions in one text', [sent, name, ['scannerVersions', 'a,b']], 'body.scannerVersions.0'],
];

test.each(wrong)('multipart with %s is refused with 422', async (_what, parts, named) => {
  const { peer, send } = await openPeer();

  const answer = await send('POST', '/datasets', formOf(parts));

  expect([answer.status, answer.named]).toEqual([422, [named]]);
  expect(peer.effects()).toEqual([]);
});

test.each([
  ['text/csv', 'prompt,label'],
  ['multipart/form-data; boundary=b', 'no form'],
  ['application/json', '['],
])('a body of the type %s that says %s is refused with 422', async (type, text) => {
  const { peer } = await openPeer();

  const response = await fetch(`${peer.url}/backend/v1/datasets`, {
    method: 'POST',
    headers: { authorization: 'Bearer a-token-of-the-peer', 'content-type': type },
    body: text,
  });

  expect(response.status).toBe(422);
});
