import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BadStatusError, MalformedTokenError, TokenUnavailableError } from '#shared/gateway-client/index.ts';
import { answering, canary, clientOf, server, thrownBy, uuid } from './clients.ts';
import { answerText, sendJson } from './raw-server.ts';
import type { RawServer, Respond } from './raw-server.ts';

/** A gateway that knows one token. */
const knowing =
  (token: string): Respond =>
  (socket, request) => {
    const known = request.headers['authorization'] === `Bearer ${token}`;
    sendJson(socket, known ? 200 : 401, known ? { id: 'ds-1' } : { detail: 'unknown token' });
  };
const tokensSent = (gateway: RawServer) => gateway.requests.map((request) => request.headers['authorization']);

describe('a token that was rotated', () => {
  it('[A20 F1] is read again once and the POST repeated, since a 401 is proof that nothing was applied', async () => {
    const gateway = await server(knowing('new-token'));
    const tokenProvider = { get: async () => 'old-token', refresh: async () => 'new-token' };

    expect(await clientOf(gateway.baseUrl, { tokenProvider }).createDataset({ name: 'n' })).toEqual({ id: 'ds-1' });
    expect(tokensSent(gateway)).toEqual(['Bearer old-token', 'Bearer new-token']);
  });

  it('is not tried again if it is the same', async () => {
    const gateway = await server(knowing('other'));

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset({ name: 'n' }));

    expect(error).toBeInstanceOf(BadStatusError);
    expect(error).toMatchObject({ status: 401 });
    expect(gateway.requests).toHaveLength(1);
  });

  it('is tried once, if the new one is refused too', async () => {
    const gateway = await server(knowing('other'));
    let refreshes = 0;
    const tokenProvider = { get: async () => 'old-token', refresh: async () => `new-token-${(refreshes += 1)}` };

    const error = await thrownBy(() => clientOf(gateway.baseUrl, { tokenProvider }).listEndpoints());

    expect(error).toMatchObject({ status: 401 });
    expect([gateway.requests.length, refreshes]).toEqual([2, 1]);
  });
});

async function failToGet(): Promise<never> {
  throw Object.assign(new Error(`cannot parse {"token":"${canary}"}`), { code: 'AccessDenied' });
}

describe('a token that cannot be sent', () => {
  it.each(['', `${canary}\r\nx-evil: 1`, `${canary}\n`, 'x'.repeat(9000)])(
    '[F3] is thrown before anything is sent',
    async (token) => {
      const gateway = await server(knowing('any'));
      const tokenProvider = { get: async () => token, refresh: async () => token };

      const error = await thrownBy(() => clientOf(gateway.baseUrl, { tokenProvider }).createDataset({ name: 'n' }));

      expect(error).toBeInstanceOf(MalformedTokenError);
      expect(error).toMatchObject({ requestSent: false });
      expect(gateway.connections()).toBe(0);
    },
  );

  it('[F3 F12] is TokenUnavailableError if the provider fails, without what the provider says', async () => {
    const gateway = await server(knowing('any'));
    const client = clientOf(gateway.baseUrl, { tokenProvider: { get: failToGet, refresh: failToGet } });

    const error = await thrownBy(() => client.createDataset({ name: 'n' }));

    expect(error).toBeInstanceOf(TokenUnavailableError);
    expect(error).toMatchObject({ requestSent: false, cause: { message: 'Error AccessDenied' } });
    expect(everythingIn(error)).not.toContain('canary');
  });
});

function everythingIn(error: unknown): string {
  const stack = error instanceof Error ? `${error.stack} ${String(error.cause)}` : '';
  return `${inspect(error, { depth: Infinity, showHidden: true })} ${JSON.stringify(error)} ${String(error)} ${stack}`;
}

describe('the token', () => {
  const answers: readonly (readonly [string, Respond])[] = [
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['garbage that echoes the request', (socket, request) => socket.end(`garbage ${request.headers['authorization']}`)],
    ['a status', (socket) => sendJson(socket, 500, {})],
    ['an error that echoes it', (socket, request) => sendJson(socket, 422, { detail: request.headers })],
    [
      'an error that echoes it escaped',
      (socket) => socket.write(answerText(400, canary.replaceAll('/', String.raw`\/`))),
    ],
    ['an error that echoes it at the cap', (socket) => socket.write(answerText(400, 'x'.repeat(2040) + canary))],
    ['a 401', (socket, request) => sendJson(socket, 401, { message: request.headers['authorization'] })],
    ['a redirect that carries it', (socket) => sendJson(socket, 302, {}, { location: `https://a.b/${canary}` })],
    [
      'a body that echoes it',
      (socket, request) => socket.write(answerText(200, request.headers['authorization'] ?? '')),
    ],
    ['a shape that echoes it', (socket) => sendJson(socket, 200, { endpoints: [{ [canary]: canary }] })],
    ['a page', (socket) => socket.write(answerText(200, canary, { 'content-type': 'text/html' }))],
    ['silence', () => {}],
  ];

  it.each(answers)('[F12] is in no part of the error after %s', async (_name, respond) => {
    const gateway = await server(respond);
    const client = clientOf(gateway.baseUrl, { timeouts: { totalMs: 500 }, repeatGets: false });

    const errors = [
      await thrownBy(() => client.createDataset({ name: 'n' })),
      await thrownBy(() => client.updateCampaignRun({ campaignRunId: uuid, status: 's' })),
      await thrownBy(() => client.listEndpoints()),
    ];

    expect(gateway.requests[0]?.headers['authorization']).toBe(`Bearer ${canary}`);
    for (const error of errors) {
      expect(error).toMatchObject({ requestSent: true });
      expect(everythingIn(error)).not.toMatch(/canary|7f3a9c|Zx\+token/);
    }
  });

  it('is in no part of an error about a field whose value repeats it', async () => {
    const gateway = await answering(200, { id: `${canary}\u0007` });

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset({ name: 'n' }));

    expect(error).toMatchObject({ reason: 'wrong-shape' });
    expect(everythingIn(error)).not.toContain('canary');
  });
});
