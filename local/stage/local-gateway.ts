import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type RunningGateway, startGateway } from '#gateway/server.ts';
import { tokenInSecret } from '#shared/aws/secret-token.ts';
import { MalformedTokenError } from '#shared/gateway-client/failures/errors.ts';
import { assertBearerToken } from '#shared/gateway-client/operation.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import { openSecretStore } from '../aws/services/secrets-service.ts';
import { type StartOptions, tokenVariable } from './start-options.ts';
import { fromState, fromStateLater, StartProblem } from '../state/start-problem.ts';

/** The gateway that the stage talks to. */
export interface LocalGatewayAccess {
  readonly url: string;
  /** To be put into the stage's secret; absent if the secret stays as it is. */
  readonly token?: string;
  /** Which token that is, for a person; absent if there is no choice. */
  readonly says?: string;
  /** Only the embedded gateway's token is no secret. */
  readonly isEmbedded: boolean;
  readonly close: () => Promise<void>;
}

/**
 * Starts the embedded gateway, or takes the real one that was asked for.
 * @param given - the token of the environment variable
 * @throws StartProblem for a port in use, or a real gateway without a token that can be sent
 */
export async function openGateway(options: StartOptions, given?: string): Promise<LocalGatewayAccess> {
  if (options.gatewayUrl !== undefined) return realGateway(options.gatewayUrl, given, options);
  const port = await freePort(options.gatewayPort, '--gateway-port');
  const token = keptToken(options.dataDir);
  const database = join(options.dataDir, 'gateway.sqlite');
  const gateway: RunningGateway = await fromStateLater(database, async () =>
    startGateway({
      port,
      database,
      tokens: [token],
      ...options.embedded,
      now: () => new Date(),
      onDefect: showDefect,
      warn: (line) => createTerminalWriter(process.stderr).writeLines([`the embedded gateway: ${line}`]),
    }),
  );
  return { url: gateway.url, token, isEmbedded: true, close: async () => gateway.close() };
}

/**
 * The words of an error may come from a request: they stay one line, and only the frames below it
 * get lines of their own.
 */
function showDefect(error: unknown): void {
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) : [];
  createTerminalWriter(process.stderr).writeLines([`the embedded gateway failed: ${String(error)}`, ...frames]);
}

/** Without a token in the variable the stage keeps the one that it has. */
function realGateway(url: string, given: string | undefined, { dataDir, stage }: StartOptions): LocalGatewayAccess {
  const kept = readKeptTokens(join(dataDir, 'aws'), stage, readToken(dataDir));
  return { url, ...chooseToken(url, given, kept), isEmbedded: false, close: async () => {} };
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
 * @throws StartProblem if another process listens there already
 */
export async function freePort(port: number, flag: string): Promise<number> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'EADDRINUSE')
      throw new StartProblem(`port ${port} is in use: end what listens there, or choose another with ${flag}`, {
        cause,
      });
    if (code === 'EACCES')
      throw new StartProblem(`port ${port} needs more rights than yours: choose one above 1023 with ${flag}`, {
        cause,
      });
    throw cause;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : port;
}

// Which token a real gateway is called with: that of the environment variable, or the one that is
// kept in the stage's secret.

/** A token that is kept, and when it was put in. */
interface KeptToken {
  readonly token: string;
  readonly createdAt: number;
}

/** What the secret has held; `current` is the one that the workers read. */
interface KeptTokens {
  readonly current?: KeptToken | undefined;
  readonly kept: readonly KeptToken[];
}

/**
 * Chooses. The variable is left as it is after `autopilot token set`, so its token counts only if
 * it was not there before the current one.
 * @returns without `token` the secret stays as it is
 * @throws StartProblem if there is none, or none that can be sent
 */
function chooseToken(
  gatewayUrl: string,
  given: string | undefined,
  { current, kept }: KeptTokens,
): Pick<LocalGatewayAccess, 'token' | 'says'> {
  if (given === undefined || given === '') {
    if (current !== undefined) return { says: 'the gateway is called with the stored token' };
    throw new StartProblem(`--gateway ${gatewayUrl} needs its token in the environment variable ${tokenVariable}`);
  }
  refuseUnsendable(given);
  const says = `the gateway is called with the token of ${tokenVariable}`;
  if (current === undefined) return { token: given, says };
  if (current.token === given) return { says: `${says}, as before` };
  const isOlder = kept.some(({ token, createdAt }) => token === given && createdAt <= current.createdAt);
  if (!isOlder) return { token: given, says: `${says}, which replaces the stored one` };
  return {
    says: `the gateway is called with the stored token, which is newer than that of ${tokenVariable}: autopilot token set changes it`,
  };
}

/**
 * Reads the tokens that the secret of a stage has held.
 * @param embedded - the embedded gateway's token: another gateway takes none of it
 */
function readKeptTokens(dataDir: string, stage: string, embedded: string | undefined): KeptTokens {
  const store = openSecretStore(dataDir);
  const secret = store.names().find((name) => name.startsWith(`${stackNames(stage).state}-`));
  if (secret === undefined) return { kept: [] };
  const currentId = store.stages(secret)['AWSCURRENT'];
  const kept = store.versions(secret).flatMap(({ versionId, createdAt, text }) => {
    const token = readable(text);
    return token === undefined || token === embedded ? [] : [{ versionId, token, createdAt }];
  });
  return { kept, current: kept.find(({ versionId }) => versionId === currentId) };
}

function readable(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : tokenInSecret(text).token;
  } catch {
    // A worker could not read it either, so it is no token to keep.
    return undefined;
  }
}

/** Every call would fail by it, and its first sign would be an alarm. */
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
