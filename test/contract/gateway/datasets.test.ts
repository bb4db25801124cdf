import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { profileNames } from '#gateway/model/profile.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { aDataset, complaints, runningGateway } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

const path = '/backend/v1/datasets';

describe.each(profileNames)('profile %s', (profile) => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await runningGateway({ profile, now: () => new Date('2026-03-02T12:00:00Z') });
  });
  afterEach(() => gateway.close());

  test('answers the id of the new dataset, and keeps what was sent', async () => {
    const sent = {
      ...aDataset,
      scannerId: seedIds.scanners.pii,
      scannerPackageId: seedIds.scannerPackages.pii,
      scannerVersions: ['2026-01', '2026-02'],
    };

    const { status, body } = await gateway.send('POST', path, sent, { 'x-request-id': 'mine' });

    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['id']);
    expect((await gateway.get('/_control/datasets')).body).toEqual({
      datasets: [{ ...sent, id: body.id, createdAt: '2026-03-02T12:00:00.000Z', requestId: 'mine' }],
    });
  });

  test('registers the same request twice when it comes twice: that is for the caller to prevent', async () => {
    const first = await gateway.send('POST', path, aDataset);
    const second = await gateway.send('POST', path, aDataset);

    expect(first.body.id).not.toBe(second.body.id);
    expect((await gateway.get('/_control/datasets')).body.datasets).toHaveLength(2);
  });

  test.each<[unknown, string[]]>([
    [{ name: 'no file' }, ['body.fileId']],
    [{ ...aDataset, fileId: '' }, ['body.fileId']],
    [{ fileId: 7, name: false }, ['body.fileId', 'body.name']],
    [{ ...aDataset, scannerVersions: 2026 }, ['body.scannerVersions']],
    [{ ...aDataset, file: 'f' }, ['body.file']],
  ])('refuses %j with 422 and registers nothing', async (body, places) => {
    const answer = await gateway.send('POST', path, body);

    expect(answer.status).toBe(422);
    expect(complaints(answer)).toEqual(places);
    expect((await gateway.get('/_control/datasets')).body).toEqual({ datasets: [] });
  });
});
