/** What a call of the gateway fails with, and what each failure says of its request. */
import { AppError, toError } from '../../errors/app-error.ts';
import { codeOf, type ErrorDetails, type Speaker } from './error-details.ts';
import { type FailureFacts, troubleOf } from './troubles.ts';

/**
 * What a failure of each kind says, unless its class knows better. `isSent`: a byte may have left;
 * `false` is proof that nothing was applied.
 */
const kinds = {
  /** The caller's input breaks a rule. */
  'invalid-input': { code: 'INVALID_INPUT', retryable: false, isSent: false },
  /** No token that can be sent, until a person sees to it. */
  'no-token': { code: 'MALFORMED_TOKEN', retryable: true, isSent: false },
  /** Our own side kept it back for now: the token store, the pace. */
  'before-sending': { code: 'NOT_SENT', retryable: true, isSent: false },
  'not-sent': { code: 'NOT_SENT', retryable: true, isSent: false },
  certificate: { code: 'CERTIFICATE', retryable: true, isSent: false },
  /** It was sent, and no status came. */
  'no-answer': { code: 'CONNECTION_LOST', retryable: true, isSent: true },
  /** A status that is neither 2xx nor 3xx. */
  status: { code: 'BAD_STATUS', retryable: true, isSent: true },
  redirect: { code: 'REDIRECT', retryable: false, isSent: true },
  /** A 2xx whose body is of no use. */
  'broken-body': { code: 'BAD_BODY', retryable: true, isSent: true },
  /** A 2xx that is not from the interface. */
  'foreign-body': { code: 'FOREIGN_BODY', retryable: true, isSent: true },
} as const;

/** What a failure says about its request, as far as that decides what comes next. */
export type FailureKind = keyof typeof kinds;

interface FailureParts {
  readonly code?: string;
  readonly retryable?: boolean;
  readonly status?: number | undefined;
  readonly speaker?: Speaker | undefined;
  readonly cause?: unknown;
}

/** The base of everything that the client throws. */
export class GatewayError extends AppError {
  override readonly name: string = 'GatewayError';
  readonly kind: FailureKind;
  /** The status of the answer, if one came. */
  readonly status: number | undefined;
  /**
   * Whether a byte of the last request may have reached the gateway. `false` is proof that nothing
   * was applied.
   */
  readonly requestSent: boolean;
  /** Of a refusal: who made it, if not the gateway. */
  readonly speaker: Speaker | undefined;

  constructor(message: string, kind: FailureKind, more: FailureParts = {}) {
    const { isSent, ...usual } = kinds[kind];
    super(message, { ...usual, ...more });
    this.kind = kind;
    this.status = more.status;
    this.requestSent = isSent;
    this.speaker = more.speaker;
  }
}

/** The caller's input or options break a rule; nothing was sent. */
export class InvalidInputError extends GatewayError {
  override readonly name = 'InvalidInputError';

  /** @param field - which input, e.g. `campaignId` */
  constructor(field: string, rule: string) {
    super(`${field} ${rule}`, 'invalid-input');
  }
}

/** The token cannot be sent as it is; nothing was sent, and the token is not shown. */
export class MalformedTokenError extends GatewayError {
  override readonly name = 'MalformedTokenError';

  constructor(rule: string) {
    super(`the gateway token ${rule}`, 'no-token');
  }
}

/**
 * The token provider gave no token. Nothing was sent, or what was sent was refused with 401: either
 * way nothing was applied.
 */
export class TokenUnavailableError extends GatewayError {
  override readonly name = 'TokenUnavailableError';

  /** @param retryable - false if the provider says that it will not heal by itself; a throttled store is no reason to stop all workers */
  constructor(cause: Error | undefined, { retryable } = { retryable: true }) {
    const which = cause === undefined ? '' : ` (${cause.message})`;
    const kind = retryable ? 'before-sending' : 'no-token';
    super(`the token provider gave no token${which}`, kind, { code: 'TOKEN_UNAVAILABLE', retryable, cause });
  }
}

/**
 * No byte of the request left: name resolution, connection, TLS, or no time left before it began.
 */
export class NotSentError extends GatewayError {
  override readonly name = 'NotSentError';

  /** @param kind - `before-sending` if our own side kept it back: that says nothing about the gateway */
  constructor(what: string, cause?: unknown, kind: 'not-sent' | 'before-sending' = 'not-sent') {
    super(`${what} was not sent${whyOf(cause, ': ')}`, kind, { cause });
  }
}

/** The gateway's certificate is not to be trusted. There is no way around it, on purpose. */
export class CertificateError extends GatewayError {
  override readonly name = 'CertificateError';

  constructor(what: string, cause: unknown) {
    const why = whyOf(cause, ' (', ')');
    super(`${what} was not sent: the certificate of the gateway is not trusted${why}`, 'certificate', { cause });
  }
}

function whyOf(cause: unknown, before: string, after = ''): string {
  return cause instanceof Error && cause.message !== '' ? `${before}${cause.message}${after}` : '';
}

/** The request was sent and the answer did not come, or did not end, in time. */
export class GatewayTimeoutError extends GatewayError {
  override readonly name = 'GatewayTimeoutError';

  /** @param more.status - if the headers had come: always a 2xx, which was applied like any with a broken body */
  constructor(what: string, { phase, ...more }: { phase: 'headers' | 'body'; status?: number; cause?: unknown }) {
    const kind = phase === 'body' ? 'broken-body' : 'no-answer';
    super(`${what} was sent and timed out waiting for the ${phase} of the answer`, kind, { code: 'TIMEOUT', ...more });
  }
}

/** The request was sent and the connection ended without a status that can be read. */
export class ConnectionLostError extends GatewayError {
  override readonly name = 'ConnectionLostError';

  constructor(what: string, cause: unknown) {
    super(`${what} was sent and the connection was lost before an answer`, 'no-answer', { cause });
  }
}

/** The gateway answered with a status that is neither 2xx nor 3xx. */
export class BadStatusError extends GatewayError {
  override readonly name = 'BadStatusError';
  declare readonly status: number;
  /** What the gateway says, read tolerantly, at most 2 KB, encoded for one log line. */
  readonly details: ErrorDetails;
  /** From `Retry-After`, clamped to 1 s … 15 min; undefined if the header is absent or means nothing. */
  readonly retryAfterMs: number | undefined;
  /** Whether the path names one resource by id: then a 404 is about that resource and not about the base URL. */
  readonly namesResource: boolean;
  /** The gateway's clock, from `Date`: whole seconds. Absent: the header is absent or means nothing. */
  readonly date: Date | undefined;

  constructor(
    what: string,
    answer: {
      status: number;
      details: ErrorDetails;
      retryAfterMs?: number | undefined;
      namesResource?: boolean;
      date?: Date | undefined;
    },
  ) {
    const {
      status,
      details: { speaker, shape },
    } = answer;
    const retryable = speaker !== undefined || [408, 425, 429].includes(status) || status >= 500;
    super([what, 'was answered', status, shape].filter(Boolean).join(' '), 'status', { retryable, status, speaker });
    this.details = answer.details;
    this.retryAfterMs = answer.retryAfterMs;
    this.namesResource = answer.namesResource ?? false;
    this.date = answer.date;
  }
}

/** Why the body of a 2xx is of no use. */
export type BadBodyReason = 'truncated' | 'not-json' | 'wrong-shape' | 'too-big' | 'not-from-api' | 'empty';

/** The beginning of a body that cannot be used: at most 2 KB, the token redacted; and two headers. */
export interface BodyEvidence {
  readonly text: string;
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
}

interface BadBody {
  readonly status: number;
  readonly reason: BadBodyReason;
  /** For `wrong-shape`: which fields, never their values. */
  readonly problems?: readonly string[];
  readonly cause?: unknown;
  readonly body?: BodyEvidence;
}

/** The gateway answered 2xx, but its body cannot be used. */
export class BadBodyError extends GatewayError {
  override readonly name = 'BadBodyError';
  readonly reason: BadBodyReason;
  readonly body: BodyEvidence | undefined;

  constructor(what: string, answer: BadBody) {
    const { status, reason, cause } = answer;
    const kind = reason === 'not-from-api' ? 'foreign-body' : 'broken-body';
    super(`${what} was answered ${status} ${bodyInWords(answer)}`, kind, { status, cause });
    this.reason = reason;
    this.body = answer.body;
  }
}

function bodyInWords({ reason, problems = [], body }: BadBody): string {
  if (reason === 'empty') return 'without a body';
  const where = problems.length === 0 ? '' : `: ${problems.join('; ')}`;
  const coding =
    body?.contentEncoding === undefined ? '' : `; the gateway or a proxy compresses: ${body.contentEncoding}`;
  return `with an unusable body (${reason}${where}${coding})`;
}

interface Redirect {
  readonly status: number;
  /** Where to, as far as the origin; absent where `Location` is absent or no URL. */
  readonly location?: string | undefined;
}

/** The gateway answered with a redirect. It is never followed: a token belongs to one origin. */
export class RedirectError extends GatewayError {
  override readonly name = 'RedirectError';

  constructor(what: string, { status, location: to = 'nowhere that can be read' }: Redirect) {
    super(`${what} was answered ${status}, a redirect to ${to}`, 'redirect', { status, speaker: 'edge' });
  }
}

/** What a person can go by, of any failure of the client. */
export function factsOf(failure: GatewayError): FailureFacts & { readonly requestSent: boolean } {
  const { code: errorCode, cause, requestSent, status: httpStatus, speaker } = failure;
  return { errorCode, causeCode: codeOf(cause), requestSent, httpStatus, speaker };
}

/** What was attempted and what came back: in the gateway's own words if it has some, else in ours. */
export function failureWords(failure: unknown): string {
  const { message } = toError(failure);
  if (!(failure instanceof GatewayError)) return message;
  const said = troubleOf(factsOf(failure))?.is ?? saidBy(failure);
  return said === '' ? message : `${message}: ${said}`;
}

function saidBy(failure: GatewayError): string {
  if (!(failure instanceof BadStatusError)) return '';
  const { fields, text } = failure.details;
  if (fields.length === 0) return text;
  return fields.map(({ field, message: words }) => (field === '' ? words : `${field}: ${words}`)).join('; ');
}
