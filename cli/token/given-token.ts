import { NoTokenError, secretOfToken, tokenInSecret } from '#shared/aws/token/token-in-secret.ts';
import type { CommandDeps } from '../command.ts';
import { UsageError } from '#operator/errors.ts';
import { instantIn } from '../terminal/value-arguments.ts';

/**
 * Asks for the token, and makes the text for the secret: what the workers could not read is refused before anything is stored.
 * @throws UsageError which says the rule, never the value
 */
export async function givenToken(
  expires: string | undefined,
  deps: Pick<CommandDeps, 'readSecret' | 'now' | 'target'>,
): Promise<string> {
  const expiresAt = expires === undefined ? undefined : expiryArgument(expires, await deps.now());
  const text = await deps.readSecret(`token of the gateway for the stage ${deps.target.stage} (it is not shown): `);
  if (text.trim() === '') throw new UsageError('no token was given: nothing was done');
  try {
    const found = tokenInSecret(text);
    return secretOfToken(expiresAt === undefined ? found : { ...found, expiresAt });
  } catch (error) {
    if (!(error instanceof NoTokenError)) throw error;
    const rule = error.detail.replace(/^the secret/, 'what was given');
    throw new UsageError(`${rule}: nothing was done`, error);
  }
}

const dateOnly = /^\d{4}-\d\d-\d\d$/;

/** A date without a time means its beginning, in UTC: rather a day too early than too late. */
function expiryArgument(text: string, now: Date): string {
  const at = dateOnly.test(text) ? new Date(`${text}T00:00:00Z`) : instantIn(text);
  // 2027-02-30 is read as the second of March.
  const isReal =
    at !== undefined && !Number.isNaN(at.getTime()) && (!dateOnly.test(text) || at.toISOString().startsWith(text));
  // Not quoted: it may be the token, pasted into the wrong place.
  if (!isReal) throw new UsageError('--expires: what was given is no date: write 2027-01-31 or 2027-01-31T12:00:00Z');
  if (at.getTime() <= now.getTime()) {
    throw new UsageError(`--expires: ${at.toISOString()} is over: it is ${now.toISOString()}`);
  }
  return at.toISOString();
}
