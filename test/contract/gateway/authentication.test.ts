import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningGateway, token } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => void (gateway = await runningGateway()));
afterAll(() => gateway.close());

const paths: readonly (readonly [string, string])[] = [
  ['GET', '/backend/v1/projects/chat-app'],
  ['GET', '/backend/v1/endpoints'],
  ['GET', '/backend/v1/campaigns/not-even-a-uuid'],
  ['GET', '/backend/v1/scanner-packages'],
  ['PATCH', '/backend/v1/campaign-runs/not-even-a-uuid'],
  ['POST', '/backend/v1/datasets'],
];

test.each(paths)('%s %s answers 401 with a challenge before anything else is looked at', async (method, path) => {
  const response = await fetch(gateway.url + path, { method });

  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="gateway"');
  expect(await response.json()).toEqual({ detail: 'the header Authorization is missing' });
});

test.each([
  ['Basic YTpi', 'invalid_request'],
  ['Bearer', 'invalid_request'],
  ['Bearer two words', 'invalid_request'],
  [token, 'invalid_request'],
  ['Bearer wrong', 'invalid_token'],
  [`Bearer ${token}x`, 'invalid_token'],
])('refuses the header "%s" as %s', async (authorization, error) => {
  const answer = await gateway.get('/backend/v1/endpoints', { authorization });

  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe(`Bearer realm="gateway", error="${error}"`);
});

test('takes the scheme in any case', async () => {
  const answer = await gateway.get('/backend/v1/endpoints', { authorization: `bEARER ${token}` });

  expect(answer.status).toBe(200);
});

test('a rotated token replaces the old one at once, from outside and from inside', async () => {
  const own = await runningGateway();
  const withToken = async (good: string) =>
    (await own.get('/backend/v1/endpoints', { authorization: `Bearer ${good}` })).status;

  expect((await own.send('PUT', '/_control/tokens', { tokens: ['second'] })).body).toEqual({ count: 1 });
  expect([await withToken(token), await withToken('second')]).toEqual([401, 200]);
  own.setTokens(['third', 'fourth']);
  expect([await withToken('second'), await withToken('third'), await withToken('fourth')]).toEqual([401, 200, 200]);

  await own.close();
});
