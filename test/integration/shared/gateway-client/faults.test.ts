import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import {
  BadBodyError,
  BadStatusError,
  classifyFailure,
  ConnectionLostError,
  GatewayTimeoutError,
} from '#shared/gateway-client/index.ts';
import { answering, clientOf, server, thrownBy, uuid } from './clients.ts';
import { answerText, sendJson } from './raw-server.ts';
import type { Respond } from './raw-server.ts';

// What the client makes of rare answers; each fault of the catalogue, up to the ledger, is in test/faults/transport.

const dataset = { name: 'n' };
const short = { timeouts: { totalMs: 500, headersMs: 5000 } };

const lost: readonly (readonly [string, Respond])[] = [
  ['bytes that are no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n')],
  ['headers that never end', (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(64 * 1024)}`)],
];

describe('a request without an answer', () => {
  it.each(lost)('after %s: a POST goes out once and is parked', async (_name, respond) => {
    const gateway = await server(respond);

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset(dataset));

    expect(error).toBeInstanceOf(ConnectionLostError);
    expect(error).toMatchObject({ requestSent: true });
    expect(gateway.requests).toHaveLength(1);
    expect(classifyFailure('post', error)).toMatchObject({ next: 'park', reason: 'POST_OUTCOME_UNKNOWN' });
  });

  it('ends at the headers timeout within the deadline', async () => {
    const gateway = await server(() => {});
    const client = clientOf(gateway.baseUrl, { timeouts: { headersMs: 100, totalMs: 60_000 } });

    expect(await thrownBy(() => client.createDataset(dataset))).toBeInstanceOf(GatewayTimeoutError);
  });

  it('repeats ten times in a burst, then one GET in ten that are answered', async () => {
    let status = 503;
    const gateway = await server((socket) => sendJson(socket, status, { endpoints: [] }));
    const client = clientOf(gateway.baseUrl);
    const calls = async (count: number) => {
      const before = gateway.requests.length;
      await Promise.all(Array.from({ length: count }, async () => thrownBy(() => client.listEndpoints())));
      return gateway.requests.length - before;
    };

    expect(await calls(7)).toBe(7 + 10);
    status = 200;
    await calls(11);
    status = 503;
    expect(await calls(2)).toBe(2 + 1);
  });

  it('repeats no GET if that is switched off', async () => {
    const gateway = await server((socket) => socket.resetAndDestroy());

    await thrownBy(() => clientOf(gateway.baseUrl, { repeatGets: false }).listEndpoints());

    expect(gateway.requests).toHaveLength(1);
  });
});

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const brokenBodies: readonly (readonly [string, string, Respond])[] = [
  ['truncated', 'of broken chunks', (socket) => socket.write(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`)],
  [
    'not-json',
    'that is half a JSON',
    (socket) => socket.write(answerText(200, '{"id":', { 'content-type': 'text/html' })),
  ],
  [
    'not-from-api',
    'that is compressed and does not say so',
    (socket) => socket.write(answerText(200, '\u001f\u008b\u0008')),
  ],
  ['wrong-shape', 'that is null', (socket) => sendJson(socket, 200, null)],
  ['too-big', 'announced with 64 MB', (socket) => socket.write(`${head}content-length: 67108864\r\n\r\n`)],
  ['not-from-api', 'that is a page and says JSON', (socket) => socket.write(answerText(200, ' <!doctype html>'))],
  [
    'not-from-api',
    'that is a text of a proxy',
    (socket) => socket.write(answerText(200, 'maintenance', { 'content-type': 'text/plain' })),
  ],
];

describe('a 2xx that cannot be used', () => {
  it.each(brokenBodies)('is %s for a body %s, and the POST is not sent again', async (reason, _name, respond) => {
    const gateway = await server(respond);

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset(dataset));

    expect(error).toBeInstanceOf(BadBodyError);
    expect(error).toMatchObject({ status: 200, reason, requestSent: true });
    expect(gateway.requests).toHaveLength(1);
    expect(classifyFailure('post', error).reason).toBe(
      reason === 'not-from-api' ? 'POST_OUTCOME_UNKNOWN' : 'APPLIED_ID_UNKNOWN',
    );
  });
});

describe('a status that is not 2xx', () => {
  it('carries what the gateway says, on one line', async () => {
    const gateway = await answering(422, { detail: [{ loc: ['body', 'scannerId'], msg: 'bad\r\nlevel=error' }] });

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset(dataset));

    expect(error).toBeInstanceOf(BadStatusError);
    expect(error).toMatchObject({
      status: 422,
      requestSent: true,
      details: { fields: [{ field: 'body.scannerId', message: String.raw`bad\r\nlevel=error` }] },
    });
    expect(gateway.requests).toHaveLength(1);
  });

  it.each([
    ['whose body is cut off', (socket: Socket) => socket.end('HTTP/1.1 503 No\r\ncontent-length: 50\r\n\r\nbusy')],
    ['whose body never comes', (socket: Socket) => socket.write('HTTP/1.1 503 No\r\ncontent-length: 50\r\n\r\n')],
  ])('is classed by its status %s', async (_name, respond) => {
    const gateway = await server(respond);

    const error = await thrownBy(() => clientOf(gateway.baseUrl, short).createDataset(dataset));

    expect(error).toBeInstanceOf(BadStatusError);
    expect(error).toMatchObject({ status: 503 });
  });

  it('repeats no PATCH in process, whose state would have to be read again before', async () => {
    const gateway = await answering(412, {});
    const client = clientOf(gateway.baseUrl);

    const error = await thrownBy(() => client.updateCampaignRun({ campaignRunId: uuid, status: 's' }));

    expect(error).toMatchObject({ status: 412 });
    expect(gateway.requests).toHaveLength(1);
  });

  it('keeps little of an endless error', async () => {
    const gateway = await server((socket) => {
      socket.write('HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n');
      for (let chunks = 0; chunks < 10; chunks += 1) socket.write(`10000\r\n${'e'.repeat(65_536)}\r\n`);
    });

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset(dataset));

    expect(error).toBeInstanceOf(BadStatusError);
    expect(Buffer.byteLength((error as BadStatusError).details.text)).toBeLessThanOrEqual(2048);
  });

  it('keeps the words of an error that announces more than is read', async () => {
    const gateway = await server((socket) => {
      socket.write('HTTP/1.1 500 No\r\ncontent-length: 67108864\r\n\r\nthe disk is full');
      setTimeout(() => socket.destroy(), 50);
    });

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset(dataset));

    expect(error).toMatchObject({ status: 500, details: { text: 'the disk is full' } });
  });

  it('comes after interim answers, which are passed over', async () => {
    const gateway = await server((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
      sendJson(socket, 429, {}, { 'retry-after': '7' });
    });

    expect(await thrownBy(() => clientOf(gateway.baseUrl).createDataset(dataset))).toMatchObject({
      status: 429,
      retryAfterMs: 7000,
    });
  });

  it('knows whether the path names one resource', async () => {
    const gateway = await answering(404, {});
    const client = clientOf(gateway.baseUrl);

    expect(await thrownBy(() => client.getProject({ project: 'gone' }))).toMatchObject({ namesResource: true });
    expect(await thrownBy(() => client.listEndpoints())).toMatchObject({ namesResource: false });
  });
});

describe('a redirect whose body never comes', () => {
  it('is answered at once', async () => {
    const gateway = await server((socket) => {
      socket.write('HTTP/1.1 302 Found\r\nlocation: https://elsewhere.example/x\r\ncontent-length: 50\r\n\r\n');
    });

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset(dataset));

    expect(error).toMatchObject({
      name: 'RedirectError',
      message: expect.stringContaining('a redirect to https://elsewhere.example'),
    });
  });
});

describe('connections kept open', () => {
  it('are not used again when they are older than half a minute, as after a freeze', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const gateway = await answering(200, { message: 'ok' });
    const client = clientOf(gateway.baseUrl);
    const stop = () => client.updateCampaignRun({ campaignRunId: uuid, status: 'stopped' });

    await stop();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await stop();
    vi.setSystemTime(Date.now() + 31_000);
    await stop();
    vi.useRealTimers();

    expect(gateway.requests.map((request) => request.connection)).toEqual([1, 1, 2]);
  });

  it('do not mix up two requests at once, one lost and one answered', async () => {
    const gateway = await server((socket, request) => {
      if (request.path.includes('groupId=lost')) socket.resetAndDestroy();
      else sendJson(socket, 200, { endpoints: [] });
    });
    const client = clientOf(gateway.baseUrl, { repeatGets: false });

    const [answered, failed] = await Promise.all([
      client.listEndpoints({ groupId: 'kept' }),
      thrownBy(() => client.listEndpoints({ groupId: 'lost' })),
    ]);

    expect(answered).toEqual({ endpoints: [] });
    expect(failed).toBeInstanceOf(ConnectionLostError);
  });
});
