import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { complaints, runningGateway } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

let clock = new Date('2026-03-02T12:00:00Z');
let gateway: TestGateway;
beforeEach(async () => {
  clock = new Date('2026-03-02T12:00:00Z');
  gateway = await runningGateway({ now: () => clock });
});
afterEach(() => gateway.close());

test('finds a project by its id and by its name', async () => {
  const byId = await gateway.get(`/backend/v1/projects/${seedIds.projects.chatApp}`);
  const byName = await gateway.get('/backend/v1/projects/chat-app');

  expect(byId.status).toBe(200);
  expect(byId.body).toEqual(byName.body);
  expect(byId.body.project).toMatchObject({ id: seedIds.projects.chatApp, name: 'chat-app', providerCount: '2' });
});

test.each(['unknown', '%20', 'a%2Fb', '%E0%A4%A', '%00', "';DROP TABLE projects"])(
  'answers 404 with a body for the project "%s"',
  async (project) => {
    const answer = await gateway.get(`/backend/v1/projects/${project}`);

    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ detail: 'project not found' });
  },
);

test.each([
  ['2025-12-01T00:00:00Z', ['2025-11']],
  ['2026-01-12T08:15:00Z', ['2026-01', '2026-01']],
  ['2026-01-12T09:14:59%2B01:00', ['2025-11']],
  ['2026-02-20T00:00:00.123456Z', ['2026-02', '2026-02', '2026-01', '3']],
  ['2099-01-01T00:00:00Z', ['2026-02', '2026-02', '2026-01', '3']],
])('shows the configuration of chat-app as it was at %s', async (configAt, versions) => {
  const { body } = await gateway.get(`/backend/v1/projects/chat-app?configAt=${configAt}`);

  expect(body.project?.config?.scanners?.map((scanner) => scanner.version)).toEqual(versions);
});

test.each([
  'yesterday',
  '',
  '2026-02-30T00:00:00Z',
  '2026-02-01T00:00:00',
  '2026-02-01',
  '1767225600',
  '2025-01-01T00:00:00Z',
])('refuses configAt=%s, naming it', async (configAt) => {
  const answer = await gateway.get(`/backend/v1/projects/chat-app?configAt=${configAt}`);

  expect(answer.status).toBe(422);
  expect(complaints(answer)).toEqual(['query.configAt']);
});

test('keeps the history of a configuration that is changed by hand', async () => {
  const before = await gateway.get('/backend/v1/projects/code-helper');
  const packages = [{ id: seedIds.scannerPackages.pii, version: '2026-03' }];

  const changed = await gateway.send('PUT', '/_control/projects/code-helper', { config: { packages } });
  const now = await gateway.get('/backend/v1/projects/code-helper');
  const earlier = await gateway.get('/backend/v1/projects/code-helper?configAt=2026-03-02T11:59:59Z');

  expect(changed.status).toBe(200);
  expect(now.body.project?.config?.packages).toMatchObject(packages);
  expect(now.body.project?.updatedAt).toBe(clock.toISOString());
  expect(earlier.body.project?.config).toEqual(before.body.project?.config);
});

test('answers a campaign, and its attacks as they were', async () => {
  const path = `/backend/v1/campaigns/${seedIds.campaigns.chatBotNightly}`;
  const now = await gateway.get(path);
  const earlier = await gateway.get(`${path}?configAt=2026-01-01T00:00:00Z`);

  expect(now.body.campaign).toMatchObject({ name: 'Chat bot nightly red team', runCount: 41 });
  expect(now.body.campaign?.attacks).toHaveLength(4);
  expect(earlier.body.campaign?.attacks).toHaveLength(2);
  expect(earlier.body.campaign?.runCount).toBe(41);
});

test('tells a campaign that is unknown from an id that is none', async () => {
  const unknown = await gateway.get('/backend/v1/campaigns/00000000-0000-4000-8000-000000000000');
  const malformed = await gateway.get('/backend/v1/campaigns/nightly');

  expect([unknown.status, malformed.status]).toEqual([404, 422]);
  expect(unknown.body).toEqual({ detail: 'campaign not found' });
  expect(complaints(malformed)).toEqual(['path.campaignId']);
});

test('changes a campaign by hand, counters included', async () => {
  const id = seedIds.campaigns.chatBotSmoke;
  const change = { runCount: 100, lastRunAt: '2026-03-01T00:00:00Z', attacks: [] };

  await gateway.send('PUT', `/_control/campaigns/${id}`, change);

  expect((await gateway.get(`/backend/v1/campaigns/${id}`)).body.campaign).toMatchObject(change);
  const earlier = await gateway.get(`/backend/v1/campaigns/${id}?configAt=2026-03-01T00:00:00Z`);
  expect(earlier.body.campaign?.attacks).toHaveLength(1);
});

async function endpointNames(query: string): Promise<string[] | undefined> {
  const answer = await gateway.get(`/backend/v1/endpoints${query}`);
  expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/u);
  return answer.body.endpoints?.map((endpoint) => endpoint.name);
}

test('lists the endpoints, all or filtered, and says each time that this is deprecated', async () => {
  const { groups, chatbots } = seedIds;

  expect(await endpointNames('')).toEqual(['chat-web', 'chat-mobile', 'support-desk']);
  expect(await endpointNames(`?groupId=${groups.customerFacing}`)).toEqual(['chat-web', 'chat-mobile']);
  expect(await endpointNames(`?chatbotId=${chatbots.support}`)).toEqual(['support-desk']);
  expect(await endpointNames(`?groupId=${groups.customerFacing}&chatbotId=${chatbots.support}`)).toEqual([]);
  expect(await endpointNames('?groupId=unknown')).toEqual([]);
});
