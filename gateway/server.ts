/**
 * The router: the operations of the interface, those beside them, the control surface, and an
 * answer to everything else.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { isOwnCaller, keepToOwner, limitConnections } from '#shared/net/connection-owner.ts';
import { controlRoutes, isOwnAddress } from './control/control-routes.ts';
import { FaultRegistry } from './faults/fault-registry.ts';
import { strikeFaults } from './http/strike.ts';
import {
  type GatewayEnvironment,
  type GatewayParts,
  notFound,
  refusal,
  requireToken,
  TokenSet,
} from './http/environment.ts';
import { serveScannerPackages } from './operations/list-scanner-packages.ts';
import { acceptSchedule, serveRuns } from './operations/made-runs.ts';
import { serveCampaign, serveCampaignRun, serveProject, serveEndpoints } from './operations/read-resources.ts';
import { acceptDataset, acceptRunChange } from './operations/write-resources.ts';
import { defaultProfile, type ProfileOptions } from './model/profile.ts';
import { type OperationName, operationNames, servedOperations } from './model/resources.ts';
import { seed, usualLengthMs } from './seed/seed.ts';
import { answerRequestId, logRequests } from './http/request-log.ts';
import { interfaceRules, realRules, type RunRules } from './store/run-rules.ts';
import { Store } from './store/store.ts';

const operations: Readonly<
  Record<OperationName, (context: Context<GatewayEnvironment>, parts: GatewayParts) => Response | Promise<Response>>
> = {
  getProject: serveProject,
  listEndpoints: serveEndpoints,
  getCampaign: serveCampaign,
  listScannerPackages: serveScannerPackages,
  updateCampaignRun: acceptRunChange,
  createDataset: acceptDataset,
  readCampaignRun: serveCampaignRun,
  makeRun: acceptSchedule,
  listRuns: serveRuns,
};

/**
 * Builds the router. Order matters: the control surface is neither logged, nor struck by faults,
 * nor asked for a token.
 */
function createGatewayApp(parts: GatewayParts, isControlServed: boolean): Hono<GatewayEnvironment> {
  const app = new Hono<GatewayEnvironment>();
  app.onError((error) => answerTo(error, parts.onDefect));
  app.notFound(() => notFound('path').getResponse());
  app.use(
    requestId({ limitLength: 128 }),
    answerRequestId,
    methodNotAllowed({ app, onMethodNotAllowed: answerMethods }),
  );
  if (isControlServed) app.route('/_control', controlRoutes(parts));
  app.use('/_control/*', () => Promise.resolve(notFound('path').getResponse()));
  app.use(logRequests(parts), strikeFaults(parts));
  app.use('/backend/v1/*', requireToken(parts.tokens));
  for (const name of operationNames) {
    const { method, path } = servedOperations[name];
    app.on(method, path, (context) => operations[name](context, parts));
  }
  return app;
}

function answerMethods(_: unknown, allowed: readonly string[]): Response {
  return refusal(405, 'Method Not Allowed', { allow: allowed.join(', ') }).getResponse();
}

/**
 * Makes the answer to every error. A 500 is a defect of this gateway, so who runs it hears of it.
 */
function answerTo(error: unknown, onDefect: GatewayParts['onDefect']): Response {
  if (error instanceof HTTPException) return error.getResponse();
  onDefect(error);
  return refusal(500, 'the embedded gateway failed; its console says why').getResponse();
}

// Starts the gateway in this process: for `npm run gateway`, for the local run, and for tests.

/** How to start it. */
export interface GatewayOptions extends ProfileOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** @default 127.0.0.1. A loopback address answers this user and root alone, and only such a one serves the control surface */
  readonly host?: string;
  /** The file that holds the state, or `:memory:`. An empty one is seeded. */
  readonly database: string;
  /** The bearer tokens that are good; with none, every request gets a 401. */
  readonly tokens: readonly string[];
  /** Hears of a defect: an error that became a 500. @default the console shows it */
  readonly onDefect?: (error: unknown) => void;
  /** Hears that connections are refused, since there are too many. @default the console shows it */
  readonly warn?: (line: string) => void;
  /** The gateway's clock. @default the system's */
  readonly now?: () => Date;
}

/** A gateway that listens. */
export interface RunningGateway {
  readonly url: string;
  readonly port: number;
  /** From now on these tokens are good and no others. */
  setTokens(tokens: readonly string[]): void;
  /** Destroys every connection, lets what is being written finish, and closes the database. */
  close(): Promise<void>;
}

/**
 * Starts a gateway and resolves when it listens.
 *
 * @example
 * const gateway = await startGateway({ port: 0, database: ':memory:', tokens: ['secret'] });
 * await fetch(`${gateway.url}/backend/v1/endpoints`, { headers: { authorization: 'Bearer secret' } });
 * await gateway.close();
 */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { host = '127.0.0.1', now = () => new Date(), profile = defaultProfile, onDefect = showDefect } = options;
  const { warn = showDefect } = options;
  const closing = new AbortController();
  const server = createServer();
  await listen(server, options.port, host);

  const rules =
    profile === 'real' ? realRules(options.late, (run) => options.runLengthMs ?? usualLengthMs(run)) : interfaceRules;
  const store = openStore(server, options.database, rules);
  const tokens = new TokenSet(options.tokens);
  const faults = new FaultRegistry();
  const parts: GatewayParts = { store, tokens, faults, profile, now, onDefect, closing: closing.signal };
  const address = server.address() as AddressInfo;
  const isOwnersAlone = isOwnAddress(address.address);
  if (isOwnersAlone) keepToOwner(server, { warn });
  else limitConnections(server, { warn });
  const inFlight = serve(server, createGatewayApp(parts, isOwnersAlone), { onDefect, isOwnersAlone });

  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    port: address.port,
    setTokens: (next) => tokens.replace(next),
    close: once(async () => {
      closing.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await Promise.allSettled(inFlight);
      store.close();
    }),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function showDefect(error: unknown): void {
  console.error(error);
}

/**
 * The port is taken first, so that a second gateway on the same port never touches the first one's
 * file.
 */
function openStore(server: Server, path: string, rules: RunRules): Store {
  try {
    const store = new Store(path, rules);
    if (store.isEmpty) seed(store);
    return store;
  } catch (error) {
    server.close();
    throw error;
  }
}

/** Connects the router to the server, and answers the requests that are being served. */
function serve(
  server: Server,
  app: ReturnType<typeof createGatewayApp>,
  { onDefect, isOwnersAlone }: Pick<GatewayParts, 'onDefect'> & { readonly isOwnersAlone: boolean },
): ReadonlySet<Promise<unknown>> {
  const inFlight = new Set<Promise<unknown>>();
  const listener = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    overrideGlobalObjects: false, // this process is a guest's: its Request and Response stay its own
    errorHandler: (error) =>
      error instanceof Error && error.name === 'RequestError'
        ? refusal(400, 'the request is not well-formed HTTP').getResponse()
        : answerTo(error, onDefect),
  });
  const answerOwn = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    if (!isOwnersAlone || (await isOwnCaller(incoming.socket))) await listener(incoming, outgoing);
  };
  server.on('request', (incoming, outgoing) => {
    const served = answerOwn(incoming, outgoing).finally(() => inFlight.delete(served));
    inFlight.add(served);
  });
  return inFlight;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}
