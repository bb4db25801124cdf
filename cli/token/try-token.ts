import { tokenAnswer } from '#shared/messages/token-trial.ts';
import { askStage } from '../ask-stage.ts';
import type { CommandDeps } from '../deps.ts';
import { tokenFindings, type TokenFindings } from './token-findings.ts';

/**
 * Has a deployed worker try a version of the token.
 * @param versionId - absent: the one in use
 * @throws CliError where no worker answers
 */
export async function tryToken(
  versionId: string | undefined,
  deps: Pick<CommandDeps, 'stage' | 'now'>,
): Promise<TokenFindings> {
  const question = { ask: 'token', ...(versionId === undefined ? {} : { versionId }) };
  const [answer, now] = await Promise.all([askStage(question, tokenAnswer, deps), deps.now()]);
  return tokenFindings(answer, now);
}
