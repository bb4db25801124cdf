import type { IncomingHttpHeaders } from 'node:http';
import { createRedactor, type Redact } from '../text/redact.ts';
import { visibleTextWithin } from '../text/visible-text.ts';
import type { Operation } from './endpoints/operations.ts';
import type { CheckedBody } from './endpoints/schema.ts';
import {
  BadBodyError,
  type BadBodyReason,
  BadStatusError,
  type BodyEvidence,
  parseErrorDetails,
  RedirectError,
} from './failures/answer-errors.ts';
import {
  CertificateError,
  ConnectionLostError,
  type GatewayError,
  GatewayTimeoutError,
  NotSentError,
} from './failures/errors.ts';
import type { OperationVerb } from './failures/verdict.ts';
import type { RequestInfo, VerbTimeouts } from './options.ts';
import { parseRetryAfter } from './retry-timing.ts';
import { withoutCoding } from './transport/content-coding.ts';
import { outOfTime, tooBig, type Transport, type WireRequest, type WireResult } from './transport/transport.ts';

/** What one attempt needs. */
export interface AttemptDeps {
  readonly transport: Transport;
  readonly pathPrefix: string;
  readonly timeouts: Readonly<Record<OperationVerb, VerbTimeouts>>;
  readonly now: () => number;
  readonly onRequest: ((info: RequestInfo) => void) | undefined;
}

/** An operation with its input, checked and ready to be sent. */
export interface PreparedCall<Answer> {
  readonly operation: Pick<Operation<never, Answer>, 'name' | 'verb' | 'path' | 'maxBytes'>;
  /** Path and query, encoded. */
  readonly path: string;
  readonly content: { readonly contentType: string; readonly body: Buffer | string } | undefined;
  readonly read: (body: unknown, date: Date | undefined) => CheckedBody<Answer>;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
}

/** What differs from one attempt of a call to the next. */
export interface Attempt {
  /** Every token of this call; the last one is sent, all are redacted. */
  readonly tokens: readonly string[];
  readonly attempt: number;
  readonly remainingMs: number;
}

const defaultMaxBytes = 1024 * 1024;

const methods = { get: 'GET', patch: 'PATCH', post: 'POST' } as const;

/** Sends a call once and reads its answer. */
export async function attemptOnce<T>(deps: AttemptDeps, prepared: PreparedCall<T>, attempt: Attempt): Promise<T> {
  const { verb, path } = prepared.operation;
  const startedAt = performance.now();
  const request = wireRequest(deps, prepared, attempt);
  const sent = await deps.transport.send(request);
  const codings = headerOf(sent.headers, 'content-encoding');
  const result = codings === undefined ? sent : withoutCoding(sent, codings, request.maxBytes);
  report(deps.onRequest, prepared, { ...attempt, result, durationMs: performance.now() - startedAt });
  const what = `${methods[verb]} ${path}`;
  const redact = createRedactor(attempt.tokens);
  if (result.status === undefined) throw transportError(what, result, redact);
  return readAnswer({ ...result, status: result.status }, prepared, { what, redact, nowMs: deps.now() });
}

function wireRequest(
  deps: AttemptDeps,
  { operation, path, content, requestId, idempotencyKey }: PreparedCall<unknown>,
  { tokens, remainingMs }: Attempt,
): WireRequest {
  const { verb, maxBytes = defaultMaxBytes } = operation;
  const headers: Record<string, string> = {
    authorization: `Bearer ${tokens.at(-1) ?? ''}`,
    accept: 'application/json',
    // Asked for, because it is cheaper; what comes compressed all the same is unpacked.
    'accept-encoding': 'identity',
    'user-agent': 'gateway-autopilot',
    'x-request-id': requestId,
  };
  if (content !== undefined) headers['content-type'] = content.contentType;
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  return {
    method: methods[verb],
    path,
    headers,
    body: content?.body,
    fresh: verb === 'post',
    headersMs: deps.timeouts[verb].headersMs,
    totalMs: remainingMs,
    maxBytes,
  };
}

function report(
  onRequest: ((info: RequestInfo) => void) | undefined,
  { operation, requestId }: PreparedCall<unknown>,
  { attempt, result, durationMs }: Attempt & { readonly result: WireResult; readonly durationMs: number },
): void {
  const { status, requestSent } = result;
  try {
    onRequest?.({
      operation: operation.name,
      method: methods[operation.verb],
      pathTemplate: operation.path,
      requestId,
      attempt,
      durationMs,
      status,
      requestSent,
    });
  } catch {
    // The request has been made: a logger that fails must not change what the caller learns about
    // it.
  }
}

/** What the reading of an answer needs beside it. */
interface Reading {
  /** The request in words, for messages: method and path template. */
  readonly what: string;
  readonly redact: Redact;
  readonly nowMs: number;
}

type Answered = WireResult & { readonly status: number };

/** The value of a good answer; any other is thrown as the error that it means. */
function readAnswer<T>(answer: Answered, prepared: PreparedCall<T>, { what, redact, nowMs }: Reading): T {
  const { status, headers } = answer;
  if (status >= 300 && status < 400) {
    throw new RedirectError(what, { status, location: originOf(headerOf(headers, 'location'), redact) });
  }
  if (status < 200 || status >= 400) {
    throw new BadStatusError(what, {
      status,
      details: parseErrorDetails(answer.body, redact),
      retryAfterMs: parseRetryAfter(headerOf(headers, 'retry-after'), nowMs),
      namesResource: prepared.operation.path.includes('{'),
      date: instantOf(headerOf(headers, 'date')),
    });
  }
  return readBody(answer, prepared.read, { what, redact });
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function instantOf(header: string | undefined): Date | undefined {
  const instant = new Date(header ?? '');
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

function readBody<T>(
  answer: Answered,
  read: PreparedCall<T>['read'],
  { what, redact }: Pick<Reading, 'what' | 'redact'>,
): T {
  const { status, brokenBy } = answer;
  const bad = (reason: BadBodyReason, more: { readonly problems?: readonly string[]; readonly cause?: unknown } = {}) =>
    new BadBodyError(what, { status, reason, ...more, body: bodyEvidence(answer, redact) });
  if (/^(?:text\/html|application\/xhtml)/.test(contentTypeOf(answer))) throw bad('not-from-api');
  if (brokenBy === tooBig) throw bad('too-big');
  if (brokenBy === outOfTime) throw new GatewayTimeoutError(what, { phase: 'body', status });
  if (brokenBy !== undefined) throw bad('truncated', { cause: plainCause(brokenBy, redact) });
  if (status === 204) throw bad('empty');
  const input = parseBody(answer);
  if (input.reason !== undefined) throw bad(input.reason);
  const parsed = read(input.value, instantOf(headerOf(answer.headers, 'date')));
  if ('value' in parsed) return parsed.value;
  throw bad('wrong-shape', { problems: parsed.problems.map((problem) => visibleTextWithin(redact(problem), 200)) });
}

/** The most that is kept of an answer that cannot be read. */
const mostBodyBytes = 2048;

/** What a person can go by: the beginning of the body, and how it says that it is written. */
function bodyEvidence(answer: Answered, redact: Redact): BodyEvidence {
  const shown = (value: string | undefined) => value && visibleTextWithin(redact(value), 100);
  return {
    text: visibleTextWithin(redact(answer.body.subarray(0, 2 * mostBodyBytes).toString()), mostBodyBytes),
    contentType: shown(headerOf(answer.headers, 'content-type')),
    contentEncoding: shown(headerOf(answer.headers, 'content-encoding')),
  };
}

function contentTypeOf({ headers }: WireResult): string {
  return headerOf(headers, 'content-type')?.toLowerCase() ?? '';
}

function parseBody(
  answer: Answered,
): { readonly reason?: undefined; readonly value: unknown } | { readonly reason: BadBodyReason } {
  const text = answer.body.toString('utf8').replace(/^\uFEFF/, '');
  try {
    return { value: JSON.parse(text) };
  } catch {
    // Without the parser's error as cause: it quotes the body.
    return { reason: isForeign(contentTypeOf(answer), text) ? 'not-from-api' : 'not-json' };
  }
}

/**
 * Says whether a body that is no JSON comes from something else than the interface, such as a
 * proxy.
 */
function isForeign(type: string, text: string): boolean {
  const saysJson = type === '' || /^(?:application|text)\/(?:[\w.-]+\+)?json\b/.test(type);
  return !saysJson || text.trimStart().startsWith('<');
}

function originOf(location: string | undefined, redact: Redact): string | undefined {
  if (location === undefined) return undefined;
  // A relative Location stays on the origin that was asked.
  if (!URL.canParse(location)) return '(the same origin)';
  const { origin } = new URL(location);
  return origin === 'null' ? undefined : visibleTextWithin(redact(origin), 300);
}

const certificateCodes: ReadonlySet<string> = new Set([
  'AUTHORITY_AND_ISSUER_SERIAL_NUMBER_MISMATCH',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The error for an exchange without an answer. What was sent decides the class. */
export function transportError(
  what: string,
  { requestSent, brokenBy }: Pick<WireResult, 'requestSent' | 'brokenBy'>,
  redact: Redact,
): GatewayError {
  const isOutOfTime = brokenBy === outOfTime;
  const cause = isOutOfTime ? undefined : plainCause(brokenBy, redact);
  const code = codeOf(brokenBy);
  if (!requestSent) return isCertificateCode(code) ? new CertificateError(what, cause) : new NotSentError(what, cause);
  if (isOutOfTime || code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new GatewayTimeoutError(what, { phase: 'headers', cause });
  }
  return new ConnectionLostError(what, cause);
}

/**
 * The cause as code and message alone: undici's own errors carry sockets and what was received on
 * them.
 */
export function plainCause(caught: unknown, redact: Redact): Error | undefined {
  if (caught === undefined) return undefined;
  const error = innermost(caught);
  const message = error instanceof Error ? error.message : 'no error was given';
  const plain = new Error(visibleTextWithin(redact(message), 300));
  const code = codeOf(error);
  return code === undefined ? plain : Object.assign(plain, { code });
}

// With two addresses of one host node throws an AggregateError without a message of its own.
function innermost(caught: unknown): unknown {
  return caught instanceof AggregateError && caught.message === '' ? (caught.errors[0] ?? caught) : caught;
}

function isCertificateCode(code: string | undefined): boolean {
  return code !== undefined && (certificateCodes.has(code) || /^(?:CERT_|CRL_|ERR_TLS_CERT)/.test(code));
}

function codeOf(caught: unknown): string | undefined {
  if (typeof caught !== 'object' || caught === null || !('code' in caught)) return undefined;
  return typeof caught.code === 'string' ? caught.code : undefined;
}
