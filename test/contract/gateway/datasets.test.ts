import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { complaints, runningGateway } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

const path = '/backend/v1/datasets';
let gateway: TestGateway;
beforeEach(async () => void (gateway = await runningGateway({ now: () => new Date('2026-03-02T12:00:00Z') })));
afterEach(() => gateway.close());

test('answers the id of the new dataset, and keeps what was sent', async () => {
  const sent = {
    fileId: 'pii-2026-03',
    name: 'PII, March',
    scannerId: seedIds.scanners.pii,
    scannerPackageId: seedIds.scannerPackages.pii,
    scannerVersions: '2026-02',
  };

  const { status, body } = await gateway.send('POST', path, sent, { 'x-request-id': 'mine' });

  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['id']);
  expect((await gateway.get('/_control/datasets')).body).toEqual({
    datasets: [{ ...sent, id: body.id, createdAt: '2026-03-02T12:00:00.000Z', requestId: 'mine' }],
  });
});

test('registers the same request twice when it comes twice: that is for the caller to prevent', async () => {
  const first = await gateway.send('POST', path, { fileId: 'same' });
  const second = await gateway.send('POST', path, { fileId: 'same' });

  expect(first.body.id).not.toBe(second.body.id);
  expect((await gateway.get('/_control/datasets')).body.datasets).toHaveLength(2);
});

test('takes scanner versions as a string or as a list', async () => {
  for (const scannerVersions of ['2026-02', ['2026-01', '2026-02']]) {
    expect((await gateway.send('POST', path, { fileId: 'f', scannerVersions })).status).toBe(200);
  }
});

test('takes only a string if it is strict, as the interface shows it', async () => {
  const strict = await runningGateway({ strict: true });
  const sent = async (scannerVersions: unknown) => strict.send('POST', path, { fileId: 'f', scannerVersions });

  const [text, list] = [await sent('2026-02'), await sent(['2026-02'])];
  await strict.close();

  expect(text.status).toBe(200);
  expect(list.status).toBe(422);
  expect(complaints(list)).toEqual(['body.scannerVersions']);
});

test.each<[unknown, string[]]>([
  [{}, ['body.fileId']],
  [{ fileId: '' }, ['body.fileId']],
  [{ fileId: 7, name: false }, ['body.fileId', 'body.name']],
  [{ fileId: 'f', scannerVersions: [2026] }, ['body.scannerVersions']],
  [{ fileId: 'f', file: 'f' }, ['body.file']],
])('refuses %j with 422 and registers nothing', async (body, places) => {
  const answer = await gateway.send('POST', path, body);

  expect(answer.status).toBe(422);
  expect(complaints(answer)).toEqual(places);
  expect((await gateway.get('/_control/datasets')).body).toEqual({ datasets: [] });
});
