/** What an operator reads of a thrown value: one sentence, and a code. */
import { startWords } from '#shared/state-folder/kept-start.ts';
import { docPage, usualPort } from '#shared/places.ts';
import { AppError, toError } from '#shared/errors/app-error.ts';
import type { Step } from '#shared/text/step.ts';
import { OperatorError, UnreachableError } from './errors.ts';
import type { Target } from './target.ts';

/** A failure as an operator reads it: one sentence, and a stable code. */
export interface Failure {
  readonly code: string;
  /** With the command that helps, if there is one. */
  readonly message: string;
  /** Both apart, for a line to paste. */
  readonly step?: Step;
}

/** Makes the sentence for a thrown value; the error of an operator keeps its own, also if a failed connection led to it. */
export function failureOf(caught: unknown, target: Target | undefined): Failure {
  if (caught instanceof OperatorError) return failureWith(caught);
  const error = isDenied(caught) ? denied(toError(caught)) : target === undefined ? caught : translated(caught, target);
  if (error instanceof AppError) return failureWith(error);
  const { name, message } = toError(error);
  return { code: 'FAILED', message: `${name}: ${message}` };
}

function failureWith(error: AppError): Failure {
  const { code, message } = error;
  // Without a command the message is all of it.
  const step = error instanceof OperatorError && error.step.command !== undefined ? error.step : undefined;
  return step === undefined ? { code, message } : { code, message, step };
}

/**
 * A failure that came after something was done: without that, a person would take it for undone.
 * @param done - the beginning of its sentence
 */
export function failedAfter(
  done: string,
  caught: unknown,
  ...[target, command]: readonly [Target, command?: readonly string[]]
): OperatorError {
  const { code, message, step } = failureOf(caught, target);
  return new OperatorError(`${done}: ${step?.says ?? message}`, {
    code,
    cause: caught,
    command: command ?? step?.command,
  });
}

/** The last but one is undici's: the other side closes the connection amid an answer. The last is Node's: a proxy makes no tunnel. */
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ECONNRESET',
  'UND_ERR_SOCKET',
  'ERR_PROXY_TUNNEL',
]);
const credentialErrors =
  /^(CredentialsProviderError|ExpiredToken|TokenRefreshRequired|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SSOTokenProvider)/;
const deniedErrors = /^(AccessDenied|AccessDeniedException|Forbidden|UnauthorizedOperation|AuthorizationError)/;

/** What to say of a part that failed, in the midst of a sentence. */
export function causeOf(caught: unknown): string {
  const error = toError(caught);
  return isDenied(error) ? denied(error).message : error.message;
}

/** Whether AWS refused a request since the person lacks a permission. */
export function isDenied(caught: unknown): boolean {
  return isDenial(toError(caught).name);
}

/** Whether this is the name of an error by which AWS refuses a caller. */
export function isDenial(errorName: string): boolean {
  return deniedErrors.test(errorName);
}

function translated(caught: unknown, target: Target): unknown {
  const error = toError(caught);
  if (target.kind === 'local' && error instanceof AppError && error.code === 'STAGE_NOT_FOUND')
    return new OperatorError(
      `no stage "${target.stage}" runs on this machine: --aws --stage ${target.stage} means the one in AWS`,
      { code: error.code, cause: error },
    );
  if (chainOf(error).some((link) => 'code' in link && unreachableCodes.has(String(link.code)))) {
    const isRefused =
      target.kind === 'aws' || chainOf(error).some((link) => 'code' in link && link.code === 'ECONNREFUSED');
    return isRefused ? nothingAnswers(target, error) : new UnreachableError(closedOnUs(target), { cause: error });
  }
  if (credentialErrors.test(error.name)) {
    return new UnreachableError(`AWS does not take your credentials (${error.name}): ${error.message}`, {
      cause: error,
    });
  }
  if (target.kind === 'aws' && /region is missing/i.test(error.message)) {
    return new UnreachableError('no AWS region is set: give --region, or set AWS_REGION', { cause: error });
  }
  return caught;
}

/** Services name action and resource in the midst of a long sentence; one that does not is quoted. */
function denied(error: Error): UnreachableError {
  const named = /is not authorized to perform: (\S+)(?: on resource: "?([^\s"]+))?/.exec(error.message);
  if (named === null) return new UnreachableError(`you may not do this: ${error.message}`, { cause: error });
  const [, action, resource] = named;
  const on = resource === undefined ? '' : ` on ${resource}`;
  const cause = error.message.includes('explicit deny') ? 'a policy denies you' : 'you lack the permission';
  return new UnreachableError(
    `${cause} ${action}${on} (policies for people: ${docPage('security.md')}#policies-for-people)`,
    error,
  );
}

function nothingAnswers(target: Target, cause: unknown): UnreachableError {
  if (target.kind === 'aws')
    return new UnreachableError(
      `AWS cannot be reached for the stage "${target.stage}": check ${target.proxy === undefined ? 'the network and the region' : 'the network, the region and HTTPS_PROXY'}`,
      { cause },
    );
  const { port } = new URL(target.endpoint);
  // Without its port it would meet the stage that has the usual one.
  const options = port === '' || port === String(usualPort) ? [] : ['--port', port];
  return new UnreachableError(
    `nothing runs at ${target.endpoint}: name a deployed stage with --aws --stage prod, or start it`,
    { cause, command: ['autopilot', ...startWords(target.folder, process.cwd()), ...options] },
  );
}

/** A stage that is full ends a connection at once, as does one that ends at this moment. */
function closedOnUs({ endpoint }: Extract<Target, { kind: 'local' }>): string {
  return `${endpoint} ended the connection without an answer. Try again: the stage has just ended, or its terminal says that it has too many connections`;
}

/** An error, its causes, and the several errors that one attempt at several addresses makes. */
function chainOf(error: Error): readonly Error[] {
  const inner = error instanceof AggregateError ? error.errors : [];
  const next = [error.cause, ...inner].filter((link): link is Error => link instanceof Error);
  return [error, ...next.flatMap((link) => chainOf(link))];
}
