/** What each profile takes and refuses beyond what docs/openapi.yaml says of one field: one table. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { profileNames } from '#gateway/model/profile.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { aDataset, complaints, runningGateway } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

const taken = 'taken';
const uuid = aDataset.fileId;
const packages = 'GET /backend/v1/scanner-packages';
const run = 'PATCH a run';
const dataset = 'POST a dataset';

/** Request, what is sent, and the answer by profile: taken, or the place that the 422 names. */
const table: readonly (readonly [request: string, sent: object | string, real: string, open: string])[] = [
  [run, { status: 'cancelled' }, taken, taken],
  [run, { status: 'running' }, 'body.status', taken],
  [run, { startAt: '2026-03-02T22:00:00Z' }, taken, taken],
  [run, { startAt: '2026-03-02T22:00:00+01:00' }, taken, taken],
  [run, { startAt: '2026-03-01T22:00:00Z' }, 'body.startAt', taken],
  [run, { startAt: '2026-03-02T22:00:00' }, 'body.startAt', 'body.startAt'],
  [run, { name: '\u{1f600}'.repeat(100) }, taken, taken],

  [dataset, aDataset, taken, taken],
  [dataset, { ...aDataset, fileId: 'pii-march' }, 'body.fileId', taken],
  [dataset, { ...aDataset, scannerVersions: ['2026-02', uuid, '2026-03-02T22:00:00Z'] }, taken, taken],
  [dataset, { ...aDataset, scannerVersions: ['x'.repeat(101)] }, 'body.scannerVersions.0', taken],

  [packages, 'sortBy=created_at&ascending=true&limit=100', taken, taken],
  [packages, 'direction=request,response', 'query.direction', taken],
  [packages, 'source=internal,share,zip&source=vendor,system,remediation', taken, taken],
  [packages, 'source=vendor,elsewhere', 'query.source', taken],
  [packages, 'mode=block,audit,redact', taken, taken],
  [packages, 'type=any&tags=any', taken, taken],
  [packages, `packageId=${uuid},pii`, 'query.packageId', taken],
  [packages, `addedToProjectId=${seedIds.projects.chatApp}`, taken, taken],
  [packages, 'addedToProjectId=chat-app', 'query.addedToProjectId', taken],
  [packages, 'accessibleToProjectId=chat-app', 'query.accessibleToProjectId', taken],
  [packages, 'enabledForProject=chat-app', taken, taken],
];

describe.each(profileNames)('profile %s', (profile) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await runningGateway({ profile, now: () => new Date('2026-03-02T12:00:00Z') });
  });
  afterAll(() => gateway.close());

  async function send(request: string, sent: object | string) {
    if (typeof sent === 'string') return gateway.get(`/backend/v1/scanner-packages?${sent}`);
    if (request === dataset) return gateway.send('POST', '/backend/v1/datasets', sent);
    return gateway.send('PATCH', `/backend/v1/campaign-runs/${seedIds.campaignRuns.nightly[0]}`, sent);
  }

  test.each(table.map(([request, sent, real, open]) => ({ request, sent, says: profile === 'real' ? real : open })))(
    '$request with $sent: $says',
    async ({ request, sent, says }) => {
      const answer = await send(request, sent);

      expect([answer.status, complaints(answer)[0] ?? taken]).toEqual([says === taken ? 200 : 422, says]);
    },
  );
});
