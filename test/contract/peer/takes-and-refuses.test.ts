/** What happens at the strict peer, and which forms it takes; what it takes as JSON: test/contract/gateway/openapi.test.ts. */
import { expect, onTestFinished, test } from 'vitest';
import type { Behaviour } from '../../peer/behaviour.ts';
import { peerToken, startPeer } from '../../peer/peer.ts';
import { peerIds } from '../../peer/seed.ts';
import type { PeerRun } from '../../peer/state.ts';

const begin = Date.parse('2026-12-01T12:00:00Z');
/** A time so many minutes after the begin of a test. */
const minute = (minutes: number) => new Date(begin + minutes * 60_000).toISOString();

/** A peer with a clock that the test moves, and a client. */
async function openPeer(behaviour: Partial<Behaviour> = {}) {
  let now = new Date(begin);
  const peer = await startPeer({ now: () => now, behaviour });
  onTestFinished(() => peer.close());

  async function send(method: string, path: string, body?: unknown) {
    const isForm = body instanceof FormData;
    const response = await fetch(`${peer.url}/backend/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${peerToken}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined || isForm || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const answer = await response.json();
    const detail: { loc: string[] }[] = Array.isArray(answer.detail) ? answer.detail : [];
    /** The fields that a 422 names, such as `body.startAt`. */
    const named = detail.map(({ loc }) => loc.join('.')).join(' ');
    return { status: response.status, date: response.headers.get('date') ?? '', answer, named };
  }

  return {
    peer,
    send,
    patch: (run: PeerRun, body: unknown) => send('PATCH', `/campaign-runs/${run.id}`, body),
    moveTo: (minutes: number) => void (now = new Date(minute(minutes))),
    scheduled: (minutes: number) =>
      peer.addRun({ campaignId: peerIds.campaigns.nightly, startAt: new Date(minute(minutes)), name: 'nightly' }),
  };
}

test('an id that is no uuid is refused with 422, and one that is unknown with 404', async () => {
  const { send } = await openPeer();

  expect(await send('PATCH', '/campaign-runs/nightly', {})).toMatchObject({ status: 422, named: 'path.campaignRunId' });
  expect((await send('PATCH', '/campaign-runs/0199c000-0000-7000-8000-999999999999', {})).status).toBe(404);
});

test.each([
  [200, 200, ''],
  [409, 409, ''],
  ['names the field', 422, 'body.status'],
  ['names no field', 422, 'body'],
] as const)('a stop of a run that is over is answered %s, and changes nothing', async (lateStop, status, named) => {
  const { peer, patch, scheduled, moveTo } = await openPeer({ lateStop });
  const run = scheduled(1);
  moveTo(120);

  expect(await patch(run, { status: 'cancelled' })).toMatchObject({ status, named });
  expect(peer.effects().map(({ kind }) => kind)).toEqual(['scheduled', 'began', 'ended']);
});

test('a run begins once, at the last time that it was moved to, and ends at its length', async () => {
  const { peer, patch, scheduled, moveTo } = await openPeer({ lengthMsOf: () => 30 * 60_000 });
  const [first, second] = [scheduled(100_000), scheduled(5)] as const;
  await patch(second, { startAt: minute(30) });
  await patch(second, { startAt: minute(40) });
  await patch(first, { startAt: minute(20) });
  moveTo(45);

  await patch(second, { startAt: minute(200) });
  moveTo(5_000);

  expect(
    peer.effects().flatMap(({ kind, id, at }) => (/began|ended/.test(kind) ? [[kind, id, at.toISOString()]] : [])),
  ).toEqual([
    ['began', first.id, minute(20)],
    ['began', second.id, minute(40)],
    ['ended', first.id, minute(50)],
    ['ended', second.id, minute(70)],
  ]);
});

test('a cancelled run never begins; one in progress is cancelling first, and cancelled a while later', async () => {
  const { peer, patch, scheduled, moveTo } = await openPeer();
  const [early, late] = [scheduled(10), scheduled(30)] as const;
  await patch(late, { status: 'cancelled' });
  moveTo(20);

  await patch(early, { status: 'cancelled' });
  const at20 = peer.run(early.id).status;
  moveTo(600);

  expect([at20, peer.run(early.id).status, peer.run(late.id).status]).toEqual(['cancelling', 'cancelled', 'cancelled']);
  expect(peer.effects('began').map(({ id }) => id)).toEqual([early.id]);
});

test('its campaign names the last run that began, and may do so late', async () => {
  const { send, scheduled, moveTo } = await openPeer({ lastRunLateMs: 5 * 60_000 });
  const run = scheduled(10);
  const lastRun = async (at: number) => {
    moveTo(at);
    return (await send('GET', `/campaigns/${peerIds.campaigns.nightly}`)).answer.campaign;
  };

  expect(await lastRun(14)).toMatchObject({ lastRun: null, lastRunAt: null });
  expect(await lastRun(15)).toMatchObject({ lastRun: run.id, lastRunAt: minute(10) });
});

test('a clock that is ahead shows in its Date, and judges what is in the future', async () => {
  const { patch, scheduled } = await openPeer({ aheadMs: 90_000 });
  const run = scheduled(60);

  const early = await patch(run, { startAt: minute(1) });

  expect(early).toMatchObject({ status: 422, named: 'body.startAt' });
  expect(new Date(early.date).toISOString()).toBe(minute(1.5));
  expect((await patch(run, { startAt: minute(2) })).status).toBe(200);
});

const fileId = '0199c000-0000-7000-8000-000000000901';

const bytes = Buffer.from('prompt,label\r\n"\u00e9",true\r\n\u0000\u00ff', 'latin1');
const good: readonly (readonly [string, string | Blob])[] = [
  ['file', new Blob([bytes], { type: 'text/csv' })],
  ['name', 'private'],
];

function formOf(parts: typeof good): FormData {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, 'private.csv');
  }
  return form;
}

test.each([[[]], [['2026-02']], [['2026-01', '2026-02']]])(
  'multipart with the versions %j is made, with the bytes that were sent',
  async (versions) => {
    const { peer, send } = await openPeer();
    const parts = versions.map((version) => ['scannerVersions', version] as const);

    const { answer } = await send('POST', '/datasets', formOf([...good, ...parts]));

    const dataset = peer.state.datasets.get(answer.id);
    expect(dataset?.scannerVersions ?? []).toEqual(versions);
    expect(dataset?.file).toEqual({ name: 'private.csv', type: 'text/csv', bytes });
  },
);

test.each<[string, typeof good, string]>([
  ['no file', good.slice(1), 'body.file'],
  ['a text as the file', [...good, ['file', 'prompt,label']], 'body.file'],
  ['no name', good.slice(0, 1), 'body.name'],
  ['a fileId', [...good, ['fileId', fileId]], 'body.fileId'],
  ['an empty scannerId', [...good, ['scannerId', '']], 'body.scannerId'],
  ['versions in one text', [...good, ['scannerVersions', 'a,b']], 'body.scannerVersions.0'],
])('multipart with %s is refused with 422', async (_what, parts, named) => {
  const { peer, send } = await openPeer();

  expect(await send('POST', '/datasets', formOf(parts))).toMatchObject({ status: 422, named });
  expect(peer.effects()).toEqual([]);
});
