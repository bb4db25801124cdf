import { AppError, toError } from '#shared/errors/app-error.ts';
import { CliError, UnreachableError } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Target } from './target.ts';

/** How a command that failed ends: one sentence and a code. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
}

/** Makes the sentence for whatever was thrown. */
export function failureOf(caught: unknown, target: Target | undefined): Failure {
  const error = target === undefined ? caught : translated(caught, target);
  if (error instanceof CliError) return { exitCode: error.exitCode, code: error.code, message: error.message };
  if (error instanceof AppError) {
    const exitCode = error.code === 'STAGE_NOT_FOUND' ? exitCodes.unreachable : exitCodes.failed;
    return { exitCode, code: error.code, message: error.message };
  }
  const { name, message } = toError(error);
  return { exitCode: exitCodes.failed, code: 'FAILED', message: `${name}: ${message}` };
}

const unreachableCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ECONNRESET']);
const credentialErrors =
  /^(CredentialsProviderError|ExpiredToken|TokenRefreshRequired|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SSOTokenProvider)/;
const deniedErrors = /^(AccessDenied|AccessDeniedException|Forbidden|UnauthorizedOperation|AuthorizationError)/;

function translated(caught: unknown, target: Target): unknown {
  const error = toError(caught);
  if (chainOf(error).some((link) => 'code' in link && unreachableCodes.has(String(link.code)))) {
    return new UnreachableError(nothingAnswers(target), error);
  }
  if (credentialErrors.test(error.name)) {
    return new UnreachableError(`AWS does not take your credentials (${error.name}): ${error.message}`, error);
  }
  if (deniedErrors.test(error.name)) {
    return new UnreachableError(`you may not do this in the stage "${target.stage}": ${error.message}`, error);
  }
  if (target.kind === 'aws' && /region is missing/i.test(error.message)) {
    return new UnreachableError('no AWS region is set: give --region, or set AWS_REGION', error);
  }
  return caught;
}

function nothingAnswers(target: Target): string {
  if (target.kind === 'local') {
    return `nothing runs at ${target.endpoint}: start it with \`npm start\`, or name a deployed stage with --aws --stage prod`;
  }
  return `AWS cannot be reached for the stage "${target.stage}": check the network and the region`;
}

/** An error, its causes, and the several errors that one attempt at several addresses makes. */
function chainOf(error: Error): readonly Error[] {
  const inner = error instanceof AggregateError ? error.errors : [];
  const next = [error.cause, ...inner].filter((link): link is Error => link instanceof Error);
  return [error, ...next.flatMap((link) => chainOf(link))];
}
