import { expect, test } from 'vitest';
import { peerIds } from '../../peer/seed.ts';
import { minute, openPeer } from './open-peer.ts';

const schedule = {
  name: 'nightly 1',
  startAt: minute(1_000),
  campaignId: peerIds.campaigns.nightly,
  providerIds: [peerIds.providers.first],
  frequency: 'days',
  interval: 1,
  count: 1,
};
const runNow = { name: 'now', campaignId: peerIds.campaigns.smoke, providerIds: [peerIds.providers.first] };
const dayMinutes = 24 * 60;

test('a schedule makes a scheduled run, which begins at its time', async () => {
  const { peer, send, moveTo } = await openPeer();

  const { status, body } = await send('POST', '/campaign-schedules', schedule);

  expect([status, Object.keys(body)]).toEqual([200, ['id', 'campaignRunId']]);
  expect(peer.run(body.campaignRunId)).toMatchObject({ status: 'scheduled', scheduleId: body.id, name: 'nightly 1' });
  moveTo(10 * dayMinutes);
  expect(peer.effects('began')).toMatchObject([{ id: body.campaignRunId, at: new Date(minute(1_000)) }]);
});

test.each([
  [{ count: 3 }, 3],
  [{ count: undefined }, 4],
  [{ count: undefined, endAt: minute(1_000 + dayMinutes) }, 2],
  [{ count: 3, frequency: 'weeks', interval: 2 }, 2],
])('a schedule with %j has begun %i runs after three weeks', async (changed, count) => {
  const { peer, send, moveTo } = await openPeer();

  await send('POST', '/campaign-schedules', { ...schedule, ...changed });
  moveTo(21 * dayMinutes);

  expect(peer.effects('began')).toHaveLength(count);
});

test.each([
  [{ name: undefined }, 'body.name'],
  [{ name: '' }, 'body.name'],
  [{ startAt: undefined }, 'body.startAt'],
  [{ startAt: minute(-1) }, 'body.startAt'],
  [{ campaignId: 'nightly' }, 'body.campaignId'],
  [{ providerIds: [] }, 'body.providerIds'],
  [{ providerIds: ['first'] }, 'body.providerIds.0'],
  [{ providerIds: Array.from({ length: 6 }, () => peerIds.providers.first) }, 'body.providerIds'],
  [{ frequency: 'months' }, 'body.frequency'],
  [{ interval: 0 }, 'body.interval'],
  [{ interval: 1.5 }, 'body.interval'],
  [{ interval: '1' }, 'body.interval'],
  [{ count: 0 }, 'body.count'],
  [{ endAt: minute(9_000) }, 'body.endAt'],
  [{ timezone: 'UTC' }, 'body.timezone'],
])('a schedule with %j is refused with 422 that names %s', async (changed, named) => {
  const { peer, send } = await openPeer();

  const answer = await send('POST', '/campaign-schedules', { ...schedule, ...changed });

  expect([answer.status, answer.named]).toEqual([422, [named]]);
  expect(peer.effects()).toEqual([]);
});

test.each(['/campaign-schedules', '/campaign-runs'])('POST %s of an unknown campaign is 404', async (path) => {
  const { send } = await openPeer();
  const body = { ...(path === '/campaign-runs' ? runNow : schedule), campaignId: peerIds.projects.chat };

  expect((await send('POST', path, body)).status).toBe(404);
});

test('a run that is made without a schedule begins at once', async () => {
  const { peer, send } = await openPeer();

  const { status, body } = await send('POST', '/campaign-runs', runNow);

  expect(status).toBe(200);
  expect(peer.effects('began')).toMatchObject([{ id: body.id, at: new Date(minute(0)) }]);
  expect((await send('POST', '/campaign-runs', { ...runNow, startAt: minute(1) })).named).toEqual(['body.startAt']);
});

const broken = { providerName: 'First', errorCount: 12, totalPrompts: 40, providerFailed: true };

test('a run is read with its progress, its score and the errors of its providers', async () => {
  const { send, scheduled, moveTo } = await openPeer({
    courseOf: () => ({ lengthMs: 40 * 60_000, total: 400, score: 87.5, providerErrors: { one: broken } }),
  });
  const run = scheduled(10);
  const read = async (at: number) => {
    moveTo(at);
    return (await send('GET', `/campaign-runs/${run.id}`)).body.campaignRun;
  };

  expect(await read(5)).toMatchObject({ status: 'scheduled', progress: 0, total: null, providerErrors: {} });
  expect(await read(20)).toMatchObject({ status: 'in_progress', progress: 100, total: 400, CASIScore: null });
  expect(await read(60)).toEqual({
    id: run.id,
    campaignId: peerIds.campaigns.nightly,
    name: 'nightly',
    status: 'complete',
    startAt: minute(10),
    createdAt: minute(0),
    createdBy: 'peer',
    attackRuns: [],
    preserve: false,
    purged: false,
    progress: 400,
    total: 400,
    CASIScore: 87.5,
    scheduleId: null,
    remediation: { available: false, id: null },
    providerErrors: { one: broken },
  });
});

test('a cancelled run keeps the progress that it had', async () => {
  const { send, patch, scheduled, moveTo } = await openPeer({
    courseOf: () => ({ lengthMs: 40 * 60_000, total: 400 }),
  });
  const run = scheduled(10);
  moveTo(20);
  await patch(run, { status: 'cancelled' });
  moveTo(900);

  const { campaignRun } = (await send('GET', `/campaign-runs/${run.id}`)).body;

  expect(campaignRun).toMatchObject({ status: 'cancelled', progress: 100, CASIScore: null });
});

test('a read of a run has no more than the run, unless more is asked for', async () => {
  const { send } = await openPeer();
  const { body } = await send('POST', '/campaign-schedules', schedule);
  const path = `/campaign-runs/${body.campaignRunId}`;
  const query = 'includeResults=true&includeProviders=true&includeSchedule=true&includeCampaign=true';

  expect((await send('GET', path)).body).toMatchObject({ providers: {}, campaign: null, schedule: null });
  expect((await send('GET', `${path}?${query}`)).body).toMatchObject({
    providers: { [peerIds.providers.first]: {} },
    campaign: { id: peerIds.campaigns.nightly },
    schedule: { id: body.id },
  });
});

test.each([
  ['/campaign-runs/nightly', 422, ['path.campaignRunId']],
  [`/campaign-runs/${peerIds.projects.chat}`, 404, []],
  [`/campaign-runs/${peerIds.projects.chat}?includeResults=much`, 422, ['query.includeResults']],
  ['/campaign-runs?status=running', 422, ['query.status.0']],
  ['/campaign-runs?before=today', 422, ['query.before']],
  ['/campaign-runs?campaignScheduleId=one', 422, ['query.campaignScheduleId']],
  ['/campaign-runs?cursor=one', 422, ['query.cursor']],
  ['/campaign-runs?page=2', 422, ['query.page']],
])('GET %s is refused with %i', async (path, status, named) => {
  const { send } = await openPeer();
  const answer = await send('GET', path);

  expect([answer.status, answer.named]).toEqual([status, named]);
});

test.each([
  ['', ['late', 'soon', 'over']],
  ['?limit=2', ['late', 'soon']],
  ['?status=scheduled', ['late', 'soon']],
  ['?status=complete&status=error', ['over']],
  ['?name=oo', ['soon']],
  [`?after=${minute(100)}`, ['late', 'soon']],
  [`?after=${minute(100)}&before=${minute(300)}`, ['soon']],
])('the list of runs by "%s" has %j', async (query, names) => {
  const { peer, send, moveTo } = await openPeer();
  for (const [name, at] of [
    ['over', 1],
    ['soon', 200],
    ['late', 400],
  ] as const) {
    peer.addRun({ campaignId: peerIds.campaigns.nightly, startAt: new Date(minute(at)), name });
  }
  moveTo(100);

  const { status, body } = await send('GET', `/campaign-runs${query}`);

  expect(status).toBe(200);
  expect(body.campaignRuns.map((run: { name: string }) => run.name)).toEqual(names);
});

test.each([404, 405] as const)('a gateway may be without the reading of runs: %i', async (answer) => {
  const { send, patch, scheduled } = await openPeer({ readsRuns: answer });
  const run = scheduled(10);

  expect((await send('GET', `/campaign-runs/${run.id}`)).status).toBe(answer);
  expect((await send('GET', '/campaign-runs')).status).toBe(answer);
  expect((await patch(run, { name: 'n' })).status).toBe(200);
});
