import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProblemAnswer, SessionAnswer } from '#console/api.ts';
import { tokenForMs } from '#console/server/session.ts';
import { startAsOtherUser, whyNoOtherUser } from '../neighbours/other-user.ts';
import {
  openTab,
  openWith,
  requestsOf,
  startTestConsole,
  statusOfRaw,
  type TestConsole,
  tokenIn,
} from './harness/test-console.ts';

let running: TestConsole;

beforeAll(async () => {
  running = await startTestConsole({ allow: ['upload', 'resolve', 'switch'] });
  // A console without any session refuses everything by itself.
  await openTab(running);
});

afterAll(() => running.close());

describe('a request without a session', () => {
  test('is answered 401 on every route but the one that opens a session', async () => {
    const requests = requestsOf(running).filter(({ path }) => /^\/api\/(?!session$)/.test(path));

    const statuses = await Promise.all(
      requests.map(async ({ method, path }) => (await fetch(`${running.url}${path}`, { method })).status),
    );

    expect(requests.length).toBeGreaterThan(14);
    expect(new Set(statuses)).toEqual(new Set([401]));
  });

  test.each(['', 'Bearer ', 'Bearer wrong', 'Basic Og=='])('and with "%s" is answered 401', async (authorization) => {
    const { status } = await fetch(`${running.url}/api/stages`, { headers: { authorization } });

    expect(status).toBe(401);
  });
});

describe('the link', () => {
  test('opens one session, which ends with its streams if the link is shown again', async () => {
    const other = await openTab(running);
    const token = tokenIn(running.newLink());
    const { session } = (await (await openWith(running, token)).json()) as SessionAnswer;
    const headers = { authorization: `Bearer ${session}` };
    const ask = async () => (await fetch(`${running.url}/api/stages`, { headers })).status;
    const stream = await fetch(`${running.url}/api/live?stage=local`, { headers });

    const before = await ask();
    const again = await openWith(running, token);

    expect([before, again.status, await ask()]).toEqual([200, 401, 401]);
    expect(await stream.text()).toMatch(/^event: now\n/); // it ends
    expect((await other('/api/stages')).status).toBe(200);
  });

  test('is void once another is printed', async () => {
    const first = tokenIn(running.newLink());
    running.newLink();

    expect((await openWith(running, first)).status).toBe(401);
  });

  test('expires after five minutes', async () => {
    const token = tokenIn(running.newLink());
    running.passMs(tokenForMs + 1);

    const refused = await openWith(running, token);

    expect(refused.status).toBe(401);
    expect(((await refused.json()) as ProblemAnswer).problem.code).toBe('NO_TOKEN');
  });

  test('holds 32 bytes that no other link holds', () => {
    const tokens = Array.from({ length: 50 }, () => tokenIn(running.newLink()));

    expect(new Set(tokens).size).toBe(50);
    expect(Buffer.from(tokens[0] ?? '', 'base64url')).toHaveLength(32);
  });

  test('is not opened by an empty token, before a link was printed and after', async () => {
    await using fresh = await startTestConsole();

    expect((await openWith(fresh, '')).status).toBe(401);
    expect((await openWith(running, '')).status).toBe(401);
  });
});

describe('the guard before every path', () => {
  const paths = ['/', '/app.js', '/app.css', '/api/stages', '/api/live?stage=local', '/nothing'];

  test.each([
    ['a name that leads to 127.0.0.1', ['Host: evil.example:PORT']],
    ['a host without the port', ['Host: 127.0.0.1']],
    ['another port', ['Host: 127.0.0.1:1']],
    ['two hosts', ['Host: 127.0.0.1:PORT', 'Host: evil.example']],
    ['two hosts, both good', ['Host: 127.0.0.1:PORT', 'Host: localhost:PORT']],
    ['an empty host', ['Host:']],
    ['a foreign origin', ['Host: 127.0.0.1:PORT', 'Origin: http://evil.example']],
    ['an origin of the same host as its own name', ['Host: evil.example:PORT', 'Origin: http://evil.example:PORT']],
    ['a page on another port', ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:1']],
    ['the opaque origin of a sandbox', ['Host: 127.0.0.1:PORT', 'Origin: null']],
    ['a request across sites', ['Host: 127.0.0.1:PORT', 'Sec-Fetch-Site: cross-site']],
    ['a request of the same site, another port', ['Host: 127.0.0.1:PORT', 'Sec-Fetch-Site: same-site']],
  ])('refuses %s', async (_what, headers) => {
    const lines = headers.map((line) => line.replaceAll('PORT', String(running.port)));

    const statuses = await Promise.all(
      paths.map(async (path) => statusOfRaw(running.port, [`GET ${path} HTTP/1.1`, ...lines])),
    );

    expect(statuses).toEqual(paths.map(() => 403));
  });

  test('refuses a missing host', async () => {
    expect(await statusOfRaw(running.port, ['GET / HTTP/1.0'])).toBe(403);
    expect(await statusOfRaw(running.port, ['GET / HTTP/1.1'])).toBe(400);
  });

  test('believes the header, not an address in the request line', async () => {
    const line = `GET http://127.0.0.1:${running.port}/ HTTP/1.1`;

    expect(await statusOfRaw(running.port, [line, 'Host: evil.example'])).toBe(403);
  });

  test('lets a person open the page, and no answer, from the address bar', async () => {
    const typed = [`Host: localhost:${running.port}`, 'Sec-Fetch-Site: none'];

    expect(await statusOfRaw(running.port, ['GET / HTTP/1.1', ...typed])).toBe(200);
    expect(await statusOfRaw(running.port, ['GET /api/stages HTTP/1.1', ...typed])).toBe(403);
    expect(await statusOfRaw(running.port, ['POST / HTTP/1.1', 'Content-Length: 0', ...typed])).toBe(403);
  });
});

describe('another machine', () => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

  const noAddress = own === undefined ? ' (skipped: this machine has no address but 127.0.0.1)' : '';

  test.skipIf(own === undefined)(`finds nothing that listens at an address of this machine${noAddress}`, async () => {
    await expect(statusOfRaw(running.port, ['GET / HTTP/1.1'], own)).rejects.toThrow('ECONNREFUSED');
  });

  test('finds nothing at ::1 and nothing at 127.0.0.2', async () => {
    await expect(statusOfRaw(running.port, ['GET / HTTP/1.1'], '127.0.0.2')).rejects.toThrow('ECONNREFUSED');
    await expect(statusOfRaw(running.port, ['GET / HTTP/1.1'], '::1')).rejects.toThrow(
      /ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH/,
    );
  });
});

const noOther = whyNoOtherUser();

describe('another user of this machine', () => {
  test.skipIf(noOther !== undefined)(
    `gets no answer, also with the link of a browser’s command line${noOther === undefined ? '' : ` (skipped: ${noOther})`}`,
    async () => {
      const token = tokenIn(running.newLink());
      const script = `const ask = async (path, headers = {}, method = 'GET') =>
        fetch(input.url + path, { headers, method }).then(({ status }) => status, () => 'none');
      return [await ask('/'), await ask('/app.js'), await ask('/api/stages'),
        await ask('/api/live?stage=local'), await ask('/api/session', { 'x-console-token': input.token }, 'POST')];`;

      const { firstLine } = await startAsOtherUser(script, { url: running.url, token });

      expect(JSON.parse(firstLine)).toEqual(['none', 'none', 'none', 'none', 'none']);
      expect((await openWith(running, token)).status).toBe(200);
    },
  );
});

test('a tab reads "gone" before its console ends', async () => {
  const ending = await startTestConsole();
  const tab = await openTab(ending);
  const stream = await tab('/api/live?stage=local');
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? '';

  await ending.close();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;

  expect(text).toMatch(/^event: now\n/);
  expect(text).toContain('event: gone\n');
  await expect(tab('/api/stages')).rejects.toThrow('fetch failed');
});

// The next listener on the port may be another user's, and must not get from a tab what a console still takes.
test('a session and a link are worth nothing from the moment at which the console begins to end', async () => {
  const ending = await startTestConsole();
  const { session } = (await (await openWith(ending, tokenIn(ending.newLink()))).json()) as SessionAnswer;
  const headers = { authorization: `Bearer ${session}` };
  const requests = [
    ['GET /api/stages HTTP/1.1', `Authorization: ${headers.authorization}`],
    ['POST /api/session HTTP/1.1', 'Content-Length: 0', `X-Console-Token: ${tokenIn(ending.newLink())}`],
  ];
  // A console that a tab follows waits a moment, so that the tab reads its end.
  const stream = await fetch(`${ending.url}/api/live?stage=local`, { headers });
  expect((await fetch(`${ending.url}/api/stages`, { headers })).status).toBe(200);
  const sockets = await Promise.all(requests.map(async () => connected(ending.port)));

  sockets.forEach((socket, index) =>
    socket.write(`${[...(requests[index] ?? []), `Host: 127.0.0.1:${ending.port}`].join('\r\n')}\r\n\r\n`),
  );
  const closed = ending.close();
  const answers = await Promise.all(sockets.map(firstLineOf));
  await closed;
  await stream.body?.cancel();

  // On a machine that stands still for that moment they are closed before an answer.
  for (const answer of answers) expect(answer).toMatch(/^(?:HTTP\/1\.1 401 |$)/);
});

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** The first line that a socket reads; empty if it is closed before. */
async function firstLineOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (data) => resolve(String(data).split('\r\n')[0] ?? ''));
    socket.once('error', () => resolve(''));
    socket.once('close', () => resolve(''));
  });
}
