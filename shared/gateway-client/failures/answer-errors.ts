import type { ErrorDetails } from './error-details.ts';
import { GatewayError } from './errors.ts';

/** The gateway answered with a status that is neither 2xx nor 3xx. */
export class BadStatusError extends GatewayError {
  override readonly name = 'BadStatusError';
  readonly status: number;
  /** What the gateway says, read tolerantly, at most 2 KB, encoded for one log line. */
  readonly details: ErrorDetails;
  /** From `Retry-After`, clamped to 1 s … 15 min; undefined where the header is absent or means nothing. */
  readonly retryAfterMs: number | undefined;
  /** Whether the path names one resource by id: then a 404 is about that resource and not about the base URL. */
  readonly namesResource: boolean;

  constructor(
    what: string,
    answer: { status: number; details: ErrorDetails; retryAfterMs?: number | undefined; namesResource?: boolean },
  ) {
    super(`${what} was answered ${answer.status}`, {
      code: 'BAD_STATUS',
      retryable: [408, 425, 429].includes(answer.status) || answer.status >= 500,
      requestSent: true,
    });
    this.status = answer.status;
    this.details = answer.details;
    this.retryAfterMs = answer.retryAfterMs;
    this.namesResource = answer.namesResource ?? false;
  }
}

/** Why the body of a 2xx is of no use. */
export type BadBodyReason = 'truncated' | 'not-json' | 'wrong-shape' | 'too-big' | 'not-from-api';

/** The gateway answered 2xx, but its body cannot be used. */
export class BadBodyError extends GatewayError {
  override readonly name = 'BadBodyError';
  readonly status: number;
  readonly reason: BadBodyReason;
  /** For `wrong-shape`: which fields, never their values. */
  readonly problems: readonly string[];

  constructor(
    what: string,
    answer: { status: number; reason: BadBodyReason; problems?: readonly string[]; cause?: unknown },
  ) {
    const where = answer.problems?.length ? `: ${answer.problems.join('; ')}` : '';
    super(`${what} was answered ${answer.status} with an unusable body (${answer.reason}${where})`, {
      code: 'BAD_BODY',
      retryable: true,
      requestSent: true,
      cause: answer.cause,
    });
    this.status = answer.status;
    this.reason = answer.reason;
    this.problems = answer.problems ?? [];
  }
}

/** The gateway answered with a redirect. It is never followed: a token belongs to one origin. */
export class RedirectError extends GatewayError {
  override readonly name = 'RedirectError';
  readonly status: number;
  /** Where to, as far as the origin; undefined where `Location` is absent or no URL. */
  readonly location: string | undefined;

  constructor(what: string, answer: { status: number; location?: string | undefined }) {
    super(`${what} was answered ${answer.status}, a redirect to ${answer.location ?? 'nowhere that can be read'}`, {
      code: 'REDIRECT',
      retryable: false,
      requestSent: true,
    });
    this.status = answer.status;
    this.location = answer.location;
  }
}

/** A walk over pages was offered a cursor that it had used before. */
export class CursorLoopError extends GatewayError {
  override readonly name = 'CursorLoopError';

  constructor(pages: number) {
    super(`the listing offered a cursor again that was used before, after ${pages} pages`, {
      code: 'CURSOR_LOOP',
      retryable: false,
      requestSent: true,
    });
  }
}

/** A walk over pages reached its cap and was not at its end. */
export class PageLimitError extends GatewayError {
  override readonly name = 'PageLimitError';

  constructor(maxPages: number) {
    super(`the listing goes on after ${maxPages} pages, the cap of this walk`, {
      code: 'PAGE_LIMIT',
      retryable: false,
      requestSent: true,
    });
  }
}
