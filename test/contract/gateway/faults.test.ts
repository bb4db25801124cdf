import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { aDataset, complaints, eventually, runningGateway, token } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

let gateway: TestGateway;
beforeEach(async () => void (gateway = await runningGateway()));
afterEach(() => gateway.close());

const body = JSON.stringify(aDataset);
const post = `POST /backend/v1/datasets HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** Posts a dataset over a bare socket: the bytes that come back, and how the connection ended. */
async function bare(): Promise<{ bytes: string; end: string }> {
  const socket = connect(gateway.port, '127.0.0.1');
  let bytes = '';
  let end = 'fin';
  socket.setEncoding('utf8').on('data', (text: string) => (bytes += text));
  socket.on('error', (error: NodeJS.ErrnoException) => (end = error.code ?? error.message));
  socket.write(post);
  await once(socket, 'close').catch(() => undefined);
  return { bytes, end };
}

async function datasets(): Promise<number> {
  return (await gateway.get('/_control/datasets')).body.datasets?.length ?? -1;
}

async function lastRequest() {
  return (await gateway.get('/_control/requests')).body.requests?.at(-1);
}

test('answers the given status, headers and body, once, with no effect', async () => {
  await gateway.arm({ status: 503, headers: { 'retry-after': '7' }, body: { detail: 'busy' } });

  const struck = await gateway.send('POST', '/backend/v1/datasets', aDataset);
  const after = await gateway.send('POST', '/backend/v1/datasets', aDataset);

  expect([struck.status, struck.headers.get('retry-after'), struck.body]).toEqual([503, '7', { detail: 'busy' }]);
  expect(after.status).toBe(200);
  expect(await datasets()).toBe(1);
});

test.each([
  ['before', 1],
  ['never', 0],
  [undefined, 0],
])('a status with apply %s leaves %i dataset', async (apply, count) => {
  await gateway.arm({ status: 500, apply });

  expect((await gateway.send('POST', '/backend/v1/datasets', aDataset)).status).toBe(500);
  await eventually(async () => expect(await datasets()).toBe(count));
});

test.each([
  ['reset', 'ECONNRESET', 'never', 0],
  ['reset', 'ECONNRESET', 'before', 1],
  ['fin', 'fin', 'never', 0],
  ['fin', 'fin', 'before', 1],
])('%s ends the connection by %s; apply %s leaves %i dataset', async (kind, end, apply, count) => {
  await gateway.arm({ [kind]: true, apply });

  expect(await bare()).toEqual({ bytes: '', end });
  await eventually(async () => expect(await datasets()).toBe(count));
  expect(await lastRequest()).toMatchObject({ status: null, fault: 'fault-1', operation: 'createDataset' });
});

test('garbage is not HTTP', async () => {
  await gateway.arm({ garbage: true });

  expect(await bare()).toEqual({ bytes: 'EHLO gateway\r\n\r\n', end: 'fin' });
});

test('a truncated body promises more than it sends, after the effect', async () => {
  await gateway.arm({ truncateBody: { bytes: 5 } });

  const answer = await bare();

  expect(answer.end).toBe('fin');
  expect(answer.bytes).toMatch(/content-length: 45\r\n[^]*\r\n\r\n\{"id"$/iu);
  expect(await datasets()).toBe(1);
});

test('a truncated body may end by a reset', async () => {
  await gateway.arm({ truncateBody: { bytes: 5, end: 'reset' } });

  expect((await bare()).end).toBe('ECONNRESET'); // which may overtake the bytes that were sent before it
  expect(await datasets()).toBe(1);
});

test('redirects to another host', async () => {
  await gateway.arm({ redirect: 'http://127.0.0.1:1/elsewhere' });

  const { status, headers } = await gateway.get('/backend/v1/endpoints');

  expect([status, headers.get('location')]).toEqual([307, 'http://127.0.0.1:1/elsewhere']);
});

// It also fails once the library's own Response replaces that of a process which the gateway is a guest of.
test('a hang never answers, and does not keep the gateway from closing', async () => {
  await gateway.arm({ hang: true, apply: 'before' });
  const hanging = bare();

  await eventually(async () => expect(await datasets()).toBe(1));
  await gateway.close();

  expect((await hanging).bytes).toBe('');
});

test('a delay alone ends in the real answer; a delayed effect is dropped when the gateway closes', async () => {
  await gateway.arm({ delayMs: 1 });
  expect((await gateway.send('POST', '/backend/v1/datasets', aDataset)).status).toBe(200);

  await gateway.arm({ delayMs: 600_000 });
  const waiting = bare();
  await eventually(async () => expect((await lastRequest())?.status).toBeNull());
  await gateway.close();

  expect((await waiting).bytes).toBe('');
});

test('strikes only what it matches: by method, by path prefix, by operation', async () => {
  await gateway.arm({ match: { method: 'post' }, status: 501, times: 'forever' });
  await gateway.arm({ match: { path: '/backend/v1/projects/' }, status: 502, times: 'forever' });
  await gateway.arm({ match: { path: 'getCampaign' }, status: 503, times: 'forever' });

  const campaign = `/backend/v1/campaigns/${seedIds.campaigns.chatBotSmoke}`;
  expect((await gateway.send('POST', '/backend/v1/datasets', {})).status).toBe(501);
  expect((await gateway.get('/backend/v1/projects/chat-app')).status).toBe(502);
  expect((await gateway.get(campaign)).status).toBe(503);
  expect((await gateway.get('/backend/v1/endpoints')).status).toBe(200);
});

test('skips, counts down, and tells how often it struck', async () => {
  await gateway.arm({ skip: 1, times: 2, status: 500 });
  const statuses = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await gateway.get('/backend/v1/endpoints')).status);

  expect(statuses).toEqual([200, 500, 500, 200]);
  const { body: listed } = await gateway.get('/_control/faults');
  expect(listed.faults).toMatchObject([{ id: 'fault-1', remaining: 0, struck: 2 }]);
  expect((await gateway.send('DELETE', '/_control/faults')).body).toEqual({ faults: [] });
  expect((await gateway.send('DELETE', '/_control/faults/fault-1')).status).toBe(404);
});

test.each([
  [{}, ['body.status']],
  [{ status: 500, reset: true }, ['body.reset']],
  [{ status: 99 }, ['body.status']],
  [{ delayMs: 5, apply: 'never' }, ['body.apply']],
  [{ truncateBody: { bytes: 1 }, apply: 'never' }, ['body.apply']],
  [{ redirect: 'elsewhere' }, ['body.redirect']],
  [{ reset: true, headers: { a: 'b' } }, ['body.status']],
  [{ status: 500, headers: { 'a b': 'c' } }, ['body.headers.a b']],
  [{ status: 500, headers: { a: 'b\r\nc' } }, ['body.headers.a']],
  [{ status: 500, match: { path: 'getNothing' } }, ['body.match.path']],
  [{ status: 500, times: 0 }, ['body.times']],
])('refuses the fault %j', async (fault, places) => {
  const answer = await gateway.send('POST', '/_control/faults', fault);

  expect(answer.status).toBe(422);
  expect(complaints(answer)).toEqual(places);
});
