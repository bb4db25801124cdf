import { createRedactor, type Redact } from '../text/redact.ts';
import { visibleTextWithin } from '../text/visible-text.ts';
import type { CallSpec } from './call.ts';
import type { Schema } from './endpoints/schema.ts';
import { BadBodyError, BadStatusError, parseErrorDetails, RedirectError } from './failures/answer-errors.ts';
import {
  CertificateError,
  ConnectionLostError,
  type GatewayError,
  GatewayTimeoutError,
  NotSentError,
} from './failures/errors.ts';
import type { OperationVerb } from './failures/failure-facts.ts';
import type { RequestInfo, VerbTimeouts } from './options.ts';
import { parseRetryAfter } from './retry-timing.ts';
import type { WireAnswer, WireFailure, WireResult } from './transport/exchange.ts';
import type { Transport, WireRequest } from './transport/transport.ts';

/** What one attempt needs. */
export interface AttemptDeps {
  readonly transport: Transport;
  readonly pathPrefix: string;
  readonly userAgent: string;
  readonly timeouts: Readonly<Record<OperationVerb, VerbTimeouts>>;
  readonly maxResponseBytes: number;
  readonly now: () => number;
  readonly onRequest: ((info: RequestInfo) => void) | undefined;
}

/** What differs from one attempt of a call to the next. */
export interface Attempt {
  /** Every token of this call; the last one is sent, all are redacted. */
  readonly tokens: readonly string[];
  readonly attempt: number;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly remainingMs: number;
}

/** Enough to find what a gateway says about an error in any wrapping that it likes. */
const maxErrorBytes = 64 * 1024;

const methods = { get: 'GET', patch: 'PATCH', post: 'POST' } as const;

/** Sends a call once and reads its answer. */
export async function attemptOnce<T>(deps: AttemptDeps, spec: CallSpec<T>, attempt: Attempt): Promise<T> {
  const { onRequest } = deps;
  const startedAt = onRequest === undefined ? 0 : performance.now();
  const result = await deps.transport.send(wireRequest(deps, spec, attempt));
  if (onRequest !== undefined) {
    report(onRequest, spec, attempt, { result, durationMs: performance.now() - startedAt });
  }
  const what = `${methods[spec.verb]} ${spec.pathTemplate}`;
  const redact = createRedactor(attempt.tokens);
  if ('failure' in result) throw transportError(what, result.failure, redact);
  const { schema, namesResource } = spec;
  return readAnswer(result.answer, { what, schema, namesResource, nowMs: deps.now(), redact });
}

function wireRequest(deps: AttemptDeps, spec: CallSpec<unknown>, attempt: Attempt): WireRequest {
  const { headersMs } = deps.timeouts[spec.verb];
  const json = spec.body === undefined ? undefined : Buffer.from(JSON.stringify(spec.body));
  const form = spec.form ?? (json && { contentType: 'application/json', body: json });
  return {
    method: methods[spec.verb],
    path: deps.pathPrefix + spec.path,
    headers: requestHeaders(deps, attempt, form?.contentType),
    body: form?.body,
    fresh: spec.verb === 'post',
    headersMs,
    limits: {
      totalMs: attempt.remainingMs,
      maxResponseBytes: Math.max(deps.maxResponseBytes, spec.maxResponseBytes ?? 0),
      maxErrorBytes,
    },
  };
}

function requestHeaders(deps: AttemptDeps, attempt: Attempt, contentType: string | undefined): string[] {
  const headers = [
    'authorization',
    `Bearer ${attempt.tokens.at(-1) ?? ''}`,
    'accept',
    'application/json',
    // A compressed answer would have to be unpacked before its size is known.
    'accept-encoding',
    'identity',
    'user-agent',
    deps.userAgent,
    'x-request-id',
    attempt.requestId,
  ];
  if (contentType !== undefined) headers.push('content-type', contentType);
  if (attempt.idempotencyKey !== undefined) headers.push('idempotency-key', attempt.idempotencyKey);
  return headers;
}

function report(
  onRequest: (info: RequestInfo) => void,
  spec: CallSpec<unknown>,
  attempt: Attempt,
  outcome: { result: WireResult; durationMs: number },
): void {
  const { result, durationMs } = outcome;
  try {
    onRequest({
      operation: spec.operation,
      method: methods[spec.verb],
      pathTemplate: spec.pathTemplate,
      requestId: attempt.requestId,
      attempt: attempt.attempt,
      durationMs,
      status: 'answer' in result ? result.answer.status : undefined,
      requestSent: 'answer' in result || result.failure.requestSent,
    });
  } catch {
    // The request has been made: a logger that fails must not change what the caller learns about
    // it.
  }
}

/** How an answer is to be read. */
export interface Reading<T> {
  /** The request in words, for messages: method and path template. */
  readonly what: string;
  readonly schema: Schema<T>;
  readonly namesResource: boolean;
  readonly nowMs: number;
  readonly redact: Redact;
}

/** The value of a good answer; any other is thrown as the error that it means. */
export function readAnswer<T>(answer: WireAnswer, reading: Reading<T>): T {
  const { status } = answer;
  if (status >= 300 && status < 400) {
    throw new RedirectError(reading.what, { status, location: originOf(answer.headers.location, reading.redact) });
  }
  if (status < 200 || status >= 400) {
    throw new BadStatusError(reading.what, {
      status,
      details: parseErrorDetails(answer.body, reading.redact),
      retryAfterMs: parseRetryAfter(answer.headers.retryAfter, reading.nowMs),
      namesResource: reading.namesResource,
      date: instantOf(answer.headers.date),
    });
  }
  return readBody(answer, reading);
}

function instantOf(header: string | undefined): Date | undefined {
  const instant = new Date(header ?? '');
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

function readBody<T>(answer: WireAnswer, reading: Reading<T>): T {
  const { what } = reading;
  const { status, headers } = answer;
  if (/^(?:text\/html|application\/xhtml)/.test(headers.contentType)) {
    throw new BadBodyError(what, { status, reason: 'not-from-api' });
  }
  if (answer.ended === 'too-big') throw new BadBodyError(what, { status, reason: 'too-big' });
  if (answer.ended === 'deadline') throw new GatewayTimeoutError(what, { phase: 'body', status });
  if (answer.ended === 'lost') {
    const cause = plainCause(answer.lostBy, reading.redact);
    throw new BadBodyError(what, { status, reason: 'truncated', cause });
  }
  const parsed = reading.schema.parse(parseBody(answer, what), answer.body);
  if ('value' in parsed) return parsed.value;
  const problems = parsed.problems.map((problem) => visibleTextWithin(reading.redact(problem), 200));
  throw new BadBodyError(what, { status, reason: 'wrong-shape', problems });
}

function parseBody(answer: WireAnswer, what: string): unknown {
  const text = answer.body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's error as cause: it quotes the body.
    throw new BadBodyError(what, {
      status: answer.status,
      reason: isForeign(answer, text) ? 'not-from-api' : 'not-json',
    });
  }
}

/**
 * Says whether a body that is no JSON comes from something else than the interface, such as a proxy
 * with a page of its own.
 */
function isForeign(answer: WireAnswer, text: string): boolean {
  const type = answer.headers.contentType;
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

/**
 * The error for an exchange without an answer. What was sent decides the class; the code of the
 * cause only the wording.
 */
export function transportError(what: string, failure: WireFailure, redact: Redact): GatewayError {
  const cause = failure.deadline ? undefined : plainCause(failure.cause, redact);
  const code = codeOf(failure.cause);
  if (!failure.requestSent) {
    return isCertificateCode(code) ? new CertificateError(what, cause) : new NotSentError(what, cause);
  }
  if (failure.deadline || code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new GatewayTimeoutError(what, { phase: 'headers', cause });
  }
  return new ConnectionLostError(what, cause);
}

/**
 * The cause as name, code and message alone: undici's own errors carry sockets and what was
 * received on them.
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
