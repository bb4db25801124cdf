import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SessionAnswer } from '#console/api.ts';
import type { PageFiles } from '#console/bundle-page.ts';
import { readEveryMs } from '#console/server/served-stage.ts';
import * as facts from './facts.ts';

/** A server with fixed facts for the page: the policy of the real one, and answers that its schemas accept. */
export type FixtureServer = Awaited<ReturnType<typeof startFixture>>;

/** Two stages of one name, in two regions. */
const stages = [
  { name: 'prod', words: ['--stage', 'prod@eu-west-1:work'] },
  { name: 'broken', words: ['--stage', 'prod@us-east-1:work'] },
];

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

export const token = 'a-token-of-one-use';

/** What the server knows of its stages. */
interface FixtureFacts {
  readonly session: Pick<SessionAnswer, 'stages' | 'operator'>;
  readonly allow: SessionAnswer['allow'];
  readonly now: () => unknown;
  /** The answer to a path; undefined if there is none, and a problem is a refusal. */
  readonly answerTo: (path: string, query: URLSearchParams, body: string) => unknown;
}

/** @param known - facts in the place of the fixed ones */
export async function startFixture(page: PageFiles, known: Partial<FixtureFacts> = {}) {
  const { session = { stages, operator: 'ann' }, allow = [], now = () => facts.now, answerTo = facts.answerTo } = known;
  /** Each with the event that it was sent last. */
  const streams = new Map<ServerResponse, string>();
  const send = (response: ServerResponse, text: string) => {
    streams.set(response, text);
    response.write(text);
  };
  // As the real one does: a page whose stream gives nothing says so.
  const again = setInterval(() => streams.forEach((text, response) => response.write(text)), readEveryMs);
  const sent: string[] = [];
  const asked: string[] = [];
  let denied: string | undefined;
  let isGone = false;
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/': ['text/html; charset=utf-8', page.html],
    '/app.js': ['text/javascript; charset=utf-8', page.script],
    '/app.css': ['text/css; charset=utf-8', page.style],
  };

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://fixture');
    response.setHeader('content-security-policy', policy);
    const file = files[pathname];
    if (file !== undefined) return response.setHeader('content-type', file[0]).end(file[1]);
    if (pathname === '/api/session') return openSession(request, response);
    if (request.headers.authorization !== 'Bearer a-session') return problem(response, 401, 'no session');
    if (pathname === '/api/live') return stream(response);
    asked.push(pathname);
    const body = await bodyOf(request);
    if (request.method === 'POST') sent.push(`${pathname}${decodeURIComponent(search)} ${body}`);
    if (denied !== undefined) return problem(response, 403, denied);
    const answer = answerTo(decodeURIComponent(pathname), searchParams, body);
    if (answer === undefined) return problem(response, 404, 'there is no such answer');
    return json(response, 'problem' in (answer as object) ? 403 : 200, answer);
  };
  const openSession = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers['x-console-token'] !== token) return problem(response, 401, 'this address was used');
    return json(response, 200, {
      session: 'a-session',
      project: '/srv/stage',
      folder: '/srv/stage',
      allow,
      ...session,
    });
  };
  const stream = (response: ServerResponse) => {
    response.on('close', () => streams.delete(response));
    response.setHeader('content-type', 'text/event-stream');
    response.write(': a comment\n\n');
    if (isGone) {
      response.end(event('gone', {}));
      return;
    }
    send(response, denied === undefined ? event('now', now()) : event('problem', problemBody(denied)));
  };

  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    /** What the page sent to change something, as `METHOD path body`. */
    sent: sent as readonly string[],
    /** Paths that were asked for, the newest last. */
    asked: asked as readonly string[],
    /** Sends every stream the facts of this moment. */
    tell: () => {
      for (const each of streams.keys()) send(each, event('now', now()));
    },
    /** Ends every stream with the event `gone`. */
    goAway: () => {
      isGone = true; // also for a stream that the page opens at this moment
      for (const each of streams.keys()) each.end(event('gone', {}));
      streams.clear();
    },
    /** From now on every answer of the stage is this problem. */
    deny: (message: string) => {
      denied = message;
      for (const each of streams.keys()) send(each, event('problem', problemBody(message)));
    },
    close: async () => {
      clearInterval(again);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const problemBody = (message: string) => ({ problem: { code: 'DENIED', message, command: ['aws', 'sso', 'login'] } });

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function problem(response: ServerResponse, status: number, message: string): void {
  json(response, status, problemBody(message));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
