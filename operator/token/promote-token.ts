import type { TokenVersions } from '../aws/token-versions.ts';
import { toError } from '#shared/errors/app-error.ts';
import { tokenAnswer } from '#shared/messages/questions.ts';
import { askStage } from '../stage/ask-stage.ts';
import type { Finding } from '../finding.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { type TokenFindings, tokenFindings } from './token-findings.ts';

/**
 * Has a deployed worker try a version of the token.
 * @param versionId - absent: the one in use
 */
export async function tryToken(
  versionId: string | undefined,
  deps: Pick<OperatorDeps, 'stage' | 'signal' | 'now'>,
): Promise<TokenFindings> {
  const question = { ask: 'token', versionId };
  const [answer, now] = await Promise.all([askStage(question, tokenAnswer, deps), deps.now()]);
  return tokenFindings(answer, now);
}

/** How putting a token in ended: what a worker found with it, and why it is not used, if it is not. */
export interface PromotionTrial {
  readonly tried: TokenFindings;
  /** What speaks against the token; absent if it is in use now. */
  readonly refusal?: Finding;
  /** The secret had no version before; the first one is in use from the beginning. */
  readonly isFirst: boolean;
}

/**
 * Puts a token beside the one in use, has a deployed worker try it, and promotes it only if the
 * gateway takes it. The token goes from here to Secrets Manager and to no other place.
 */
export async function putToken(
  secret: string,
  deps: Pick<OperatorDeps, 'stage' | 'signal' | 'now' | 'progress'>,
): Promise<PromotionTrial> {
  const versions = await deps.stage.tokenVersions();
  const { versionId, isFirst } = await versions.put(secret);
  try {
    const tried = await tryToken(versionId, deps);
    const refusal = refusalOf(tried);
    if (refusal === undefined) await versions.promote(versionId);
    return { tried, refusal, isFirst };
  } finally {
    // Also if no worker could try it: the version is not needed any more.
    await withdrawIfPossible(versionId, versions, deps);
  }
}

/** A failure here never hides the result of the command: no worker reads a token that is left beside the one in use. */
async function withdrawIfPossible(
  versionId: string,
  versions: TokenVersions,
  { progress }: Pick<OperatorDeps, 'progress'>,
): Promise<void> {
  try {
    await versions.withdraw(versionId);
  } catch (error) {
    progress(
      `the label AWSPENDING stays on what was put in: ${toError(error).message}. No function reads by it, and the next token set takes it away`,
    );
  }
}

/** What speaks against the new token. Without the listing no closed gate would ever open again: it is the read of every probe. */
function refusalOf({ token, gateway, operations }: TokenFindings): Finding | undefined {
  if (token.state === 'problem') return token;
  if (gateway.state !== 'ok') return gateway;
  return operations.find(({ subject, state }) => subject === 'GET /scanner-packages' && state !== 'ok');
}
