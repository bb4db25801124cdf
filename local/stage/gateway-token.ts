/** Which token a real gateway is called with: that of the environment variable, or the one that is kept in the stage's secret. */
import { assertBearerToken } from '#shared/gateway-client/bearer-token.ts';
import { MalformedTokenError } from '#shared/gateway-client/failures/errors.ts';
import { tokenInSecret } from '#shared/aws/token/token-in-secret.ts';
import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import { openSecretStore } from '../aws/secrets/secret-store.ts';
import { tokenVariable } from './start-options.ts';
import { StartProblem } from './start-problem.ts';

/** A token that is kept, and when it was put in. */
export interface KeptToken {
  readonly token: string;
  readonly createdAt: number;
}

/** What is known before the stage starts. */
export interface KnownTokens {
  /** Of the environment variable. */
  readonly given?: string;
  /** The one that the workers read. */
  readonly current?: KeptToken;
  /** Every one that the secret has held. */
  readonly kept: readonly KeptToken[];
}

/** The choice; without `token` the secret stays as it is. */
export interface TokenChoice {
  readonly token?: string;
  /** For the person who starts the stage. */
  readonly says: string;
}

/**
 * Chooses. The variable is left as it is after `autopilot token set`, so its token counts only if it was not there before the current one.
 * @throws StartProblem if there is none, or none that can be sent
 */
export function chooseToken(gatewayUrl: string, { given, current, kept }: KnownTokens): TokenChoice {
  if (given === undefined || given === '') {
    if (current !== undefined) return { says: 'the gateway is called with the stored token' };
    throw new StartProblem(`--gateway ${gatewayUrl} needs its token in the environment variable ${tokenVariable}`);
  }
  refuseUnsendable(given);
  if (current === undefined) return { token: given, says: `the gateway is called with the token of ${tokenVariable}` };
  if (current.token === given) return { says: `the gateway is called with the token of ${tokenVariable}, as before` };
  const isOlder = kept.some(({ token, createdAt }) => token === given && createdAt <= current.createdAt);
  if (!isOlder)
    return {
      token: given,
      says: `the gateway is called with the token of ${tokenVariable}, which replaces the stored one`,
    };
  return {
    says: `the gateway is called with the stored token, which is newer than that of ${tokenVariable}: autopilot token set changes it`,
  };
}

/**
 * Reads the tokens that the secret of a stage has held.
 * @param embedded - the embedded gateway's token: another gateway takes none of it
 */
export function readKeptTokens(
  dataDir: string,
  stage: string,
  embedded: string | undefined,
): Omit<KnownTokens, 'given'> {
  const store = openSecretStore(dataDir);
  const secret = store.names().find((name) => name.startsWith(`${stackNames(stage).state}-`));
  if (secret === undefined) return { kept: [] };
  const currentId = store.stages(secret)['AWSCURRENT'];
  const kept = store.versions(secret).flatMap(({ versionId, createdAt, text }) => {
    const token = text === undefined ? undefined : readable(text);
    return token === undefined || token === embedded ? [] : [{ versionId, token, createdAt }];
  });
  return { kept, current: kept.find(({ versionId }) => versionId === currentId) };
}

function readable(text: string): string | undefined {
  try {
    return tokenInSecret(text).token;
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
