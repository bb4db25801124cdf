import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningGateway, startGateway } from '#gateway/server.ts';
import { assertBearerToken } from '#shared/gateway-client/bearer-token.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { chooseToken, readKeptTokens } from './gateway-token.ts';
import { type StartOptions, tokenVariable } from './start-options.ts';
import { fromState, fromStateLater, StartProblem } from './start-problem.ts';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The gateway that the stage talks to. */
export interface GatewayAccess {
  readonly url: string;
  /** To be put into the stage's secret; absent if the secret stays as it is. */
  readonly token?: string;
  /** Which token that is, for a person; absent if there is no choice. */
  readonly says?: string;
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
  if (options.gatewayUrl !== undefined) return realGateway(options.gatewayUrl, env[tokenVariable], options);
  const port = await freePort(options.gatewayPort, '--gateway-port');
  const token = keptToken(options.dataDir);
  const database = join(options.dataDir, 'gateway.sqlite');
  const gateway: RunningGateway = await fromStateLater(database, async () =>
    startGateway({
      port,
      database,
      tokens: [token],
      strict: options.isGatewayStrict,
      now: () => new Date(),
      onDefect: showDefect,
    }),
  );
  return { url: gateway.url, token, isEmbedded: true, close: async () => gateway.close() };
}

/** The words of an error may come from a request: they stay one line, and only the frames below it get lines of their own. */
function showDefect(error: unknown): void {
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) : [];
  createTerminalWriter(process.stderr).writeLines([`the embedded gateway failed: ${String(error)}`, ...frames]);
}

/** Without a token in the variable the stage keeps the one that it has. */
function realGateway(url: string, given: string | undefined, { dataDir, stage }: StartOptions): GatewayAccess {
  const kept = readKeptTokens(join(dataDir, 'aws'), stage, readToken(dataDir));
  return { url, ...chooseToken(url, { given, ...kept }), isEmbedded: false, close: async () => {} };
}

/** The embedded gateway's token: made once for a data folder, readable by its owner. */
function keptToken(dataDir: string): string {
  const kept = readToken(dataDir);
  if (kept !== undefined) return kept;
  const token = `local-${randomBytes(18).toString('base64url')}`;
  writeFileSync(tokenFile(dataDir), `${token}\n`, { mode: 0o600 });
  return token;
}

function tokenFile(dataDir: string): string {
  return join(dataDir, 'gateway-token');
}

function readToken(dataDir: string): string | undefined {
  const file = tokenFile(dataDir);
  if (!existsSync(file)) return undefined;
  return fromState(file, () => {
    const token = readFileSync(file, 'utf8').trim();
    assertBearerToken(token);
    return token;
  });
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
