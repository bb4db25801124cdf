import { expect, test } from 'vitest';
import type { Fault } from '../../peer/behaviour.ts';
import { startPeer } from '../../peer/peer.ts';
import { openPeer } from './open-peer.ts';

const cancelled = { status: 'cancelled' };

test.each([
  ['no token', 401, undefined],
  ['another token', 401, 'Bearer other'],
  ['another scheme', 401, 'Basic a-token-of-the-peer'],
  ['the token', 200, 'Bearer a-token-of-the-peer'],
])('a request with %s is answered %i', async (_what, status, authorization) => {
  const { peer } = await openPeer();

  const response = await fetch(`${peer.url}/backend/v1/endpoints`, {
    headers: authorization === undefined ? {} : { authorization },
  });

  expect(response.status).toBe(status);
});

test('a test can change the tokens, and no token is kept in the log', async () => {
  const { peer, send } = await openPeer();
  peer.setTokens(['another']);

  expect((await send('GET', '/endpoints')).status).toBe(401);
  expect(JSON.stringify(peer.requests)).not.toContain('a-token-of-the-peer');
});

test('an unauthorized request is refused before its id and body are read, and changes nothing', async () => {
  const { peer, patch, scheduled } = await openPeer();
  const run = scheduled(10);
  peer.setTokens([]);

  expect((await patch(run, { status: 'running' })).status).toBe(401);
  expect((await patch(run, cancelled)).status).toBe(401);
  expect(peer.run(run.id).status).toBe('scheduled');
});

const faults: readonly (readonly [string, Fault, number | 'broken', boolean])[] = [
  ['a reset before it is applied', { kind: 'reset' }, 'broken', false],
  ['an answer that is lost', { kind: 'lose-answer' }, 'broken', true],
  ['another answer', { kind: 'answer', status: 503, headers: { 'retry-after': '7' } }, 503, false],
  ['another answer after it was applied', { kind: 'answer', status: 504, applies: true }, 504, true],
  ['a delay before', { kind: 'delay', until: Promise.resolve(), place: 'before' }, 200, true],
  ['a delay behind', { kind: 'delay', until: Promise.resolve(), place: 'after' }, 200, true],
];

test.each(faults)('a request can meet %s', async (_what, fault, answer, wasApplied) => {
  const { peer, patch, scheduled } = await openPeer({
    faultOf: ({ method }) => (method === 'PATCH' ? fault : undefined),
  });
  const run = scheduled(10);

  const got = await patch(run, cancelled).then(
    ({ status }) => status,
    () => 'broken',
  );

  expect(got).toBe(answer);
  expect(peer.run(run.id).status).toBe(wasApplied ? 'cancelled' : 'scheduled');
  expect(peer.requests).toMatchObject([{ method: 'PATCH', path: `/backend/v1/campaign-runs/${run.id}`, wasApplied }]);
  expect(peer.requests[0]?.answer?.status).toBe(answer === 'broken' ? undefined : answer);
});

test.each(['before', 'after'] as const)(
  'a request that is held %s it is applied shows that to the test',
  async (place) => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const { peer, patch, scheduled } = await openPeer({
      faultOf: () => {
        arrive();
        return { kind: 'delay', until, place };
      },
    });
    const run = scheduled(10);

    const answer = patch(run, cancelled);
    await arrived;
    await new Promise(setImmediate);
    const held = peer.run(run.id).status;
    resolve();

    expect(held).toBe(place === 'before' ? 'scheduled' : 'cancelled');
    expect((await answer).status).toBe(200);
  },
);

test('the log has each request with its body and its answer, in order', async () => {
  const { peer, patch, scheduled } = await openPeer();
  const run = scheduled(10);

  await patch(run, { status: 'running' });
  await patch(run, cancelled);

  expect(peer.requests.map(({ body, answer }) => [body, answer?.status])).toEqual([
    [{ kind: 'json', value: { status: 'running' } }, 422],
    [{ kind: 'json', value: cancelled }, 200],
  ]);
});

test('a mistake of the peer itself is no answer, and its test fails', async () => {
  const peer = await startPeer({
    behaviour: {
      faultOf: () => {
        throw new Error('a mistake');
      },
    },
  });

  await expect(fetch(peer.url)).rejects.toThrow('fetch failed');
  await expect(peer.close()).rejects.toThrow('the peer failed');
});
