import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import type { CampaignResource } from '#gateway/model/resources.ts';
import type { GatewayOptions } from '#gateway/server.ts';
import { complaints, runningGateway } from './running-gateway.ts';
import type { LoggedRun, TestGateway } from './running-gateway.ts';

const id = seedIds.campaignRuns.nightly[0];
const path = `/backend/v1/campaign-runs/${id}`;
let gateway: TestGateway;
beforeEach(async () => void (gateway = await runningGateway()));
afterEach(() => gateway.close());

async function restart(options: Partial<GatewayOptions>): Promise<void> {
  await gateway.close();
  gateway = await runningGateway(options);
}

async function runOf(wanted: string): Promise<LoggedRun | undefined> {
  const { body } = await gateway.get('/_control/campaign-runs');
  return body.campaignRuns?.find((run) => run.id === wanted);
}

async function campaign(): Promise<CampaignResource | undefined> {
  return (await gateway.get(`/backend/v1/campaigns/${seedIds.campaigns.chatBotNightly}`)).body.campaign;
}

test('changes what is sent, leaves the rest, and answers a message', async () => {
  const change = { name: 'tonight', preserve: 'true', startAt: '2026-03-02T22:15:00Z', status: 'running' };

  const answer = await gateway.send('PATCH', path, change);
  await gateway.send('PATCH', path, { status: 'stopped' });

  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ message: 'Campaign run updated' });
  expect(await runOf(id)).toMatchObject({ ...change, status: 'stopped', campaignId: seedIds.campaigns.chatBotNightly });
});

test('keeps a log of transitions with what was sent, by whom and in which request', async () => {
  await restart({ now: () => new Date('2026-03-02T22:00:00Z') });

  await gateway.send('PATCH', path, { status: 'running' }, { 'x-request-id': 'first' });
  await gateway.send('PATCH', path, { name: 'same status' }, { 'x-request-id': 'second' });
  await gateway.send('PUT', `/_control/campaign-runs/${id}`, { status: 'stopped' }, { 'x-request-id': 'third' });

  const at = '2026-03-02T22:00:00.000Z';
  expect((await runOf(id))?.transitions).toEqual([
    { at, requestId: 'first', by: 'api', from: 'pending', to: 'running', body: { status: 'running' } },
    { at, requestId: 'second', by: 'api', from: 'running', to: 'running', body: { name: 'same status' } },
    { at, requestId: 'third', by: 'control', from: 'running', to: 'stopped', body: { status: 'stopped' } },
  ]);
});

test('counts a start once at the campaign, however often it is repeated', async () => {
  await restart({ now: () => new Date('2026-03-02T22:00:00Z') });

  await gateway.send('PATCH', path, { status: 'running' });
  await gateway.send('PATCH', path, { status: 'running' });
  await gateway.send('PATCH', path, { status: 'stopped' });

  expect(await campaign()).toMatchObject({ runCount: 42, lastRun: id, lastRunAt: '2026-03-02T22:00:00.000Z' });
});

test('takes preserve as a string only if it is strict, as the interface shows it', async () => {
  await restart({ strict: true });

  const text = await gateway.send('PATCH', path, { preserve: 'true' });
  const flag = await gateway.send('PATCH', path, { preserve: true });

  expect(text.status).toBe(200);
  expect(flag.status).toBe(422);
  expect(complaints(flag)).toEqual(['body.preserve']);
});

test('keeps preserve as it was sent, string or boolean', async () => {
  await gateway.send('PATCH', path, { preserve: true });
  expect((await runOf(id))?.preserve).toBe(true);

  await gateway.send('PATCH', path, { preserve: 'until-review' });
  expect((await runOf(id))?.preserve).toBe('until-review');
});

test.each<[unknown, string[]]>([
  [{}, ['body']],
  [[], ['body']],
  ['"text"', ['body']],
  ['null', ['body']],
  [{ status: '' }, ['body.status']],
  [{ status: 7 }, ['body.status']],
  [{ status: null }, ['body.status']],
  [{ startAt: 'tonight' }, ['body.startAt']],
  [{ startAt: '2026-03-02T22:00:00' }, ['body.startAt']],
  [{ preserve: 1 }, ['body.preserve']],
  [{ status: 'running', startsAt: '2026-03-02T22:00:00Z' }, ['body.startsAt']],
  [{ name: 1, status: 2 }, ['body.name', 'body.status']],
])('refuses the body %j with 422, naming the field, and changes nothing', async (body, places) => {
  const answer = await gateway.send('PATCH', path, body);

  expect(answer.status).toBe(422);
  expect(complaints(answer)).toEqual(places);
  expect(await runOf(id)).toMatchObject({ status: 'pending', transitions: [] });
});

function startOf(run: string) {
  return gateway.send('PATCH', `/backend/v1/campaign-runs/${run}`, { status: 'running' });
}

test('tells an unknown run from an id that is none, and takes a uuid in any case', async () => {
  expect((await startOf('00000000-0000-4000-8000-000000000000')).status).toBe(404);
  expect(complaints(await startOf('nightly'))).toEqual(['path.campaignRunId']);
  expect((await startOf(id.toUpperCase())).status).toBe(200);
});

test('takes any status word, unless it was told a list', async () => {
  expect((await gateway.send('PATCH', path, { status: 'levitating' })).status).toBe(200);

  await restart({ runs: { statuses: ['running', 'stopped'] } });
  const refused = await gateway.send('PATCH', path, { status: 'levitating' });

  expect(refused.status).toBe(422);
  expect(refused.body.detail?.[0]).toMatchObject({
    loc: ['body', 'status'],
    msg: 'must be one of: running, stopped',
  });
  expect((await gateway.send('PATCH', path, { status: 'running' })).status).toBe(200);
});

test('lets a finished run start again, unless it was told not to', async () => {
  await gateway.send('PATCH', path, { status: 'complete' });
  expect((await gateway.send('PATCH', path, { status: 'running' })).status).toBe(200);

  await restart({ runs: { allowRestart: false } });
  await gateway.send('PATCH', path, { status: 'complete' });
  const refused = await gateway.send('PATCH', path, { status: 'running' });

  expect(refused.status).toBe(409);
  expect(refused.body).toEqual({ detail: 'the campaign run is already complete and cannot start again' });
  expect((await runOf(id))?.transitions).toHaveLength(1);
});

test('makes a new run by hand, of a named campaign', async () => {
  const fresh = '00000000-0000-4000-8000-00000000beef';
  const nameless = await gateway.send('PUT', `/_control/campaign-runs/${fresh}`, { name: 'mine' });
  const campaignId = seedIds.campaigns.chatBotNightly;
  await gateway.send('PUT', `/_control/campaign-runs/${fresh}`, { name: 'mine', campaignId });

  expect(complaints(nameless)).toEqual(['body.campaignId']);
  expect((await gateway.send('PATCH', `/backend/v1/campaign-runs/${fresh}`, { status: 'running' })).status).toBe(200);
  expect(await runOf(fresh)).toMatchObject({ name: 'mine', status: 'running', campaignId });
});

test('seeds enough runs that wait for their start', async () => {
  const { body } = await gateway.get('/_control/campaign-runs');
  const waiting = (campaignId: string) =>
    body.campaignRuns?.filter((run) => run.campaignId === campaignId && run.status === 'pending').length;

  expect(waiting(seedIds.campaigns.chatBotNightly)).toBeGreaterThanOrEqual(12);
  expect(waiting(seedIds.campaigns.chatBotSmoke)).toBe(3);
});
