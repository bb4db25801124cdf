import { InvalidInputError } from '../failures/errors.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const instant = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i;
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

/** An id or a name as it goes into a path: one segment, whatever it holds. */
export function pathValue(field: string, value: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw new InvalidInputError(field, 'must not be empty');
  if (value === '.' || value === '..') throw new InvalidInputError(field, 'must not be "." or ".."');
  if (!value.isWellFormed()) throw new InvalidInputError(field, 'holds half a character');
  return encodeURIComponent(value);
}

/** An RFC 3339 instant, as given. A local time without an offset is refused: nobody can know which instant was meant. */
export function instantText(field: string, value: string): string {
  const match = typeof value === 'string' ? instant.exec(value) : null;
  if (match === null || Number.isNaN(Date.parse(value)) || !isCalendarDay(match)) {
    throw new InvalidInputError(field, 'must be an instant such as 2026-11-20T22:00:00Z, with Z or an offset');
  }
  return value;
}

/** An RFC 3339 instant in UTC, with `Z`; one that is in UTC already keeps its digits. */
export function utcInstantText(field: string, value: string): string {
  const text = instantText(field, value);
  return text.endsWith('Z') ? text : new Date(text).toISOString();
}

/** A value that may stand in a header. */
export function headerText(field: string, value: string): string {
  if (typeof value !== 'string' || !headerValue.test(value)) {
    throw new InvalidInputError(field, 'must be 1 to 255 visible ASCII characters');
  }
  return value;
}

// Date.parse takes February 30 for March 2.
function isCalendarDay(match: RegExpExecArray): boolean {
  const [, year, month, day] = match;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
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
