import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import {
  BadBodyError,
  BadStatusError,
  classifyFailure,
  ConnectionLostError,
  GatewayTimeoutError,
  NotSentError,
} from '#shared/gateway-client/index.ts';
import { clientOf, server, thrownBy, uuid } from './clients.ts';
import { answerText, sendJson } from './raw-server.ts';
import type { Respond } from './raw-server.ts';

const dataset = { name: 'n' };
const short = { timeouts: { totalMs: 500, headersMs: 5000 } };

async function unusedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe('a request that never left', () => {
  it('is NotSentError if the connection is refused, and a POST is repeated twice for it', async () => {
    let attempts = 0;
    const client = clientOf(`http://127.0.0.1:${await unusedPort()}`, { onRequest: () => (attempts += 1) });

    const error = await thrownBy(() => client.createDataset(dataset));

    expect(error).toBeInstanceOf(NotSentError);
    expect(error).toMatchObject({ requestSent: false, cause: { code: 'ECONNREFUSED' } });
    expect(attempts).toBe(3);
    expect(classifyFailure('post', error)).toMatchObject({ applied: 'no', next: 'later', repeatsNow: 2 });
  });

  it('is NotSentError if the name does not resolve', async () => {
    // A label of more than 63 characters: the resolver refuses it without a request.
    const client = clientOf(`https://${'a'.repeat(64)}.invalid`);

    const error = await thrownBy(() => client.updateCampaignRun({ campaignRunId: uuid, status: 'running' }));

    expect(error).toBeInstanceOf(NotSentError);
    expect(error).toMatchObject({ requestSent: false });
  });

  it('is NotSentError if the deadline passes during the TLS handshake, and stays unsent', async () => {
    const received: Buffer[] = [];
    // A server that takes the connection and never speaks TLS.
    const gateway = await server(() => {}, {
      onConnection: (socket) => socket.on('data', (chunk: Buffer) => received.push(chunk)),
    });
    const client = clientOf(gateway.baseUrl.replace('http:', 'https:'), short);

    const error = await thrownBy(() => client.createDataset(dataset));

    expect(error).toBeInstanceOf(NotSentError);
    expect(gateway.connections()).toBe(1);
    expect(Buffer.concat(received).toString('latin1')).not.toContain('POST');
  });

  it('is NotSentError if the connection is reset in the TLS handshake, although the code is that of any reset', async () => {
    const gateway = await server(() => {}, {
      onConnection: (socket) => {
        socket.once('data', () => socket.resetAndDestroy());
      },
    });

    const error = await thrownBy(() => clientOf(gateway.baseUrl.replace('http:', 'https:')).createDataset(dataset));

    expect(error).toBeInstanceOf(NotSentError);
    expect(error).toMatchObject({ requestSent: false, cause: { code: 'ECONNRESET' } });
  });
});

const lost: readonly (readonly [string, Respond])[] = [
  ['RST before an answer', (socket) => socket.resetAndDestroy()],
  ['FIN without an answer', (socket) => socket.end()],
  ['a status line that is none', (socket) => socket.write('HTTP/9 yes\r\n\r\n')],
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

  it.each(lost)('after %s: a PATCH goes out once and waits', async (_name, respond) => {
    const gateway = await server(respond);

    const error = await thrownBy(() =>
      clientOf(gateway.baseUrl).updateCampaignRun({ campaignRunId: uuid, status: 'running' }),
    );

    expect(gateway.requests).toHaveLength(1);
    expect(classifyFailure('patch', error)).toMatchObject({ applied: 'unknown', next: 'later' });
  });

  it.each(lost)('after %s: a GET is repeated and succeeds', async (_name, respond) => {
    const gateway = await server((socket, request) => {
      if (request.number === 1) respond(socket, request);
      else sendJson(socket, 200, { endpoints: [] });
    });

    expect(await clientOf(gateway.baseUrl).listEndpoints()).toEqual({ endpoints: [] });
    expect(gateway.requests).toHaveLength(2);
  });

  it('ends at the deadline if nothing ever comes, and a POST is not repeated', async () => {
    const gateway = await server(() => {});

    const error = await thrownBy(() => clientOf(gateway.baseUrl, short).createDataset(dataset));

    expect(error).toBeInstanceOf(GatewayTimeoutError);
    expect(error).toMatchObject({ requestSent: true, phase: 'headers', status: undefined });
    expect(gateway.requests).toHaveLength(1);
  });

  it('ends at the headers timeout within the deadline', async () => {
    const gateway = await server(() => {});
    const client = clientOf(gateway.baseUrl, { timeouts: { headersMs: 100, totalMs: 60_000 } });

    expect(await thrownBy(() => client.createDataset(dataset))).toBeInstanceOf(GatewayTimeoutError);
  });

  it('makes at most three requests for a GET', async () => {
    const gateway = await server((socket) => socket.resetAndDestroy());

    await thrownBy(() => clientOf(gateway.baseUrl).listEndpoints());

    expect(gateway.requests).toHaveLength(3);
  });

  it('repeats no GET if that is switched off', async () => {
    const gateway = await server((socket) => socket.resetAndDestroy());

    await thrownBy(() => clientOf(gateway.baseUrl, { repeatGets: false }).listEndpoints());

    expect(gateway.requests).toHaveLength(1);
  });
});

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const brokenBodies: readonly (readonly [string, string, Respond])[] = [
  ['truncated', 'cut off by FIN', (socket) => socket.end(`${head}content-length: 50\r\n\r\n{"id":`)],
  [
    'truncated',
    'cut off by RST',
    (socket) =>
      socket.write(`${head}content-length: 50\r\n\r\n{"id":`, () => setTimeout(() => socket.resetAndDestroy(), 50)),
  ],
  ['truncated', 'of broken chunks', (socket) => socket.write(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`)],
  ['not-json', 'that is half a JSON', (socket) => socket.write(answerText(200, '{"id":"ds'))],
  ['not-json', 'that is empty', (socket) => socket.write(answerText(200, ''))],
  ['not-json', 'that is compressed unasked', (socket) => socket.write(answerText(200, '\u001f\u008b\u0008'))],
  ['wrong-shape', 'without an id', (socket) => sendJson(socket, 200, { ID: 'x' })],
  ['wrong-shape', 'with an id that is a fraction', (socket) => sendJson(socket, 200, { id: 7.5 })],
  ['wrong-shape', 'that is null', (socket) => sendJson(socket, 200, null)],
  ['too-big', 'announced with 64 MB', (socket) => socket.write(`${head}content-length: 67108864\r\n\r\n`)],
  ['too-big', 'of 64 MB', (socket) => flood(socket)],
  [
    'not-from-api',
    'that is a login page',
    (socket) => socket.write(answerText(200, '<html>login</html>', { 'content-type': 'text/html; charset=utf-8' })),
  ],
  ['not-from-api', 'that is a page and says JSON', (socket) => socket.write(answerText(200, ' <!doctype html>'))],
  [
    'not-from-api',
    'that is a text of a proxy',
    (socket) => socket.write(answerText(200, 'maintenance', { 'content-type': 'text/plain' })),
  ],
];

/** Writes 64 MB in chunks for as long as a client listens. */
function flood(socket: Socket): void {
  const chunk = Buffer.alloc(64 * 1024, 0x20);
  let left = 1024;
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      socket.write(`${chunk.length.toString(16)}\r\n`);
      if (!socket.write(Buffer.concat([chunk, Buffer.from('\r\n')]))) {
        socket.once('drain', more);
        return;
      }
    }
  };
  more();
}

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

  it('ends at the deadline if the body drips, and counts as applied', async () => {
    let drip: NodeJS.Timeout | undefined;
    const gateway = await server((socket) => {
      socket.write(`${head}content-length: 1000\r\n\r\n`);
      drip = setInterval(() => socket.write(' '), 20);
    });

    const error = await thrownBy(() => clientOf(gateway.baseUrl, short).createDataset(dataset));
    clearInterval(drip);

    expect(error).toBeInstanceOf(GatewayTimeoutError);
    expect(error).toMatchObject({ phase: 'body', status: 200 });
    expect(classifyFailure('post', error).reason).toBe('APPLIED_ID_UNKNOWN');
    expect(classifyFailure('patch', error).next).toBe('applied');
  });

  it('is read again once for a GET, from a page too', async () => {
    const gateway = await server((socket, request) => {
      if (request.number === 1) socket.end(`${head}content-length: 50\r\n\r\n{"pack`);
      else sendJson(socket, 200, { packages: [{ id: 'a' }] });
    });

    const page = await clientOf(gateway.baseUrl).listScannerPackages().next();

    expect(page.value).toMatchObject({ packages: [{ id: 'a' }] });
  });
});

describe('a status that is not 2xx', () => {
  it('carries what the gateway says, on one line', async () => {
    const gateway = await server((socket) => {
      sendJson(socket, 422, { detail: [{ loc: ['body', 'scannerId'], msg: 'bad\r\nlevel=error' }] });
    });

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
    ['1000000000', 900_000],
    ['-1', undefined],
    ['soon', undefined],
    ['Fri, 20 Nov 2026 22:01:00 GMT', 60_000],
  ])('reads Retry-After: %s', async (value, retryAfterMs) => {
    const gateway = await server((socket) => {
      sendJson(socket, 429, {}, { 'retry-after': value });
    });
    const client = clientOf(gateway.baseUrl, { now: () => Date.parse('2026-11-20T22:00:00Z') });

    expect(await thrownBy(() => client.listEndpoints())).toMatchObject({ status: 429, retryAfterMs });
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

  it('is classed by its status if it comes before the body was read', async () => {
    const gateway = await server(() => {}, {
      onConnection: (socket) => {
        socket.once('data', () => socket.end(answerText(413, '{}', { connection: 'close' })));
      },
    });

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset({ name: 'x'.repeat(30_000) }));

    expect(error).toMatchObject({ status: 413 });
  });

  it('repeats no PATCH in process, whose state would have to be read again before', async () => {
    const gateway = await server((socket) => {
      sendJson(socket, 412, {});
    });
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
    const gateway = await server((socket) => {
      sendJson(socket, 404, {});
    });
    const client = clientOf(gateway.baseUrl);

    expect(await thrownBy(() => client.getProject({ project: 'gone' }))).toMatchObject({ namesResource: true });
    expect(await thrownBy(() => client.listEndpoints())).toMatchObject({ namesResource: false });
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('are not followed (%i): no byte reaches the other host', async (status) => {
    const other = await server((socket) => {
      sendJson(socket, 200, { id: 'evil', endpoints: [], message: '' });
    });
    const gateway = await server((socket) => {
      sendJson(socket, status, {}, { location: `${other.baseUrl}/backend/v1/datasets?token=x` });
    });
    const client = clientOf(gateway.baseUrl);

    const errors = [
      await thrownBy(() => client.createDataset(dataset)),
      await thrownBy(() => client.updateCampaignRun({ campaignRunId: uuid, status: 's' })),
      await thrownBy(() => client.listEndpoints()),
    ];

    for (const error of errors) {
      expect(error).toMatchObject({ name: 'RedirectError', status, location: other.baseUrl, requestSent: true });
    }
    expect(gateway.requests).toHaveLength(3);
    expect(other.connections()).toBe(0);
  });
});

describe('a redirect whose body never comes', () => {
  it('is answered at once', async () => {
    const gateway = await server((socket) => {
      socket.write('HTTP/1.1 302 Found\r\nlocation: https://elsewhere.example/x\r\ncontent-length: 50\r\n\r\n');
    });

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset(dataset));

    expect(error).toMatchObject({ name: 'RedirectError', location: 'https://elsewhere.example' });
  });
});

describe('connections kept open', () => {
  it('survive a server that closes them when idle', async () => {
    const gateway = await server((socket) => {
      sendJson(socket, 200, { endpoints: [] });
      socket.end();
    });
    const client = clientOf(gateway.baseUrl);

    for (let calls = 0; calls < 5; calls += 1) {
      expect(await client.listEndpoints()).toEqual({ endpoints: [] });
    }
  });

  it('that die silently cost a GET one repeat and a POST nothing', async () => {
    const gateway = await server((socket, request) => {
      // Each kept connection answers once; the next request on it finds it dead.
      const first = gateway.requests.filter((other) => other.connection === request.connection).length === 1;
      if (first) sendJson(socket, 200, { endpoints: [], id: 'ds-1' });
      else socket.resetAndDestroy();
    });
    const client = clientOf(gateway.baseUrl);
    await client.listEndpoints();
    await new Promise((resolve) => setTimeout(resolve, 20));

    expect(await client.listEndpoints()).toMatchObject({ endpoints: [] });
    expect(await client.createDataset(dataset)).toMatchObject({ id: 'ds-1' });
    expect(gateway.requests.map((request) => request.method)).toEqual(['GET', 'GET', 'GET', 'POST']);
  });

  it('are not used again when they are older than half a minute, as after a freeze', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const gateway = await server((socket) => {
      sendJson(socket, 200, { message: 'ok' });
    });
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
