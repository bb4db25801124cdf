import { createHash } from 'node:crypto';
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
      datasets: [{ ...sent, file: null, id: body.id, createdAt: '2026-03-02T12:00:00.000Z', requestId: 'mine' }],
    });
  });

  describe('a form with the file itself', () => {
    const csv = Buffer.from('prompt,label\r\n"a",true\u0000');

    type Fields = readonly (readonly [string, string])[];

    async function sendForm(fields: Fields, bytes: Uint8Array<ArrayBuffer> | undefined) {
      const form = new FormData();
      for (const [name, value] of fields) form.append(name, value);
      if (bytes !== undefined) form.append('file', new Blob([bytes]), 'ü "1".csv');
      return gateway.send('POST', path, form);
    }

    test('becomes a dataset: name, size and digest of the file are kept, and each version', async () => {
      const versions = [
        ['scannerVersions', '2026-02'],
        ['scannerVersions', '2026-03'],
      ] as const;

      const { status, body } = await sendForm([['name', 'PII'], ['scannerId', seedIds.scanners.pii], ...versions], csv);

      const sha256 = createHash('sha256').update(csv).digest('hex');
      expect(status).toBe(200);
      expect((await gateway.get('/_control/datasets')).body.datasets).toMatchObject([
        {
          id: body.id,
          fileId: null,
          file: { name: 'ü "1".csv', sizeBytes: csv.length, sha256 },
          name: 'PII',
          scannerId: seedIds.scanners.pii,
          scannerVersions: ['2026-02', '2026-03'],
        },
      ]);
    });

    test.each<[Fields, string[]]>([
      [[], ['body.name']],
      [[['name', '']], ['body.name']],
      [
        [
          ['name', 'a'],
          ['name', 'b'],
        ],
        ['body.name'],
      ],
      [
        [
          ['name', 'a'],
          ['fileId', 'f'],
        ],
        ['body.fileId'],
      ],
    ])('is refused with 422 if its fields are %j', async (fields, places) => {
      const answer = await sendForm(fields, csv);

      expect([answer.status, complaints(answer)]).toEqual([422, places]);
      expect((await gateway.get('/_control/datasets')).body).toEqual({ datasets: [] });
    });

    test('is refused without a file, and if it is no form', async () => {
      const answers = [
        await sendForm([['name', 'a']], undefined),
        await sendForm(
          [
            ['name', 'a'],
            ['file', 'a text'],
          ],
          undefined,
        ),
        await gateway.send('POST', path, 'no form', { 'content-type': 'multipart/form-data; boundary=x' }),
      ];

      expect(answers.map(({ status }) => status)).toEqual([422, 422, 400]);
    });
  });
});
