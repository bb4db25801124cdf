import type { CallSpec } from './call.ts';
import type { WireResult } from './transport/exchange.ts';
import type { RequestInfo, VerbTimeouts } from './options.ts';
import { readAnswer } from './transport/read-answer.ts';
import { createRedactor } from '../text/redact.ts';
import { transportError } from './failures/transport-failure.ts';
import type { Transport, WireRequest } from './transport/transport.ts';
import type { OperationVerb } from './failures/verdict.ts';

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
  const body = spec.body === undefined ? undefined : Buffer.from(JSON.stringify(spec.body));
  return {
    method: methods[spec.verb],
    path: deps.pathPrefix + spec.path,
    headers: requestHeaders(deps, attempt, body !== undefined),
    body,
    fresh: spec.verb === 'post',
    headersMs,
    limits: {
      totalMs: attempt.remainingMs,
      maxResponseBytes: Math.max(deps.maxResponseBytes, spec.maxResponseBytes ?? 0),
      maxErrorBytes,
    },
  };
}

function requestHeaders(deps: AttemptDeps, attempt: Attempt, hasBody: boolean): string[] {
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
  if (hasBody) headers.push('content-type', 'application/json');
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
    // The request has been made: a logger that fails must not change what the caller learns about it.
  }
}
