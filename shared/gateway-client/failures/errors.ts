import { AppError } from '../../errors/app-error.ts';

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

const unsent: ReadonlySet<FailureKind> = new Set([
  'invalid-input',
  'no-token',
  'before-sending',
  'not-sent',
  'certificate',
]);

/** What each error of the client says. */
export interface GatewayErrorOptions {
  readonly code: string;
  readonly retryable: boolean;
  readonly kind: FailureKind;
  readonly status?: number | undefined;
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

  constructor(message: string, options: GatewayErrorOptions) {
    super(message, options);
    this.kind = options.kind;
    this.status = options.status;
    this.requestSent = !unsent.has(options.kind);
  }
}

/** The caller's input or options break a rule; nothing was sent. */
export class InvalidInputError extends GatewayError {
  override readonly name = 'InvalidInputError';
  /** Which input, e.g. `campaignId`. */
  readonly field: string;

  constructor(field: string, rule: string) {
    super(`${field} ${rule}`, { code: 'INVALID_INPUT', retryable: false, kind: 'invalid-input' });
    this.field = field;
  }
}

/** The token cannot be sent as it is; nothing was sent, and the token is not shown. */
export class MalformedTokenError extends GatewayError {
  override readonly name = 'MalformedTokenError';

  constructor(rule: string) {
    super(`the gateway token ${rule}`, { code: 'MALFORMED_TOKEN', retryable: true, kind: 'no-token' });
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
    super(`the token provider gave no token${which}`, {
      code: 'TOKEN_UNAVAILABLE',
      retryable,
      kind: retryable ? 'before-sending' : 'no-token',
      cause,
    });
  }
}

/**
 * No byte of the request left: name resolution, connection, TLS, or no time left before it began.
 */
export class NotSentError extends GatewayError {
  override readonly name = 'NotSentError';

  /** @param kind - `before-sending` if our own side kept it back: that says nothing about the gateway */
  constructor(what: string, cause?: unknown, kind: 'not-sent' | 'before-sending' = 'not-sent') {
    super(`${what} was not sent${whyOf(cause, ': ')}`, { code: 'NOT_SENT', retryable: true, kind, cause });
  }
}

/** The gateway's certificate is not to be trusted. There is no way around it, on purpose. */
export class CertificateError extends GatewayError {
  override readonly name = 'CertificateError';

  constructor(what: string, cause: unknown) {
    super(`${what} was not sent: the certificate of the gateway is not trusted${whyOf(cause, ' (', ')')}`, {
      code: 'CERTIFICATE',
      retryable: true,
      kind: 'certificate',
      cause,
    });
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
    super(`${what} was sent and timed out waiting for the ${where.phase} of the answer`, {
      code: 'TIMEOUT',
      retryable: true,
      kind: where.phase === 'body' ? 'broken-body' : 'no-answer',
      status: where.status,
      cause: where.cause,
    });
    this.phase = where.phase;
  }
}

/** The request was sent and the connection ended without a status that can be read. */
export class ConnectionLostError extends GatewayError {
  override readonly name = 'ConnectionLostError';

  constructor(what: string, cause: unknown) {
    super(`${what} was sent and the connection was lost before an answer`, {
      code: 'CONNECTION_LOST',
      retryable: true,
      kind: 'no-answer',
      cause,
    });
  }
}
