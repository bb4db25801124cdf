import type { IncomingHttpHeaders } from 'node:http';
import { createRedactor, type Redact } from '../text/redact.ts';
import { visibleTextWithin } from '../text/visible-text.ts';
import type { OperationVerb } from './failures/classify-failure.ts';
import { codeOf, parseErrorDetails, plainCause } from './failures/error-details.ts';
import {
  BadBodyError,
  type BadBodyReason,
  BadStatusError,
  type BodyEvidence,
  CertificateError,
  ConnectionLostError,
  type GatewayError,
  GatewayTimeoutError,
  NotSentError,
  RedirectError,
} from './failures/errors.ts';
import { isCertificateCode } from './failures/troubles.ts';
import type { CheckedBody, Operation } from './operation.ts';
import { parseRetryAfter } from './retry-timing.ts';
import {
  outOfTime,
  tooBig,
  type Transport,
  type WireRequest,
  type WireResult,
  withoutCoding,
} from './transport/transport.ts';

/** One attempt, for a log line: no token, no body, no query, no cursor. */
export interface RequestInfo {
  readonly operation: string;
  readonly method: string;
  /** The path with the names of its values, e.g. `/backend/v1/campaigns/{campaignId}`. */
  readonly pathTemplate: string;
  readonly requestId: string;
  /** 1 for the first attempt of the call. */
  readonly attempt: number;
  readonly durationMs: number;
  /** Undefined if no status came. */
  readonly status: number | undefined;
  readonly requestSent: boolean;
}

/** What one attempt needs. */
export interface AttemptDeps {
  readonly transport: Transport;
  readonly pathPrefix: string;
  readonly timeouts: Readonly<Record<OperationVerb, { readonly headersMs: number; readonly totalMs: number }>>;
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
      details: parseErrorDetails(answer, redact),
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
  const text = answer.body.toString('utf8').replace(/^\uFEFF/, '');
  const isPacked = headerOf(answer.headers, 'content-encoding') !== undefined;
  if (brokenBy !== undefined && !isPacked && isForeign(text)) throw bad('not-from-api');
  if (brokenBy === tooBig) throw bad('too-big');
  if (brokenBy === outOfTime) throw new GatewayTimeoutError(what, { phase: 'body', status });
  if (brokenBy !== undefined) throw bad('truncated', { cause: plainCause(brokenBy, redact) });
  if (status === 204) throw bad('empty');
  const input = parseBody(text, isPacked);
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

function parseBody(
  text: string,
  isPacked: boolean,
): { readonly reason?: undefined; readonly value: unknown } | { readonly reason: BadBodyReason } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // Without the parser's error as cause: it quotes the body.
    return { reason: !isPacked && isForeign(text) ? 'not-from-api' : 'not-json' };
  }
}

/**
 * Returns true if a body does not even begin as JSON. Its type is not asked. Something else than the interface
 * has answered, such as a proxy.
 */
function isForeign(text: string): boolean {
  return !/^\s*(?:["{[]|$)/.test(text);
}

function originOf(location: string | undefined, redact: Redact): string | undefined {
  if (location === undefined) return undefined;
  // A relative Location stays on the origin that was asked.
  if (!URL.canParse(location)) return '(the same origin)';
  const { origin } = new URL(location);
  return origin === 'null' ? undefined : visibleTextWithin(redact(origin), 300);
}
