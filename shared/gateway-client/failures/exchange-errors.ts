/** The errors that an exchange with the gateway ends with: no answer, a refusal, a redirect, a body that cannot be used. */
import { toError } from '../../errors/app-error.ts';
import type { Redact } from '../../text/redact.ts';
import { visibleTextWithin } from '../../text/visible-text.ts';
import { outOfTime, type WireResult } from '../transport/transport.ts';
import type { ErrorDetails } from './error-details.ts';
import { CertificateError, ConnectionLostError, GatewayError, GatewayTimeoutError, NotSentError } from './errors.ts';
import { type FailureFacts, isCertificateCode, troubleOf } from './troubles.ts';

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
    const { status, details } = answer;
    const { speaker, shape } = details;
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
  readonly problems?: readonly string[];
  readonly cause?: unknown;
  readonly body?: BodyEvidence;
}

/** The gateway answered 2xx, but its body cannot be used. */
export class BadBodyError extends GatewayError {
  override readonly name = 'BadBodyError';
  readonly reason: BadBodyReason;
  /** For `wrong-shape`: which fields, never their values. */
  readonly problems: readonly string[];
  readonly body: BodyEvidence | undefined;

  constructor(what: string, answer: BadBody) {
    const { status, reason, cause } = answer;
    const kind = reason === 'not-from-api' ? 'foreign-body' : 'broken-body';
    super(`${what} was answered ${status} ${bodyInWords(answer)}`, kind, { status, cause });
    this.reason = answer.reason;
    this.body = answer.body;
    this.problems = answer.problems ?? [];
  }
}

function bodyInWords({ reason, problems = [], body }: BadBody): string {
  if (reason === 'empty') return 'without a body';
  const where = problems.length === 0 ? '' : `: ${problems.join('; ')}`;
  const coding =
    body?.contentEncoding === undefined ? '' : `; the gateway or a proxy compresses: ${body.contentEncoding}`;
  return `with an unusable body (${reason}${where}${coding})`;
}

/** The gateway answered with a redirect. It is never followed: a token belongs to one origin. */
export class RedirectError extends GatewayError {
  override readonly name = 'RedirectError';
  /** Where to, as far as the origin; undefined where `Location` is absent or no URL. */
  readonly location: string | undefined;

  constructor(what: string, answer: { status: number; location?: string | undefined }) {
    const { status, location: to = 'nowhere that can be read' } = answer;
    super(`${what} was answered ${status}, a redirect to ${to}`, 'redirect', { status, speaker: 'edge' });
    this.location = answer.location;
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
  const code = message === undiciOn100 ? 'UNASKED_CONTINUE' : codeOf(error);
  return code === undefined ? plain : Object.assign(plain, { code });
}

// With two addresses of one host node throws an AggregateError without a message of its own.
function innermost(caught: unknown): unknown {
  return caught instanceof AggregateError && caught.message === '' ? (caught.errors[0] ?? caught) : caught;
}

/** undici 8 ends a connection at a 100 that no request asked for, with the code of any end. */
const undiciOn100 = 'bad response';

function codeOf(caught: unknown): string | undefined {
  if (typeof caught !== 'object' || caught === null || !('code' in caught)) return undefined;
  return typeof caught.code === 'string' ? caught.code : undefined;
}
