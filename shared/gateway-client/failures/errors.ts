import { AppError } from '../../errors/app-error.ts';

/** What each error of the client says. */
export interface GatewayErrorOptions {
  readonly code: string;
  readonly retryable: boolean;
  readonly requestSent: boolean;
  readonly cause?: unknown;
}

/** The base of everything that the client throws. */
export class GatewayError extends AppError {
  override readonly name: string = 'GatewayError';
  /**
   * Whether a byte of the last request may have reached the gateway. `false` is proof that nothing
   * was applied.
   */
  readonly requestSent: boolean;

  constructor(message: string, options: GatewayErrorOptions) {
    super(message, options);
    this.requestSent = options.requestSent;
  }
}

/** The caller's input or options break a rule; nothing was sent. */
export class InvalidInputError extends GatewayError {
  override readonly name = 'InvalidInputError';
  /** Which input, e.g. `campaignId`. */
  readonly field: string;

  constructor(field: string, rule: string) {
    super(`${field} ${rule}`, { code: 'INVALID_INPUT', retryable: false, requestSent: false });
    this.field = field;
  }
}

/** The token cannot be sent as it is; nothing was sent, and the token is not shown. */
export class MalformedTokenError extends GatewayError {
  override readonly name = 'MalformedTokenError';

  constructor(rule: string) {
    super(`the gateway token ${rule}`, { code: 'MALFORMED_TOKEN', retryable: true, requestSent: false });
  }
}

/**
 * The token provider gave no token. Nothing was sent, or what was sent was refused with 401: either
 * way nothing was applied.
 */
export class TokenUnavailableError extends GatewayError {
  override readonly name = 'TokenUnavailableError';

  /** @param retryable - false if the provider says that it will not heal by itself */
  constructor(cause: Error | undefined, { retryable } = { retryable: true }) {
    const which = cause === undefined ? '' : ` (${cause.message})`;
    super(`the token provider gave no token${which}`, {
      code: 'TOKEN_UNAVAILABLE',
      retryable,
      requestSent: false,
      cause,
    });
  }
}

/**
 * No byte of the request left: name resolution, connection, TLS, or no time left before it began.
 */
export class NotSentError extends GatewayError {
  override readonly name = 'NotSentError';

  constructor(what: string, cause?: unknown) {
    const why = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
    super(`${what} was not sent${why}`, { code: 'NOT_SENT', retryable: true, requestSent: false, cause });
  }
}

/** The gateway's certificate is not to be trusted. There is no way around it, on purpose. */
export class CertificateError extends GatewayError {
  override readonly name = 'CertificateError';

  constructor(what: string, cause: unknown) {
    const why = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
    super(`${what} was not sent: the certificate of the gateway is not trusted${why}`, {
      code: 'CERTIFICATE',
      retryable: true,
      requestSent: false,
      cause,
    });
  }
}

/** The request was sent and the answer did not come, or did not end, in time. */
export class GatewayTimeoutError extends GatewayError {
  override readonly name = 'GatewayTimeoutError';
  /** What was waited for. */
  readonly phase: 'headers' | 'body';
  /**
   * The status, if the headers had come. Always a 2xx: with any other the status decides, not the
   * body.
   */
  readonly status: number | undefined;

  constructor(what: string, where: { phase: 'headers' | 'body'; status?: number; cause?: unknown }) {
    super(`${what} was sent and timed out waiting for the ${where.phase} of the answer`, {
      code: 'TIMEOUT',
      retryable: true,
      requestSent: true,
      cause: where.cause,
    });
    this.phase = where.phase;
    this.status = where.status;
  }
}

/** The request was sent and the connection ended without a status that can be read. */
export class ConnectionLostError extends GatewayError {
  override readonly name = 'ConnectionLostError';

  constructor(what: string, cause: unknown) {
    super(`${what} was sent and the connection was lost before an answer`, {
      code: 'CONNECTION_LOST',
      retryable: true,
      requestSent: true,
      cause,
    });
  }
}
