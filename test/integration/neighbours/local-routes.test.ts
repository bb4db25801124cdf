import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type MovableClock, openMovableClock } from '#local/clock/movable-clock.ts';
import { localRoutes } from '#local/stage/local-routes.ts';
import { type AccessKey, signedHeadersOf } from '#shared/net/request-signature.ts';
import { newChallenge, newKey, proofOf } from '#shared/net/loopback.ts';
import { folderOfTest } from '../../builders/test-folder.ts';

const key = newKey();
let server: Server;
let endpoint: string;
let clock: MovableClock;

beforeEach(async () => {
  clock = openMovableClock(join(folderOfTest(), 'clock.json'));
  server = createServer((request, response) => {
    localRoutes({ clock, schedules: () => undefined, key, endpoint })(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Asks the clock, signed with a key; `sent` is the body that really goes out. */
async function askClock(method: 'GET' | 'POST', by: AccessKey | undefined, body = '', sent = body): Promise<Response> {
  const request = { method, url: '/_local/clock', headers: { host: new URL(endpoint).host }, body };
  const signed =
    by === undefined
      ? {}
      : await signedHeadersOf(request, { key: by, region: 'eu-west-1', service: 'local', now: new Date() });
  return fetch(`${endpoint}/_local/clock`, { method, headers: signed, ...(sent === '' ? {} : { body: sent }) });
}

describe('the clock', () => {
  test('is shown to who has the key of the stage', async () => {
    const answer = await askClock('GET', key);

    expect(await answer.json()).toMatchObject({ offsetMs: 0 });
  });

  test.each([
    ['without a signature', undefined, '{"forwardMs":1}'],
    ['signed with another key', newKey(), '{"forwardMs":1}'],
    ['with another body than was signed', key, '{"forwardMs":99}'],
  ])('is not moved by a request %s', async (_, by, sent) => {
    const answer = await askClock('POST', by, '{"forwardMs":1}', sent);

    expect(answer.status).toBe(403);
    expect(clock.offsetMs()).toBe(0);
  });
});

describe('the proof', () => {
  test('is given to every caller with a challenge', async () => {
    const challenge = newChallenge();

    const answer = await fetch(`${endpoint}/_local/proof?challenge=${challenge}`);

    expect(await answer.text()).toBe(proofOf(key, endpoint, challenge));
  });

  test.each(['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}%0A`])(
    'is not given for what is no challenge: %j',
    async (text) => {
      expect((await fetch(`${endpoint}/_local/proof?challenge=${text}`)).status).toBe(400);
    },
  );
});
