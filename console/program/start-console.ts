import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { UsageError } from '#operator/errors.ts';
import { kept } from '#operator/stage/stage-clients.ts';
import { keepToOwner } from '#shared/net/connection-owner.ts';
import type { ConsoleAssets } from '../assets.ts';
import type { ConsoleStage } from '../server/console-stage.ts';
import { guarded } from '../server/guard.ts';
import { createLive, type ServedStage } from '../server/served-stage.ts';
import type { WriteKind } from '../api.ts';
import { targetOfStage } from '../server/problems.ts';
import { readNow } from '../server/read-now.ts';
import { createSessions } from '../server/session.ts';
import { createConsoleApp } from './app.ts';

/** What a console is started with. */
export interface ConsoleOptions {
  readonly stages: readonly ConsoleStage[];
  /** Called by the first request that needs them, and by the next if that failed. */
  readonly assets: () => Promise<ConsoleAssets>;
  /** What it may change. @default nothing */
  readonly allow?: readonly WriteKind[];
  /** The person, as the page greets them. */
  readonly operator: string;
  /** @default a free one */
  readonly port?: number;
  /** Real milliseconds from an arbitrary start. @default `performance.now` */
  readonly elapsedMs?: () => number;
  /** A connection that is silent for this long is closed, and a request that takes longer to arrive. @default 60_000 */
  readonly idleMs?: number;
  /** Hears that connections are refused. */
  readonly warn?: (line: string) => void;
}

/** A console that listens. */
export interface RunningConsole {
  /** `http://127.0.0.1:PORT`: who opens it without a link has no session. */
  readonly url: string;
  /** An address to open once, within five minutes; the one before it is void. */
  readonly newLink: () => string;
  /** Every route, as `GET /api/stages`. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** Tells the tabs that it ends, ends their sessions, and closes. */
  readonly close: () => Promise<void>;
}

/** Tabs have this long to read that the console ends. */
const goodbyeMs = 200;

/**
 * Starts the console on 127.0.0.1 and nowhere else: it holds a person's credentials.
 * @throws UsageError if the port is taken
 */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const elapsedMs = options.elapsedMs ?? (() => performance.now());
  const sessions = createSessions({ secret: () => randomBytes(32).toString('base64url'), elapsedMs });
  const gone = new Set<() => void>();
  const { allow = [], operator, idleMs = 60_000 } = options;
  const stages = options.stages.map((stage): ServedStage => {
    const read = async () => readNow(stage);
    return { ...stage, live: createLive({ read, forget: stage.forget, target: () => targetOfStage(stage) }) };
  });
  const app = createConsoleApp({
    assets: kept(options.assets),
    stages,
    sessions,
    allow,
    operator,
    idleMs,
    onGone(listener) {
      gone.add(listener);
      return () => void gone.delete(listener);
    },
  });
  let port = 0;
  // Without this the library replaces Response in the whole process, in which `npm start` runs the gateway too.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer(
    { requestTimeout: idleMs, headersTimeout: idleMs / 2, connectionsCheckingInterval: idleMs / 10 },
    guarded(
      (request, response) => void listener(request, response),
      () => port,
    ),
  );
  server.setTimeout(idleMs);
  keepToOwner(server, { warn: options.warn ?? (() => {}) });
  port = await listen(server, options.port ?? 0);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    newLink: () => `${url}/#token=${sessions.newToken()}`,
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    async close() {
      sessions.end();
      for (const say of gone) say();
      if (gone.size > 0) await sleep(goodbyeMs);
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new UsageError(`the port ${port} is taken: leave --port out, or give another`, { cause: error });
  }
  return (server.address() as AddressInfo).port;
}
