import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningGateway, startGateway } from '#gateway/server.ts';
import { assertBearerToken } from '#shared/gateway-client/bearer-token.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { MalformedTokenError } from '#shared/gateway-client/failures/errors.ts';
import { type StartOptions, StartProblem, tokenVariable } from './start-options.ts';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The gateway that the stage talks to. */
export interface GatewayAccess {
  readonly url: string;
  readonly token: string;
  /** Only the embedded gateway's token is anybody's to see. */
  readonly isEmbedded: boolean;
  readonly close: () => Promise<void>;
}

/**
 * Starts the embedded gateway, or takes the real one that was asked for.
 * @throws StartProblem for a port in use, or a real gateway without a token that can be sent
 */
export async function openGateway(
  options: StartOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<GatewayAccess> {
  if (options.gatewayUrl !== undefined) return realGateway(options.gatewayUrl, env[tokenVariable]);
  const port = await freePort(options.gatewayPort, '--gateway-port');
  const token = keptToken(options.dataDir);
  const gateway: RunningGateway = await startGateway({
    port,
    database: join(options.dataDir, 'gateway.sqlite'),
    tokens: [token],
    strict: options.isGatewayStrict,
    now: () => new Date(),
    onDefect: showDefect,
  });
  return { url: gateway.url, token, isEmbedded: true, close: async () => gateway.close() };
}

/** The words of an error may come from a request: they stay one line, and only the frames below it get lines of their own. */
function showDefect(error: unknown): void {
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) : [];
  createTerminalWriter(process.stderr).writeLines([`the embedded gateway failed: ${String(error)}`, ...frames]);
}

function realGateway(url: string, token: string | undefined): GatewayAccess {
  if (token === undefined || token === '') {
    throw new StartProblem(`--gateway ${url} needs its token in the environment variable ${tokenVariable}`);
  }
  refuseUnsendable(token);
  return { url, token, isEmbedded: false, close: async () => {} };
}

/** Every call would fail by it, and nobody would be told before the first one. */
function refuseUnsendable(token: string): void {
  try {
    assertBearerToken(token);
  } catch (error) {
    if (!(error instanceof MalformedTokenError)) throw error;
    throw new StartProblem(`${tokenVariable} cannot be used: ${error.message}; set it to the token alone`, {
      cause: error,
    });
  }
}

/** The embedded gateway's token: made once for a data folder, readable by its owner. */
function keptToken(dataDir: string): string {
  const file = join(dataDir, 'gateway-token');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    const token = `local-${randomBytes(18).toString('base64url')}`;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    return token;
  }
}

/**
 * The port to listen on: the one asked for, if it is free, or any free one for 0.
 * @throws StartProblem when somebody listens there already
 */
export async function freePort(port: number, flag: string): Promise<number> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new StartProblem(`port ${port} is in use: end what listens there, or choose another with ${flag}`, {
        cause: error,
      });
    }
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      throw new StartProblem(`port ${port} needs more rights than yours: choose one above 1023 with ${flag}`, {
        cause: error,
      });
    }
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : port;
}
