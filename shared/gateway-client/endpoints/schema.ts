import * as z from 'zod';
import { isCalendarDay } from '../../schedule/time-zone.ts';
import { InvalidInputError, MalformedTokenError } from '../failures/errors.ts';

/** What a check of a body gives. */
export type CheckedBody<T> = { readonly value: T } | { readonly problems: readonly string[] };

const maxProblems = 5;

/** Checks a body. The problems name fields and rules, never values. */
export function checkBody<T>(type: z.ZodType<T>, body: unknown): CheckedBody<T> {
  const result = type.safeParse(body);
  if (result.success) return { value: result.data };
  const problems = result.error.issues.slice(0, maxProblems).map(({ code, path, message }) => {
    return `${path.join('.') || 'the body'} ${code === 'custom' ? message : 'is of the wrong type'}`;
  });
  return { problems };
}

// The types of fields. Real gateways differ from the types that the interface shows. So an answer
// is refused only for a field that a decision of a worker reads as a text, a list or an object. Any
// other field is kept as it came, and named nowhere: an odd one must not hide a whole project or page.

/** An id that the work stands on. */
export const requiredText = z.string().min(1);
/** A text that a decision compares; gateways leave fields out or send null. */
export const text = z.string().nullish();

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const instant = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/i;
const headerValue = /^[\u0021-\u007e]{1,255}$/;

/** Says whether a text is a uuid. */
export function isUuid(value: string): boolean {
  return uuid.test(value);
}

/** A uuid as it goes into a path. */
export function uuidPathValue(field: string, value: string): string {
  if (typeof value !== 'string' || !isUuid(value)) throw new InvalidInputError(field, 'must be a uuid');
  return value;
}

/** Any id or name as it goes into a path: one segment. */
export function pathValue(field: string, value: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw new InvalidInputError(field, 'must not be empty');
  if (value === '.' || value === '..') throw new InvalidInputError(field, 'must not be "." or ".."');
  if (!value.isWellFormed()) throw new InvalidInputError(field, 'holds half a character');
  return encodeURIComponent(value);
}

/** An RFC 3339 instant, as given. A local time without an offset is refused. */
export function instantText(field: string, value: string): string {
  const day = typeof value === 'string' ? instant.exec(value)?.[1] : undefined;
  if (day === undefined || Number.isNaN(Date.parse(value)) || !isCalendarDay(day)) {
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
  if (typeof value !== 'string' || !headerValue.test(value)) {
    throw new InvalidInputError(field, 'must be 1 to 255 visible ASCII characters');
  }
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
