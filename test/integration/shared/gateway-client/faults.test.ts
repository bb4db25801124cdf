import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { BadStatusError, ConnectionLostError } from '#shared/gateway-client/index.ts';
import { answering, clientOf, server, thrownBy, uuid } from './clients.ts';
import { sendJson } from './raw-server.ts';

// What the client makes of rare answers; each fault of the catalogue, up to the ledger, is in test/faults/transport.

const dataset = { name: 'n' };
const short = { timeouts: { totalMs: 500, headersMs: 5000 } };

describe('a request without an answer', () => {
  it('repeats no GET if that is switched off', async () => {
    const gateway = await server((socket) => socket.resetAndDestroy());

    await thrownBy(() => clientOf(gateway.baseUrl, { repeatGets: false }).listEndpoints());

    expect(gateway.requests).toHaveLength(1);
  });
});

describe('a status that is not 2xx', () => {
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

    expect(error).toMatchObject({ name: 'RedirectError', location: 'https://elsewhere.example' });
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
