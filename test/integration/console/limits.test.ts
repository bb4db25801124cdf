import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { writeKinds } from '#console/api.ts';
import { exampleDeps } from '../../golden/example-stage.ts';
import type { StageAccess } from '#operator/stage/stage-access.ts';
import {
  codeOf,
  openSession,
  openTab,
  readUntil,
  startTestConsole,
  statusOfRaw,
  type Tab,
  type TestConsole,
} from './harness/test-console.ts';

const MB = 1024 * 1024;
const json = { 'content-type': 'application/json' };

let running: TestConsole;
let tab: Tab;
beforeAll(async () => {
  running = await startTestConsole({ allow: writeKinds });
  tab = await openTab(running);
});
afterAll(() => running.close());

/** A body whose length no header tells. */
function inPieces(text: string): { readonly body: ReadableStream; readonly duplex: 'half' } {
  const pieces = [text.slice(0, 1000), text.slice(1000)].map((piece) => Buffer.from(piece));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
  return { body, duplex: 'half' };
}

/** JSON that a route would take if it were shorter. */
function freezeOf(bytes: number): string {
  const [start, end] = ['{"action":"freeze","because":"', '"}'];
  return `${start}${'x'.repeat(bytes - start.length - end.length)}${end}`;
}

describe('a JSON body', () => {
  const path = '/api/stages/local/switches';

  // One without a length was answered 502, with an error of the library, however short it was.
  test.each([
    ['with its length', (text: string) => ({ body: text })],
    ['in pieces without a length', inPieces],
  ])('of 1 MB is read, and of one byte more is refused, sent %s', async (_how, sent) => {
    const send = async (bytes: number) => tab(path, { method: 'POST', headers: json, ...sent(freezeOf(bytes)) });

    expect((await send(MB)).status).toBe(200);
    expect(await codeOf(await send(MB + 1))).toBe('413 TOO_LARGE');
  });

  test('that is not there is a mistake of the request and not of the console', async () => {
    const host = `Host: 127.0.0.1:${running.port}`;

    expect(await codeOf(await tab(path, { method: 'POST', headers: json, ...inPieces('') }))).toBe('400 USAGE');
    expect(await statusOfRaw(running.port, ['POST /api/session HTTP/1.1', host])).toBe(401);
  });
});

describe.each(['check', 'uploads'])('a file that is sent to %s', (route) => {
  const path = `/api/stages/local/${route}?key=datasets/large.csv&because=CHG-9`;
  const header = 'prompt,label\n';
  const fileOf = (bytes: number) => `${header}${`${'a'.repeat(999)},1\n`.repeat(bytes / 1000)}`.slice(0, bytes);

  test('may have more than the 1 MB of a JSON body', async () => {
    expect((await tab(path, { method: 'POST', body: fileOf(MB + 1) })).status).toBe(200);
  });

  test('is refused above 10 MB', async () => {
    expect(await codeOf(await tab(path, { method: 'POST', ...inPieces(fileOf(10 * MB + 1)) }))).toBe('413 TOO_LARGE');
  });
});

async function open(signal?: AbortSignal): Promise<Response> {
  return tab('/api/live?stage=local', { signal });
}

describe('live streams', () => {
  test('are eight at most, and one that a tab leaves makes room for another', async () => {
    const leaving = new AbortController();
    const eight = await Promise.all([open(leaving.signal), ...Array.from({ length: 7 }, async () => open())]);

    const ninth = await open();
    leaving.abort();

    expect(eight.map(({ status }) => status)).toEqual(eight.map(() => 200));
    expect(await codeOf(ninth)).toBe('429 TOO_MANY_STREAMS');
    await expect.poll(async () => (await open()).status, { timeout: 120_000 }).toBe(200);
    expect(await codeOf(await open())).toBe('429 TOO_MANY_STREAMS');
  });
});

/** Ends once the console has closed a socket, in order or by a reset: what is written to a closed one is an error. */
async function closed(socket: Socket): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.resume().once('close', () => resolve());
  });
}

/** What a socket reads until the console closes it. */
async function readToEnd(port: number, start: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => (text += String(data)));
  socket.write(start);
  await closed(socket);
  return text;
}

/** Tries until it is done: on a machine under load an impatient console cuts the test's own connection too. */
async function persist<Done>(attempt: () => Promise<Done>): Promise<Done> {
  return vi.waitFor(attempt, { timeout: patienceMs });
}

/** Less than the 60 s after which a console that ignores its setting closes a connection. */
const patienceMs = 50_000;

describe('a connection that is silent for longer than it may', { timeout: patienceMs }, () => {
  test.each([
    ['before a request', []],
    ['within the head of a request', ['GET / HTTP/1.1', 'Host: 127.0.0.1']],
    [
      'within a body',
      [
        'POST /api/stages/local/check?key=datasets/a.csv HTTP/1.1',
        'Host: 127.0.0.1:PORT',
        'Authorization: Bearer SESSION',
        'Content-Length: 10',
        '',
        'prompt',
      ],
    ],
  ])('is closed %s', async (_when, lines) => {
    await using impatient = await startTestConsole({ idleMs: 100 });
    const session = await persist(async () => openSession(impatient));
    const start = lines.join('\r\n').replace('PORT', String(impatient.port)).replace('SESSION', session);

    const text = await readToEnd(impatient.port, start);

    expect(text).not.toMatch(/^HTTP\/1\.1 2/);
  });

  // The other limits are about a request that does not arrive; a browser has six connections, and each tab needs one.
  test('is closed while a stage leaves its question without an answer', async () => {
    const deps = await exampleDeps();
    const stage: StageAccess = {
      ...deps.stage,
      ledger: async () => new Promise<never>(() => {}),
      until: () => stage,
    };
    await using impatient = await startTestConsole({ idleMs: 100, deps: { ...deps, stage } });
    const asks = await persist(async () => openTab(impatient));

    await expect(asks('/api/stages/local/parked')).rejects.toThrow('fetch failed');
  });

  test.each([
    ['the head of a request', 'GET / HTTP/1.1\r\nX-Long: '],
    ['a body', 'POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 100000\r\n\r\n'],
  ])('is closed though it never is silent, if %s does not end', async (_what, start) => {
    // Long enough that a busy machine is not taken for a silent connection.
    await using impatient = await startTestConsole({ idleMs: 800 });
    const socket = connect(impatient.port, '127.0.0.1');
    socket.write(start.replace('PORT', String(impatient.port)));
    const drops = setInterval(() => socket.write('x'), 20);

    await closed(socket);
    clearInterval(drops);

    expect(socket.destroyed).toBe(true);
  });

  test('is kept by a comment while a tab follows a stage', async () => {
    await using impatient = await startTestConsole({ idleMs: 400 });

    // Several comments go by in the time after which a silent connection is closed.
    const text = await persist(async () => {
      const stream = await (await openTab(impatient))('/api/live?stage=local');
      return readUntil(stream, (read) => read.split(': still here').length === 10);
    });

    expect(text).toMatch(/^event: now\n/);
  });
});

// The page of a checkout is bundled at its first request: a typing error in it stayed until the console was started again.
test('a page that could not be made is made again at the next request', async () => {
  let isBroken = true;
  const page = { html: 'the page', script: '', style: '' };
  await using mended = await startTestConsole({
    assets: async () => (isBroken ? Promise.reject(new Error('no such file')) : { page }),
  });

  const { status } = await fetch(mended.url);
  isBroken = false;

  expect(status).toBe(502);
  expect(await (await fetch(mended.url)).text()).toBe('the page');
});
