import { describe, expect, test } from 'vitest';
import type { LateAnswer } from '../../peer/behaviour.ts';
import { minute, openPeer } from './open-peer.ts';

const unknownId = '0199c000-0000-7000-8000-999999999999';

test.each([
  [{}],
  [{ status: 'cancelled' }],
  [{ status: null }],
  [{ startAt: minute(1) }],
  [{ startAt: minute(1).replace('Z', '+00:00') }],
  [{ preserve: true }],
  [{ preserve: null }],
  [{ name: 'n' }],
  [{ name: 'n'.repeat(100) }],
  [{ name: null }],
  [{ name: 'tonight', preserve: true, startAt: minute(30) }],
])('a change to %j is taken', async (body) => {
  const { patch, scheduled } = await openPeer();

  const { status, body: answer } = await patch(scheduled(60), body);

  expect([status, answer]).toEqual([200, { message: 'Campaign run updated' }]);
});

test.each([
  [{ status: 'running' }, 'body.status'],
  [{ status: 'stopped' }, 'body.status'],
  [{ status: 'Cancelled' }, 'body.status'],
  [{ status: '' }, 'body.status'],
  [{ startAt: minute(0) }, 'body.startAt'],
  [{ startAt: minute(-1) }, 'body.startAt'],
  [{ startAt: '2027-01-01T00:00:00' }, 'body.startAt'],
  [{ startAt: '2027-01-01' }, 'body.startAt'],
  [{ startAt: '2027-13-01T00:00:00Z' }, 'body.startAt'],
  [{ startAt: 1_900_000_000 }, 'body.startAt'],
  [{ startAt: null }, 'body.startAt'],
  [{ preserve: 'true' }, 'body.preserve'],
  [{ preserve: 1 }, 'body.preserve'],
  [{ name: '' }, 'body.name'],
  [{ name: 'n'.repeat(101) }, 'body.name'],
  [{ name: 7 }, 'body.name'],
  [{ confirm: true }, 'body.confirm'],
  [{ status: 'running', startAt: minute(0) }, 'body.startAt body.status'],
  [[], 'body'],
  ['{', 'body'],
  [undefined, 'body'],
])('a change to %j is refused with 422 that names %s, and changes nothing', async (body, named) => {
  const { peer, patch, scheduled } = await openPeer();
  const run = scheduled(60);

  const answer = await patch(run, body);

  expect([answer.status, answer.named.join(' ')]).toEqual([422, named]);
  expect(answer.body.detail[0]).toEqual({ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) });
  expect(peer.effects().map(({ kind }) => kind)).toEqual(['scheduled']);
});

test('a field that the page does not have is passed over if the gateway ignores such', async () => {
  const { peer, patch, scheduled } = await openPeer({ unknownFields: 'ignore' });

  expect((await patch(scheduled(60), { confirm: true, name: 'n' })).status).toBe(200);
  expect(peer.effects('renamed')).toHaveLength(1);
});

test('an id that is no uuid is refused with 422, and one that is unknown with 404', async () => {
  const { send } = await openPeer();
  const statusOf = async (id: string) => (await send('PATCH', `/campaign-runs/${id}`, {})).status;

  expect((await send('PATCH', '/campaign-runs/nightly', {})).named).toEqual(['path.campaignRunId']);
  expect(await statusOf(unknownId)).toBe(404);
});

test('a name and preserve are kept, also of a run that is over', async () => {
  const { peer, patch, scheduled, moveTo } = await openPeer();
  const run = scheduled(1);
  moveTo(600);

  await patch(run, { name: 'last night', preserve: true });

  expect(peer.run(run.id)).toMatchObject({ name: 'last night', preserve: true, status: 'complete' });
});

const late: readonly (readonly [LateAnswer, number, string | null])[] = [
  [200, 200, null],
  [409, 409, null],
  ['names the field', 422, 'its field'],
  ['names no field', 422, 'body'],
];

describe.each(late)('a gateway that answers what is late by %s', (answer, status, named) => {
  test.each([
    ['in cancelling', 2],
    ['cancelled', 30],
  ])('answers so to the stop of a run that is %s, and changes nothing', async (_what, minutes) => {
    const { peer, patch, scheduled, moveTo } = await openPeer({ lateStop: answer, cancelMs: 10 * 60_000 });
    const run = scheduled(1);
    moveTo(2);
    await patch(run, { status: 'cancelled' });
    moveTo(minutes);
    const before = peer.effects().length;

    const stopped = await patch(run, { status: 'cancelled' });

    expect([stopped.status, stopped.named[0]]).toEqual([
      status,
      named === 'its field' ? 'body.status' : (named ?? undefined),
    ]);
    expect(peer.effects()).toHaveLength(before);
  });

  test('answers so to the stop of a run that ended by itself', async () => {
    const { peer, patch, scheduled, moveTo } = await openPeer({ lateStop: answer });
    const run = scheduled(1);
    moveTo(120);

    expect((await patch(run, { status: 'cancelled' })).status).toBe(status);
    expect(peer.run(run.id).status).toBe('complete');
  });

  test.each([
    ['has begun', 2, 'in_progress'],
    ['is over', 120, 'complete'],
  ] as const)('answers so to a startAt for a run that %s, which goes on as it was', async (_what, minutes, state) => {
    const { peer, patch, scheduled, moveTo } = await openPeer({ lateStart: answer });
    const run = scheduled(1);
    moveTo(minutes);

    const moved = await patch(run, { startAt: minute(200), name: 'later' });
    const after = peer.run(run.id).status;
    moveTo(300);

    expect([moved.status, moved.named[0]]).toEqual([
      status,
      named === 'its field' ? 'body.startAt' : (named ?? undefined),
    ]);
    expect(after).toBe(state);
    expect(peer.effects('began')).toHaveLength(1);
    // Refused whole, or taken without the time.
    expect(peer.effects('renamed')).toHaveLength(status === 200 ? 1 : 0);
  });
});

test('a clock that is ahead shows in its Date, and judges what is in the future', async () => {
  const { peer, patch, scheduled } = await openPeer({ aheadMs: 90_000 });
  const run = scheduled(60);

  const early = await patch(run, { startAt: minute(1) });
  const taken = await patch(run, { startAt: minute(2) });

  expect([early.status, early.named]).toEqual([422, ['body.startAt']]);
  expect(new Date(early.headers.get('date') ?? '').toISOString()).toBe(minute(1.5));
  expect(taken.status).toBe(200);
  expect(peer.effects('moved').map(({ at, to }) => [at.toISOString(), to.toISOString()])).toEqual([
    [minute(1.5), minute(2)],
  ]);
});
