import { AppError } from '../../errors/app-error.ts';
import type { Speaker } from './speaker.ts';

/** What a failure says about its request, as far as that decides what comes next. */
export type FailureKind =
  /** The caller's input breaks a rule. */
  | 'invalid-input'
  /** No token that can be sent, until a person sees to it. */
  | 'no-token'
  /** Our own side kept it back for now: the token store, the pace. */
  | 'before-sending'
  | 'not-sent'
  | 'certificate'
  /** It was sent, and no status came. */
  | 'no-answer'
  /** A status that is neither 2xx nor 3xx. */
  | 'status'
  | 'redirect'
  /** A 2xx whose body is of no use. */
  | 'broken-body'
  /** A 2xx that is not from the interface. */
  | 'foreign-body';

/**
 * What a failure of each kind says, unless its class knows better. `isSent`: a byte may have left;
 * `false` is proof that nothing was applied.
 */
const kinds = {
  'invalid-input': { code: 'INVALID_INPUT', retryable: false, isSent: false },
  'no-token': { code: 'MALFORMED_TOKEN', retryable: true, isSent: false },
  'before-sending': { code: 'NOT_SENT', retryable: true, isSent: false },
  'not-sent': { code: 'NOT_SENT', retryable: true, isSent: false },
  certificate: { code: 'CERTIFICATE', retryable: true, isSent: false },
  'no-answer': { code: 'CONNECTION_LOST', retryable: true, isSent: true },
  status: { code: 'BAD_STATUS', retryable: true, isSent: true },
  redirect: { code: 'REDIRECT', retryable: false, isSent: true },
  'broken-body': { code: 'BAD_BODY', retryable: true, isSent: true },
  'foreign-body': { code: 'FOREIGN_BODY', retryable: true, isSent: true },
} as const satisfies Readonly<Record<FailureKind, object>>;

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
  /** Which input, e.g. `campaignId`. */
  readonly field: string;

  constructor(field: string, rule: string) {
    super(`${field} ${rule}`, 'invalid-input');
    this.field = field;
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
  /** What was waited for. */
  readonly phase: 'headers' | 'body';

  /** @param where.status - if the headers had come: always a 2xx, which was applied like any with a broken body */
  constructor(what: string, where: { phase: 'headers' | 'body'; status?: number; cause?: unknown }) {
    const { phase, ...more } = where;
    const kind = phase === 'body' ? 'broken-body' : 'no-answer';
    super(`${what} was sent and timed out waiting for the ${phase} of the answer`, kind, { code: 'TIMEOUT', ...more });
    this.phase = where.phase;
  }
}

/** The request was sent and the connection ended without a status that can be read. */
export class ConnectionLostError extends GatewayError {
  override readonly name = 'ConnectionLostError';

  constructor(what: string, cause: unknown) {
    super(`${what} was sent and the connection was lost before an answer`, 'no-answer', { cause });
  }
}
