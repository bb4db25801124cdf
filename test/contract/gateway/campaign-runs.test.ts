import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { profileNames } from '#gateway/model/profile.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { complaints, runningGateway, runOf } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

const id = seedIds.campaignRuns.nightly[0];
const path = `/backend/v1/campaign-runs/${id}`;
const campaignId = seedIds.campaigns.chatBotNightly;
const at = '2026-03-02T12:00:00.000Z';
const now = () => new Date(at);
let gateway: TestGateway;
afterEach(() => gateway.close());

const cancel = (run: string) => gateway.send('PATCH', `/backend/v1/campaign-runs/${run}`, { status: 'cancelled' });

describe.each(profileNames)('profile %s', (profile) => {
  beforeEach(async () => void (gateway = await runningGateway({ profile, now })));

  test('changes what is sent, leaves the rest, and answers a message', async () => {
    const change = { name: 'tonight', preserve: true, startAt: '2026-03-02T22:15:00Z' };

    const answer = await gateway.send('PATCH', path, change);
    await gateway.send('PATCH', path, { status: 'cancelled' });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ message: 'Campaign run updated' });
    expect(await runOf(gateway, id)).toMatchObject({ ...change, status: 'cancelled', campaignId });
  });

  test('keeps a log of transitions with what was sent, by whom and in which request', async () => {
    await gateway.send('PATCH', path, { name: 'same status' }, { 'x-request-id': 'first' });
    await gateway.send('PATCH', path, { status: 'cancelled' }, { 'x-request-id': 'second' });
    await gateway.send('PUT', `/_control/campaign-runs/${id}`, { status: 'error' }, { 'x-request-id': 'third' });

    expect((await runOf(gateway, id))?.transitions).toEqual([
      { at, requestId: 'first', by: 'api', from: 'scheduled', to: 'scheduled', body: { name: 'same status' } },
      { at, requestId: 'second', by: 'api', from: 'scheduled', to: 'cancelled', body: { status: 'cancelled' } },
      { at, requestId: 'third', by: 'control', from: 'cancelled', to: 'error', body: { status: 'error' } },
    ]);
  });

  test.each<[unknown, string[]]>([
    [{}, ['body']],
    [[], ['body']],
    ['null', ['body']],
    [{ name: 1, status: 2 }, ['body.name', 'body.status']],
  ])('refuses the body %j with 422, naming the field, and changes nothing', async (body, places) => {
    const answer = await gateway.send('PATCH', path, body);

    expect(answer.status).toBe(422);
    expect(complaints(answer)).toEqual(places);
    expect(await runOf(gateway, id)).toMatchObject({ status: 'scheduled', transitions: [] });
  });

  test('tells an unknown run from an id that is none, and takes a uuid in any case', async () => {
    expect((await cancel('00000000-0000-4000-8000-000000000000')).status).toBe(404);
    expect(complaints(await cancel('nightly'))).toEqual(['path.campaignRunId']);
    expect((await cancel(id.toUpperCase())).status).toBe(200);
  });

  test('makes a new run by hand, of a named campaign', async () => {
    const fresh = '00000000-0000-4000-8000-00000000beef';
    const run = { name: 'mine', startAt: '2026-03-09T22:00:00Z' };

    const nameless = await gateway.send('PUT', `/_control/campaign-runs/${fresh}`, run);
    await gateway.send('PUT', `/_control/campaign-runs/${fresh}`, { ...run, campaignId });

    expect(complaints(nameless)).toEqual(['body.campaignId']);
    expect(await runOf(gateway, fresh)).toMatchObject({ ...run, status: 'scheduled', campaignId });
  });

  test('seeds forty runs of each campaign of the example, scheduled far ahead', async () => {
    const { campaignRuns = [] } = (await gateway.get('/_control/campaign-runs')).body;

    for (const wanted of [campaignId, seedIds.campaigns.chatBotSmoke]) {
      const runs = campaignRuns.filter((run) => run.campaignId === wanted);
      expect(runs).toHaveLength(40);
      expect(new Set(runs.map((run) => run.startAt)).size).toBe(40);
      for (const run of runs)
        expect(run).toMatchObject({ status: 'scheduled', startAt: expect.stringMatching(/^2099-/) });
    }
  });
});

describe('profile interface', () => {
  beforeEach(async () => void (gateway = await runningGateway({ profile: 'interface', now })));

  test('keeps any status word, and preserve as it was sent', async () => {
    await gateway.send('PATCH', path, { status: 'levitating', preserve: 'until-review' });

    expect(await runOf(gateway, id)).toMatchObject({ status: 'levitating', preserve: 'until-review' });
  });

  test('counts a start once at the campaign, however often it is repeated', async () => {
    await gateway.send('PATCH', path, { status: 'running' });
    await gateway.send('PATCH', path, { status: 'running' });
    await gateway.send('PATCH', path, { status: 'stopped' });

    const { campaign } = (await gateway.get(`/backend/v1/campaigns/${campaignId}`)).body;
    expect(campaign).toMatchObject({ runCount: 42, lastRun: id, lastRunAt: at });
  });

  test('lets a finished run start again', async () => {
    await gateway.send('PATCH', path, { status: 'complete' });

    expect((await gateway.send('PATCH', path, { status: 'running' })).status).toBe(200);
    expect(await runOf(gateway, id)).toMatchObject({ status: 'running' });
  });

  test('begins no run by itself', async () => {
    await gateway.close();
    gateway = await runningGateway({ profile: 'interface', now: () => new Date('2100-01-01T00:00:00Z') });

    expect(await runOf(gateway, id)).toMatchObject({ status: 'scheduled', transitions: [] });
  });
});
