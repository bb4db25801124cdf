import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openGatewayDatabase } from '#gateway/store/database.ts';
import { RequestLog } from '#gateway/store/request-log.ts';
import { folderOfTest } from '../../builders/test-folder.ts';
import { aDataset, runningGateway, token } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

let gateway: TestGateway;
beforeEach(async () => void (gateway = await runningGateway({ now: () => new Date('2026-03-02T12:00:00Z') })));
afterEach(() => gateway.close());

/** With headers that fetch would not let through. */
function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(gateway.url + path, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('needs no token on loopback', async () => {
  expect(await statusOf('/_control/datasets', {})).toBe(200);
  expect(await statusOf('/_control/datasets', { host: 'localhost:4010' })).toBe(200);
  expect(await statusOf('/_control/datasets', { host: '[::1]:4010' })).toBe(200);
});

test.each([
  [{ host: 'evil.example' }],
  [{ host: '127.0.0.1.evil.example' }],
  [{ host: '127.0.0.1.evil.example:4010' }],
  [{ origin: 'https://evil.example' }],
  [{ origin: 'null' }],
  [{ 'sec-fetch-site': 'cross-site' }],
])('refuses %j, as a web page would send it', async (headers) => {
  expect(await statusOf('/_control/datasets', headers)).toBe(403);
});

test('is not there at all when the gateway listens beyond loopback, nor for a token', async () => {
  const open = await runningGateway({ host: '0.0.0.0' });
  const at = (path: string) =>
    fetch(`http://127.0.0.1:${open.port}${path}`, { headers: { authorization: `Bearer ${token}` } });

  expect((await at('/_control/datasets')).status).toBe(404);
  expect((await at('/backend/v1/endpoints')).status).toBe(200);

  await open.close();
});

test('logs each request of the interface, with its body and without its token', async () => {
  await gateway.get('/backend/v1/endpoints?groupId=g', { 'x-request-id': 'r1' });
  await gateway.send('POST', '/backend/v1/datasets', aDataset, { 'x-request-id': 'r2' });
  await gateway.get('/backend/v1/nothing', { 'x-request-id': 'r3', authorization: 'Bearer not-good' });
  const { body } = await gateway.get('/_control/requests');

  const at = '2026-03-02T12:00:00.000Z';
  const base = { at, query: '', operation: null, fault: null, body: null };
  expect(body.requests).toEqual([
    {
      ...base,
      method: 'GET',
      path: '/backend/v1/endpoints',
      query: 'groupId=g',
      operation: 'listEndpoints',
      requestId: 'r1',
      status: 200,
    },
    {
      ...base,
      method: 'POST',
      path: '/backend/v1/datasets',
      operation: 'createDataset',
      requestId: 'r2',
      status: 200,
      body: JSON.stringify(aDataset),
    },
    { ...base, method: 'GET', path: '/backend/v1/nothing', requestId: 'r3', status: 401 },
  ]);
  expect(JSON.stringify(body)).not.toContain(token);
});

test('caps a logged body', async () => {
  await gateway.send('POST', '/backend/v1/datasets', { fileId: 'x'.repeat(10_000) });

  expect((await gateway.get('/_control/requests')).body.requests?.[0]?.body).toHaveLength(4096);
});

test('gives every answer a request id, refusals too, and replaces a harmful one', async () => {
  const refused = await gateway.get('/backend/v1/projects/unknown', { 'x-request-id': 'mine' });
  const replaced = await gateway.get('/backend/v1/endpoints', { 'x-request-id': 'a b <script>' });

  expect(refused.headers.get('x-request-id')).toBe('mine');
  expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/u);
});

test.each([
  ['/_control/projects/unknown', {}, 404],
  ['/_control/projects/chat-app', { nmae: 'x' }, 422],
  ['/_control/campaigns/not-a-uuid', {}, 422],
  ['/_control/campaign-runs/not-a-uuid', {}, 422],
  ['/_control/scanner-packages/p', { direction: 7 }, 422],
  ['/_control/tokens', { tokens: ['with space'] }, 422],
])('PUT %s with %j is refused with %i', async (path, body, status) => {
  expect((await gateway.send('PUT', path, body)).status).toBe(status);
});

// 600 requests a second without a token emptied the log of a night within seconds.
test('requests without a good token push none of the others out of the log', () => {
  const log = new RequestLog(openGatewayDatabase(':memory:'));
  const arrived = {
    at: '',
    method: 'GET',
    query: '',
    operation: null,
    requestId: '',
    status: null,
    fault: null,
    body: null,
  };
  log.begin({ ...arrived, path: '/first' }, true);
  for (let n = 0; n < 12_000; n += 1) log.begin({ ...arrived, path: `/flood/${n}` }, false);
  log.begin({ ...arrived, path: '/last' }, true);

  const paths = log.all().map(({ path }) => path);

  expect(paths.filter((path) => !path.startsWith('/flood'))).toEqual(['/first', '/last']);
  expect(paths).toContain('/flood/11999');
  expect(paths.length).toBeLessThan(1200);
});

test('what is asked without a good token is such a request, whatever it asks for', async () => {
  const database = join(folderOfTest(), 'gateway.sqlite');
  const own = await runningGateway({ database });
  for (const path of ['/backend/v1/endpoints', '/nothing']) {
    await own.get(path);
    await own.get(path, { authorization: 'Bearer not-good' });
    await fetch(own.url + path);
  }

  await own.close();

  const rows = openGatewayDatabase(database).prepare('SELECT hasToken FROM arrivals ORDER BY seq').all();
  expect(rows.map(({ hasToken }) => hasToken)).toEqual([1, 0, 0, 1, 0, 0]);
});
