import { toError } from '../../errors/app-error.ts';
import type { Redact } from '../../text/redact.ts';
import { visibleTextWithin } from '../../text/visible-text.ts';
import type { WireResult } from '../transport/transport.ts';
import { GatewayError } from './errors.ts';
import { shapeOf, type Speaker, speakerOf, wordsOfGateway } from './speaker.ts';
import { codeOf } from './transport-error.ts';
import { type FailureFacts, troubleOf } from './troubles.ts';

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

/** The most that is kept of what a gateway says about an error. */
const maxDetailBytes = 2048;

/** One complaint about one field. */
export interface FieldComplaint {
  /** Where, e.g. `body.scannerId`; empty if the gateway does not say. */
  readonly field: string;
  /** What is wrong, in the gateway's words. */
  readonly message: string;
}

/** What a gateway says about an error, as far as it can be read. */
export interface ErrorDetails {
  /** The body as text: at most 2 KB, control characters encoded, the token redacted. */
  readonly text: string;
  /** The complaints by field; empty if the body names none. */
  readonly fields: readonly FieldComplaint[];
  /** A dataset that the body names as the one there already (409). A bare `id` may be that of the error, so it does not count. */
  readonly datasetId?: string;
  /** Absent: the gateway. */
  readonly speaker?: Speaker | undefined;
  /** Of an edge: the shape of its answer and how it begins, in words. */
  readonly shape?: string | undefined;
}

const maxFields = 20;

/** Reads the body of an error tolerantly: any bytes give a result, none throws. */
export function parseErrorDetails(
  { status, body, brokenBy }: Pick<WireResult, 'body' | 'brokenBy'> & { readonly status: number },
  redact: Redact,
): ErrorDetails {
  const raw = body.toString('utf8').replace(/^\uFEFF/, '');
  const clean = (text: string): string => visibleTextWithin(redact(text), maxDetailBytes);
  const document = asRecord(parseJson(raw));
  const speaker = speakerOf({ status, body, document, isWhole: brokenBy === undefined });
  const datasetId = textOf(document?.['datasetId']) ?? textOf(asRecord(document?.['dataset'])?.['id']);
  return {
    text: clean(raw),
    fields: complaints(document, clean),
    datasetId: datasetId && clean(datasetId),
    speaker,
    shape: speaker && shapeOf(body, redact),
  };
}

function complaints(document: Record<string, unknown> | undefined, clean: Redact): FieldComplaint[] {
  const found = firstOf(document, wordsOfGateway);
  const list: unknown[] = Array.isArray(found) ? found : [found];
  const fields: FieldComplaint[] = [];
  for (const item of list.slice(0, maxFields)) {
    const record = asRecord(item);
    const message = textOf(item) ?? textOf(record?.['msg']) ?? textOf(record?.['message']);
    if (message === undefined) continue;
    fields.push({ field: clean(location(record)), message: clean(message) });
  }
  return fields;
}

function location(complaint: Record<string, unknown> | undefined): string {
  const loc = firstOf(complaint, ['loc', 'field', 'path']);
  if (!Array.isArray(loc)) return textOf(loc) ?? '';
  return loc.filter((part) => typeof part === 'string' || typeof part === 'number').join('.');
}

/** The first of these fields that says anything. */
function firstOf(record: Record<string, unknown> | undefined, names: readonly string[]): unknown {
  return names.map((name) => record?.[name]).find((value) => value !== undefined && value !== null);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The shape of an error body is not promised: what is no JSON is kept as text.
    return undefined;
  }
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
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
