import type { PendingToken, TokenVersions } from '#shared/aws/token/token-versions.ts';
import { toError } from '#shared/errors/app-error.ts';
import type { CommandResult } from '../command.ts';
import type { CommandDeps } from '../deps.ts';
import { exitCodes } from '../exit-codes.ts';
import { exitOfFindings, type Finding, findingLines } from '../finding.ts';
import { givenToken } from './given-token.ts';
import { everyFinding, type TokenFindings } from './token-findings.ts';
import { tryToken } from './try-token.ts';

/**
 * `autopilot token set`: puts a token beside the one in use, has a worker try it where it stands, and promotes it only if the gateway takes it.
 * The token goes from here to Secrets Manager and to no other place.
 */
export async function setToken(expires: string | undefined, deps: CommandDeps): Promise<CommandResult> {
  const secret = await givenToken(expires, deps);
  const versions = await deps.stage.tokenVersions();
  const pending = await versions.put(secret);
  try {
    const tried = await tryToken(pending.versionId, deps);
    const refusal = refusalOf(tried);
    if (refusal !== undefined) return notPromoted(refusal, pending, tried);
    await versions.promote(pending.versionId);
    return promoted(tried);
  } finally {
    // However it ends, also where no worker could try it: it waits for nobody any more.
    await withdrawIfPossible(pending, versions, deps);
  }
}

/** Never instead of what the command has to tell: a token that is left beside the one in use is read by nobody. */
async function withdrawIfPossible(
  { versionId }: PendingToken,
  versions: TokenVersions,
  { progress }: Pick<CommandDeps, 'progress'>,
): Promise<void> {
  try {
    await versions.withdraw(versionId);
  } catch (error) {
    progress(
      `the label AWSPENDING stays on what was put in: ${toError(error).message}; nobody reads by it, and the next token set takes it away`,
    );
  }
}

/** What speaks against the new token. Without the listing no closed gate would ever open again: it is the read of every probe. */
function refusalOf({ token, gateway, operations }: TokenFindings): Finding | undefined {
  if (token.state === 'problem') return token;
  if (gateway.state !== 'ok') return gateway;
  return operations.find(({ subject, state }) => subject === 'GET /scanner-packages' && state !== 'ok');
}

function promoted(tried: TokenFindings): CommandResult {
  const findings = everyFinding(tried);
  return {
    exitCode: exitOfFindings(findings),
    data: { isSet: true, findings },
    render: (paint) => [
      `${paint('green', 'set')}: a worker read with it, and every worker takes it up at the next refusal of the old one`,
      ...findingLines(findings, paint).map((line) => `  ${line}`),
      '  next: revoke the old one at the gateway',
    ],
  };
}

function notPromoted(refusal: Finding, { isFirst }: PendingToken, tried: TokenFindings): CommandResult {
  // The first version of a secret is the current one from the beginning; there is none before it to go back to.
  const left = isFirst ? 'it is the first one and stays in the secret all the same' : 'the one before stays in use';
  const because = { ...refusal, says: `${refusal.says} (${left})` };
  return {
    exitCode: exitCodes.parked,
    data: { isSet: isFirst, findings: everyFinding(tried) },
    render: (paint) => [paint('red', isFirst ? 'set, and of no use' : 'not set'), ...findingLines([because], paint)],
  };
}
