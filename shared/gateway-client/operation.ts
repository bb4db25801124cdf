/**
 * What an operation of the gateway is, and the checks of its values: what goes into a request, and what is read of its answer.
 */
import * as z from 'zod';
import { isInstant } from '../schedule/time-zone.ts';
import { InvalidInputError, MalformedTokenError } from './failures/errors.ts';
import type { OperationVerb } from './failures/classify-failure.ts';

/** Headers that a call may carry for the vendor's support. */
export interface CallOptions {
  /** Sent as `x-request-id`. @default a random uuid */
  readonly requestId?: string;
  /** Sent as `Idempotency-Key`. The interface knows none, so it protects nothing today. */
  readonly idempotencyKey?: string;
}

export interface Operation<Input extends CallOptions, Answer> {
  readonly name: string;
  readonly verb: OperationVerb;
  /** With the name of its value; such a path names one resource. */
  readonly path: string;
  /** Checks the input. @throws InvalidInputError */
  readonly ask: (input: Input) => OperationRequest;
  /** How its answer is read. */
  readonly answer: z.ZodType<Answer>;
  /**
   * For an answer about what was asked for: a cache or a fault may answer with another resource.
   */
  readonly about?: (input: Input, answer: Answer) => AnswerSubject | undefined;
  /** The answer has the gateway's clock, as `date`. @default it has not */
  readonly isDated?: true;
  /** The most that is read of its answer. @default 1 MiB */
  readonly maxBytes?: number;
}

/** Defines an operation: its answer is what its schema gives. */
export function gatewayOperation<Input extends CallOptions, Answer>(
  of: Operation<Input, Answer>,
): Operation<Input, Answer> {
  return of;
}

/** The most that is read of a listing: 100 packages with long lists of scanner ids. */
export const listingBytes = 4 * 1024 * 1024;

/** What an answer has to be about. */
interface AnswerSubject {
  /** For the message. */
  readonly field: string;
  readonly asked: string;
  /** The ids and names by which the answer calls its resource. */
  readonly names: readonly (string | null | undefined)[];
}

/** What one request holds. */
interface OperationRequest {
  /** The value in the path, encoded. */
  readonly value?: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  /** A body that is made already, in the place of `body`. */
  readonly form?: { readonly contentType: string; readonly body: Buffer } | undefined;
}

/** What a check of a body gives. */
export type CheckedBody<T> = { readonly value: T } | { readonly problems: readonly string[] };

const maxProblems = 5;

/** Checks a body. The problems name fields and rules, never values. */
function checkBody<T>(type: z.ZodType<T>, body: unknown): CheckedBody<T> {
  const result = type.safeParse(body);
  if (result.success) return { value: result.data };
  const problems = result.error.issues.slice(0, maxProblems).map(({ code, path, message }) => {
    return `${path.join('.') || 'the body'} ${code === 'custom' ? message : 'is of the wrong type'}`;
  });
  return { problems };
}

/**
 * Reads a body, and refuses one about another resource than the one that was asked for. Uuids may come back in capitals.
 * @param date - the gateway's clock
 */
export function checkAnswer<Input extends CallOptions, Answer>(
  { answer: type, about, isDated }: Operation<Input, Answer>,
  input: Input,
  { body, date }: { readonly body: unknown; readonly date: Date | undefined },
): CheckedBody<Answer> {
  const isObject = typeof body === 'object' && body !== null;
  const checked = checkBody(type, isDated === true && isObject ? { ...body, date } : body);
  const subject = 'value' in checked ? about?.(input, checked.value) : undefined;
  if (subject?.names.some((name) => name?.toLowerCase() === subject.asked.toLowerCase()) !== false) return checked;
  return { problems: [`${subject.field} is not the one that was asked for`] };
}

// The types of fields. Real gateways differ from the types that the interface shows. So an answer
// is refused only for a field that a decision of a worker reads as a text, a list or an object. Any
// other field is kept as it came, and named nowhere: an odd one must not hide a whole project or page.

/** An id that the work stands on. */
export const requiredText = z.string().min(1);
/** A text that a decision compares; gateways leave fields out or send null. */
export const text = z.string().nullish();

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const headerValue = /^[\u0021-\u007e]{1,255}$/;

/** Says whether a text is a uuid. */
export function isUuid(value: string): boolean {
  return uuid.test(value);
}

/** A uuid as it goes into a path. */
export function uuidPathValue(field: string, value: string): string {
  if (!isUuid(value)) throw new InvalidInputError(field, 'must be a uuid');
  return value;
}

/** Any id or name as it goes into a path: one segment. */
export function pathValue(field: string, value: string): string {
  if (value.trim() === '') throw new InvalidInputError(field, 'must not be empty');
  if (value === '.' || value === '..') throw new InvalidInputError(field, 'must not be "." or ".."');
  if (!value.isWellFormed()) throw new InvalidInputError(field, 'holds half a character');
  return encodeURIComponent(value);
}

/** An RFC 3339 instant, as given. A local time without an offset is refused. */
export function instantText(field: string, value: string): string {
  if (value.includes(' ') || !isInstant(value)) {
    throw new InvalidInputError(field, 'must be an instant such as 2026-11-20T22:00:00Z, with Z or an offset');
  }
  return value;
}

/** An RFC 3339 instant in UTC, with `Z`; one that is in UTC already keeps its digits. */
export function utcInstantText(field: string, value: string): string {
  const canonical = instantText(field, value);
  return canonical.endsWith('Z') ? canonical : new Date(canonical).toISOString();
}

/** A value that may stand in a header. */
export function headerText(field: string, value: string): string {
  if (!headerValue.test(value)) throw new InvalidInputError(field, 'must be 1 to 255 visible ASCII characters');
  return value;
}

/** Servers take 8 KB of headers as a rule; no real token comes near. */
const longestToken = 8192;
const sendable = /^[\u0021-\u007e]+$/;

/** Throws if a token cannot be sent as a header: the value itself is in no message. */
export function assertBearerToken(token: unknown): asserts token is string {
  if (typeof token !== 'string' || token === '') throw new MalformedTokenError('is empty');
  if (token.length > longestToken) throw new MalformedTokenError(`is longer than ${longestToken} characters`);
  if (/^bearer\s/i.test(token)) {
    throw new MalformedTokenError('begins with the word Bearer: store the value alone');
  }
  if (/[\r\n]/.test(token)) throw new MalformedTokenError('holds a line break');
  if (!sendable.test(token)) {
    throw new MalformedTokenError('holds a space, a control character or a character beyond ASCII');
  }
}

/** What a query parameter may be given as. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;

/** The query with its question mark, or nothing. Lists repeat their name; undefined is left out. */
export function queryString(parameters: Readonly<Record<string, QueryValue>>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const values = Array.isArray(value) ? value : [value];
    for (const one of values)
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(one).toWellFormed())}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Says whether a body has no field. */
export function isEmpty(body: Readonly<Record<string, unknown>>): boolean {
  return Object.values(body).every((value) => value === undefined);
}
