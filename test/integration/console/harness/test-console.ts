import { connect } from 'node:net';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import type { ProblemAnswer, SessionAnswer } from '#console/api.ts';
import { consoleStages } from '#console/server/console-stage.ts';
import { type ConsoleOptions, type RunningConsole, startConsole } from '#console/program/start-console.ts';
import { exampleDeps } from '../../../golden/example-stage.ts';

const page = { html: '<!doctype html><title>a page</title>', style: '', script: '' };

/** The real server over a stage with something of everything. */
export type TestConsole = Awaited<ReturnType<typeof startTestConsole>>;

export async function startTestConsole(options: Partial<ConsoleOptions> & { readonly deps?: OperatorDeps } = {}) {
  let elapsedMs = 0;
  const deps = options.deps ?? (await exampleDeps());
  const running = await startConsole({
    stages: consoleStages([{ label: '', words: [], open: () => deps }]),
    assets: () => Promise.resolve({ page }),
    operator: 'ann',
    elapsedMs: () => elapsedMs,
    ...options,
  });
  return {
    ...running,
    port: Number(new URL(running.url).port),
    deps,
    /** Lets time pass for the tokens. */
    passMs: (milliseconds: number) => void (elapsedMs += milliseconds),
    [Symbol.asyncDispose]: running.close,
  };
}

/** Each route as a request, with a text in the place of every parameter but the stage. */
export function requestsOf({ routes }: Pick<RunningConsole, 'routes'>, text = 'local') {
  return routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({
      method,
      path: path.replace(':stage', 'local').replaceAll(/:\w+(?:\{[^}]*\})?/g, encodeURIComponent(text)),
    }));
}

export function tokenIn(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '';
}

/** Opens a session with a token. */
export async function openWith({ url }: Pick<RunningConsole, 'url'>, token: string): Promise<Response> {
  return fetch(`${url}/api/session`, { method: 'POST', headers: { 'x-console-token': token } });
}

/** Opens the session of a new link. */
export async function openSession(running: Pick<RunningConsole, 'url' | 'newLink'>): Promise<string> {
  const answer = await openWith(running, tokenIn(running.newLink()));
  return ((await answer.json()) as SessionAnswer).session;
}

/** Asks and sends as a tab with a session does. */
export type Tab = (path: string, request?: RequestInit) => Promise<Response>;

/** A tab with a session of its own. */
export async function openTab(running: Pick<RunningConsole, 'url' | 'newLink'>): Promise<Tab> {
  const session = await openSession(running);
  return async (path, request = {}) => {
    const headers = new Headers(request.headers);
    headers.set('authorization', `Bearer ${session}`);
    return fetch(`${running.url}${path}`, { ...request, headers });
  };
}

/** Sends JSON, as the page does. */
export async function post(tab: Tab, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return tab(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Status and code of a refusal. */
export async function codeOf(answer: Response): Promise<string> {
  return `${answer.status} ${((await answer.json()) as ProblemAnswer).problem.code}`;
}

/** The status of an answer to a request as it is written here, line by line. */
export async function statusOfRaw(port: number, lines: readonly string[], host = '127.0.0.1'): Promise<number> {
  const socket = connect(port, host);
  try {
    return await new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('data', (data) => resolve(Number(String(data).split(' ')[1])));
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    });
  } finally {
    socket.destroy();
  }
}

/** Reads a stream until its text is enough. */
export async function readUntil({ body }: Response, isEnough: (text: string) => boolean): Promise<string> {
  let text = '';
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (isEnough(text)) return text;
  }
  throw new Error(`the stream ended after: ${text}`);
}
