import { once } from 'node:events';
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { eventually, runningGateway, token } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

let gateway: TestGateway;
beforeAll(async () => void (gateway = await runningGateway()));
afterAll(() => gateway.close());

const run = `/backend/v1/campaign-runs/${seedIds.campaignRuns.smoke[0]}`;

/** Writes bytes to the socket and answers everything that comes back until the other side ends. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(gateway.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

test.each([
  ['POST', '/backend/v1/projects/chat-app', 'GET, HEAD'],
  ['PUT', run, 'PATCH, GET, HEAD'],
  ['PATCH', '/_control/faults', 'GET, HEAD, POST, DELETE'],
])('%s %s answers 405 and what would do', async (method, path, allow) => {
  const answer = await gateway.send(method, path);

  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe(allow);
  expect(answer.body).toEqual({ detail: 'Method Not Allowed' });
});

test.each([
  '/',
  '/backend/v1',
  '/backend/v1/datasets/',
  '/backend/v2/endpoints',
  '/_control',
  '/_control/nothing',
  '//',
])('%s is 404 with a JSON body', async (path) => {
  const answer = await gateway.get(path);

  expect(answer.status).toBe(404);
  expect(answer.body).toEqual({ detail: 'path not found' });
});

test.each([
  ['POST', '/backend/v1/datasets'],
  ['PATCH', run],
  ['POST', '/_control/faults'],
  ['PUT', '/_control/tokens'],
])('%s %s: malformed JSON is 400, another type 415, too much 413', async (method, path) => {
  const send = async (body: string, headers?: Record<string, string>) =>
    (await gateway.send(method, path, body, headers)).status;

  expect(await send('{"fileId":')).toBe(400);
  expect(await send('')).toBe(400);
  expect(await send('{}', { 'content-type': 'text/plain' })).toBe(415);
  expect(await send('{}', { 'content-type': 'application/json', 'content-encoding': 'gzip' })).toBe(415);
  expect(await send('{}', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(415);
  expect(await send(`{"name":"${'x'.repeat(1024 * 1024)}"}`)).toBe(413);
});

test('a body without a declared length is cut off at the same size', async () => {
  const head = `POST /backend/v1/datasets HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

  const answer = await raw(head + chunk.repeat(17));

  expect(answer).toMatch(/^HTTP\/1\.1 413 /u);
});

test('a caller that leaves in the middle of its body leaves a line in the log and no effect', async () => {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.write(
    `POST /backend/v1/datasets HTTP/1.1\r\nhost: 127.0.0.1\r\nx-request-id: leaver\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"fileId":`,
  );
  const logged = async () =>
    (await gateway.get('/_control/requests')).body.requests?.find((one) => one.requestId === 'leaver');
  await eventually(async () => expect(await logged()).toBeDefined());
  socket.destroy();

  await eventually(async () => expect(await logged()).toMatchObject({ status: 400, body: null }));
});

test('bytes that are not UTF-8 are 400', async () => {
  const response = await fetch(`${gateway.url}/backend/v1/datasets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: Buffer.from([0x22, 0xff, 0x22]),
  });

  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ detail: 'the body is not JSON in UTF-8' });
});

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['a host that is none', 'GET /backend/v1/endpoints HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n', 400],
  ['no host', 'GET /backend/v1/endpoints HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
])('%s is answered in the 400s', async (_what, bytes, status) => {
  expect(await raw(bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
});

test('no query and no path, whatever it is, makes the gateway fail', async () => {
  const names = fc.constantFrom(
    'cursor',
    'limit',
    'configAt',
    'tags',
    'packageId',
    'active',
    'search',
    'sortBy',
    '__proto__',
  );
  const query = fc.array(fc.tuple(names, fc.string({ unit: 'binary' })), { maxLength: 4 });
  const paths = fc.constantFrom(
    'projects/chat-app',
    'endpoints',
    `campaigns/${seedIds.campaigns.chatBotSmoke}`,
    'scanner-packages',
  );
  const segment = fc
    .string({ unit: 'binary', minLength: 1 })
    .map((text) => `projects/${encodeURIComponent(text.toWellFormed())}`);
  await fc.assert(
    fc.asyncProperty(fc.oneof(paths, segment), query, async (path, pairs) => {
      const wellFormed = pairs.map(([name, value]): [string, string] => [name, value.toWellFormed()]);
      const answer = await gateway.get(`/backend/v1/${path}?${new URLSearchParams(wellFormed).toString()}`);

      expect(answer.status).toBeLessThan(500);
      expect(answer.body).not.toBeNull();
    }),
    propertyRuns(60),
  );
});
