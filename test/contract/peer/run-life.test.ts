import { expect, test } from 'vitest';
import type { RunStatus } from '../../peer/state.ts';
import { peerIds } from '../../peer/seed.ts';
import { minute, openPeer } from './open-peer.ts';

const campaignPath = `/campaigns/${peerIds.campaigns.nightly}`;

test('a run begins once, at its startAt, and ends by itself after its length', async () => {
  const { peer, scheduled, moveTo } = await openPeer({ courseOf: () => ({ lengthMs: 30 * 60_000 }) });
  const run = scheduled(10);
  const seen: RunStatus[] = [];
  for (const at of [9, 10, 39, 40, 5_000]) {
    moveTo(at);
    seen.push(peer.run(run.id).status);
  }

  expect(seen).toEqual(['scheduled', 'in_progress', 'in_progress', 'complete', 'complete']);
  expect(peer.effects().map(({ kind, at }) => [kind, at.toISOString()])).toEqual([
    ['scheduled', minute(0)],
    ['began', minute(10)],
    ['ended', minute(40)],
  ]);
});

test('what happened between two looks is logged in its order, with its own times', async () => {
  const { peer, scheduled, moveTo } = await openPeer();
  const second = scheduled(30);
  const first = scheduled(10);
  moveTo(500);

  peer.tick();

  expect(peer.state.effects.slice(2).map(({ id, kind, at }) => [id, kind, at.toISOString()])).toEqual([
    [first.id, 'began', minute(10)],
    [second.id, 'began', minute(30)],
    [first.id, 'ended', minute(55)],
    [second.id, 'ended', minute(75)],
  ]);
});

test('a moved run begins at its new time, earlier or later, and only then', async () => {
  const { peer, patch, scheduled, moveTo } = await openPeer();
  const [earlier, later] = [scheduled(100_000), scheduled(5)] as const;

  await patch(earlier, { startAt: minute(20) });
  await patch(later, { startAt: minute(30) });
  await patch(later, { startAt: minute(40) });
  moveTo(200_000);

  expect(peer.effects('began').map(({ id, at }) => [id, at.toISOString()])).toEqual([
    [earlier.id, minute(20)],
    [later.id, minute(40)],
  ]);
  expect(peer.effects('moved')).toHaveLength(3);
});

test('a cancelled run that was scheduled never begins', async () => {
  const { peer, patch, scheduled, moveTo } = await openPeer();
  const run = scheduled(10);

  await patch(run, { status: 'cancelled' });
  await patch(run, { startAt: minute(20) });
  moveTo(600);

  expect(peer.run(run.id).status).toBe('cancelled');
  expect(peer.effects().map(({ kind }) => kind)).toEqual(['scheduled', 'cancelled']);
});

test('a run in progress that is cancelled is cancelling first, and cancelled a while later', async () => {
  const { peer, patch, scheduled, moveTo } = await openPeer({ cancelMs: 60_000 });
  const run = scheduled(10);
  moveTo(20);

  await patch(run, { status: 'cancelled' });
  const at20 = peer.run(run.id).status;
  moveTo(21);

  expect([at20, peer.run(run.id).status]).toEqual(['cancelling', 'cancelled']);
  expect(peer.effects('cancelled')).toMatchObject([{ was: 'in_progress', at: new Date(minute(20)) }]);
  expect(peer.effects('ended')).toMatchObject([{ status: 'cancelled', at: new Date(minute(21)) }]);
});

test('a person at the console of the gateway can cancel a run', async () => {
  const { peer, scheduled } = await openPeer();
  const run = scheduled(10);

  peer.cancelRun(run.id);

  expect(peer.run(run.id).status).toBe('cancelled');
});

test.each([
  ['complete', ['began', 'ended']],
  ['error', ['began', 'ended']],
  ['schedule_error', ['ended']],
] as const)('a run can end as %s', async (ending, kinds) => {
  const { peer, scheduled, moveTo } = await openPeer({ courseOf: () => ({ ending }) });
  const run = scheduled(10);
  moveTo(600);

  expect(peer.run(run.id).status).toBe(ending);
  expect(peer.effects().map(({ kind }) => kind)).toEqual(['scheduled', ...kinds]);
});

test('its campaign names the last run that began, and when', async () => {
  const { send, scheduled, moveTo } = await openPeer();
  const [, last] = [scheduled(10), scheduled(20), scheduled(900)];
  const before = (await send('GET', campaignPath)).body.campaign;
  moveTo(500);

  expect(before).toMatchObject({ lastRun: null, lastRunAt: null });
  expect((await send('GET', campaignPath)).body.campaign).toMatchObject({ lastRun: last?.id, lastRunAt: minute(20) });
});

test('its campaign may name the last run late', async () => {
  const { send, scheduled, moveTo } = await openPeer({ lastRunLateMs: 5 * 60_000 });
  const run = scheduled(10);
  const lastRun = async (at: number) => {
    moveTo(at);
    return (await send('GET', campaignPath)).body.campaign.lastRun;
  };

  expect([await lastRun(14), await lastRun(15)]).toEqual([null, run.id]);
});
