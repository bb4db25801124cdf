import { describe, expect, it } from 'vitest';
import {
  CertificateError,
  classifyFailure,
  ConnectionLostError,
  type GatewayClientOptions,
  NotSentError,
  type RequestInfo,
} from '#shared/gateway-client/index.ts';
import { elsewhereCertificate, loopbackCertificate } from './certificates.ts';
import { canary, clientOf, server, thrownBy } from './clients.ts';
import { startConnectProxy, type TunnelAnswer } from './connect-proxy.ts';
import { type Respond, sendJson } from './raw-server.ts';

const answerAll: Respond = (socket) => sendJson(socket, 200, { id: 'ds-1', endpoints: [] });

/** A gateway that only the proxy can find: its name is unknown here. */
async function behindProxy({
  respond = answerAll,
  tls = elsewhereCertificate,
  ...options
}: Partial<GatewayClientOptions> & { respond?: Respond; tls?: typeof elsewhereCertificate } = {}) {
  const gateway = await server(respond, { tls });
  const proxy = await startConnectProxy(() => gateway.port);
  const attempts: RequestInfo[] = [];
  const client = clientOf('https://elsewhere.example', {
    caBundle: elsewhereCertificate.cert,
    proxy: proxy.url,
    onRequest: (info) => attempts.push(info),
    ...options,
  });
  return { gateway, proxy, client, attempts };
}

describe('a gateway behind an outbound proxy', () => {
  it('is reached through a tunnel, by its name and with its own certificate; reads share one, each POST has its own', async () => {
    const { gateway, proxy, client } = await behindProxy();

    await client.listEndpoints();
    expect(await client.createDataset({ name: 'n' })).toMatchObject({ id: 'ds-1' });
    expect(await client.createDataset({ name: 'n' })).toMatchObject({ id: 'ds-1' });
    await client.listEndpoints();

    expect(proxy.asked.map(({ authority }) => authority)).toEqual(Array(3).fill('elsewhere.example:443'));
    expect(gateway.requests.map(({ connection }) => connection)).toEqual([1, 2, 3, 1]);
    expect(gateway.requests[0]?.headers['host']).toBe('elsewhere.example');
  });

  it('is named with its port if it has one', async () => {
    const { proxy, client } = await behindProxy({ baseUrl: 'https://elsewhere.example:8443' });

    await client.listEndpoints();

    expect(proxy.asked).toMatchObject([
      { authority: 'elsewhere.example:8443', headers: { host: 'elsewhere.example:8443' } },
    ]);
  });

  it('tells the proxy host and port and nothing else: no token, no path', async () => {
    const { gateway, proxy, client } = await behindProxy();

    await client.createDataset({ name: 'a-secret-name' });

    expect(gateway.requests[0]?.headers['authorization']).toBe(`Bearer ${canary}`);
    expect(Object.keys(proxy.asked[0]?.headers ?? {}).toSorted()).toEqual(['connection', 'host']);
    expect(proxy.seen().length).toBeGreaterThan(0);
    for (const secret of [canary, 'a-secret-name', '/backend/v1']) {
      expect(proxy.seen().includes(secret), secret).toBe(false);
    }
    expect(proxy.others).toEqual([]);
  });

  it('is asked through the tunnel too if it speaks plain HTTP', async () => {
    const gateway = await server(answerAll);
    const proxy = await startConnectProxy(() => gateway.port);
    const client = clientOf(gateway.baseUrl, { proxy: proxy.url });

    await client.createDataset({ name: 'n' });

    expect(proxy.asked.map(({ authority }) => authority)).toEqual([`127.0.0.1:${gateway.port}`]);
    expect(proxy.others).toEqual([]);
  });
});

describe('a proxy that makes no tunnel', () => {
  it.each<[TunnelAnswer, RegExp, string]>([
    [407, /answered 407: it asks for credentials/, 'PROXY_TUNNEL'],
    [502, /answered 502 and made no tunnel/, 'PROXY_NO_WAY'],
    [503, /answered 503 and made no tunnel/, 'PROXY_NO_WAY'],
    [504, /answered 504 and made no tunnel/, 'PROXY_NO_WAY'],
    [403, /answered 403/, 'PROXY_TUNNEL'],
    ['reset', /cannot be used/, 'PROXY_TUNNEL'],
    ['greet', /something of its own/, 'PROXY_TUNNEL'],
    ['hold', /no tunnel within 200 ms/, 'PROXY_TUNNEL'],
  ])('(%s) has sent nothing of a POST: repeated twice at once, then left to the queue', async (answer, why, code) => {
    const { gateway, proxy, client, attempts } = await behindProxy({ timeouts: { connectMs: 200 } });
    proxy.next(answer, answer, answer);

    const error = await thrownBy(() => client.createDataset({ name: 'n' }));

    expect(error).toBeInstanceOf(NotSentError);
    expect(error).toMatchObject({ requestSent: false, message: expect.stringMatching(why), cause: { code } });
    expect(classifyFailure('post', error)).toMatchObject({ applied: 'no', next: 'later', repeatsNow: 2 });
    expect(attempts.map(({ requestSent }) => requestSent)).toEqual([false, false, false]);
    expect(gateway.requests).toEqual([]);
    expect(await client.createDataset({ name: 'n' })).toMatchObject({ id: 'ds-1' });
  });

  it('is found again by a POST that is repeated', async () => {
    const { gateway, proxy, client, attempts } = await behindProxy();
    proxy.next(503, 'tunnel-then-reset');

    expect(await client.createDataset({ name: 'n' })).toMatchObject({ id: 'ds-1' });

    expect(attempts.map(({ requestSent }) => requestSent)).toEqual([false, false, true]);
    expect(gateway.requests).toHaveLength(1);
  });

  it('does not outlast a call that is given up', async () => {
    const { gateway, proxy, client } = await behindProxy({ timeouts: { totalMs: 200, connectMs: 6000 } });
    proxy.next('hold');
    const startedAt = performance.now();

    const error = await thrownBy(() => client.createDataset({ name: 'n' }));

    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(error).toMatchObject({ requestSent: false });
    expect(gateway.requests).toEqual([]);
  });
});

describe('a tunnel', () => {
  it('does not hide a certificate that is not to be trusted, such as that of a proxy that looks inside', async () => {
    const { gateway, client } = await behindProxy({ tls: loopbackCertificate });

    const error = await thrownBy(() => client.createDataset({ name: 'n' }));

    expect(error).toBeInstanceOf(CertificateError);
    expect(gateway.requests).toEqual([]);
  });

  it('that ends behind a POST leaves its outcome unknown, as any connection does', async () => {
    const cut = { tunnels: () => {} };
    const { gateway, proxy, client } = await behindProxy({ respond: () => cut.tunnels() });
    cut.tunnels = () => proxy.cut();

    const error = await thrownBy(() => client.createDataset({ name: 'n' }));

    expect(error).toBeInstanceOf(ConnectionLostError);
    expect(classifyFailure('post', error)).toMatchObject({ applied: 'unknown', next: 'park' });
    expect(gateway.requests).toHaveLength(1);
  });
});
