/**
 * Reads the fields of a body or a query, and refuses them as the vendor's framework does: one 422
 * whose `detail` names each field. Types are strict: a text is no boolean.
 */

/** One complaint of a 422. */
export interface Detail {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** An answer in place of the one that was asked for. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly detail: string | readonly Detail[];

  constructor(status: number, detail: string | readonly Detail[]) {
    super(`${status} ${JSON.stringify(detail)}`);
    this.status = status;
    this.detail = detail;
  }
}

/** A 422 about one place. */
export function invalid(loc: Detail['loc'], msg: string, type = 'value_error'): Refusal {
  return new Refusal(422, [{ loc, msg, type }]);
}

/** What is wrong with a value; `at` leads into it. */
export class Problem {
  readonly type: string;
  readonly msg: string;
  readonly at: readonly (string | number)[];

  constructor(type: string, msg: string, at: readonly (string | number)[] = []) {
    this.type = type;
    this.msg = msg;
    this.at = at;
  }
}

/** Reads one value. */
export type Reader<T> = (value: unknown) => T | Problem;

/** A field of a body or a query. */
export interface Field<T> {
  readonly read: Reader<T>;
  readonly isRequired: boolean;
  readonly takesMany: boolean;
}

/** The fields of one body or query, by their names. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What was read. */
export type Values<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

/** A field that has to be there. */
export function required<T>(read: Reader<T>): Field<T> {
  return { read, isRequired: true, takesMany: false };
}

/** A field that may be absent. */
export function optional<T>(read: Reader<T>): Field<T | undefined> {
  return { read, isRequired: false, takesMany: false };
}

/** A field that may be absent or null. */
export function nullable<T>(read: Reader<T>): Field<T | null | undefined> {
  return optional<T | null>((value) => (value === null ? null : read(value)));
}

/** A field of a query or a form that may come several times. */
export function several<T>(read: Reader<T>): Field<readonly T[] | undefined> {
  return { read: arrayOf(read), isRequired: false, takesMany: true };
}

/** What a peer does with a field that the page does not have. */
export type UnknownFields = 'ignore' | 'refuse';

/** Reads an object's fields, or throws one 422 with every complaint. */
export function readFields<F extends Fields>(
  source: Readonly<Record<string, unknown>>,
  fields: F,
  { place, unknown }: { readonly place: 'body' | 'query'; readonly unknown: UnknownFields },
): Values<F> {
  const detail: Detail[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = source[name];
    if (value === undefined) {
      if (field.isRequired) detail.push({ loc: [place, name], msg: 'Field required', type: 'missing' });
      continue;
    }
    const read = field.read(value);
    if (read instanceof Problem) detail.push({ loc: [place, name, ...read.at], msg: read.msg, type: read.type });
    else values[name] = read;
  }
  const others = unknown === 'refuse' ? Object.keys(source).filter((name) => !Object.hasOwn(fields, name)) : [];
  for (const name of others) {
    detail.push({ loc: [place, name], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' });
  }
  if (detail.length > 0) throw new Refusal(422, detail);
  return values as Values<F>;
}

/** Reads a query: a parameter that comes several times is a list, of the others the last one counts. */
export function readQuery<F extends Fields>(query: URLSearchParams, fields: F, unknown: UnknownFields): Values<F> {
  const source = Object.fromEntries(
    [...query.keys()].map((name) => {
      const texts = query.getAll(name);
      return [name, fields[name]?.takesMany === true ? texts : texts.at(-1)];
    }),
  );
  return readFields(source, fields, { place: 'query', unknown });
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// RFC 3339 has an offset always.
const timeForm = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** A uuid, in lower case. */
export const uuid: Reader<string> = (value) =>
  typeof value === 'string' && uuidForm.test(value)
    ? value.toLowerCase()
    : new Problem('uuid_parsing', 'Input should be a valid UUID');

/** A time of RFC 3339. */
export const time: Reader<Date> = (value) => {
  const date = typeof value === 'string' && timeForm.test(value) ? new Date(value) : undefined;
  return date === undefined || Number.isNaN(date.getTime())
    ? new Problem('datetime_parsing', 'Input should be a valid datetime of RFC 3339')
    : date;
};

/** A time after `now`. */
export function timeAfter(now: Date): Reader<Date> {
  return (value) => {
    const read = time(value);
    if (read instanceof Problem || read > now) return read;
    return new Problem('datetime_future', 'Input should be in the future');
  };
}

/** A boolean of JSON. */
export const boolean: Reader<boolean> = (value) =>
  typeof value === 'boolean' ? value : new Problem('bool_type', 'Input should be a valid boolean');

/** A boolean of a query. */
export const booleanText: Reader<boolean> = (value) =>
  value === 'true' || value === 'false'
    ? value === 'true'
    : new Problem('bool_parsing', 'Input should be a valid boolean');

/** A text of so many characters. */
export function text(least = 0, most = Number.POSITIVE_INFINITY): Reader<string> {
  return (value) => {
    if (typeof value !== 'string') return new Problem('string_type', 'Input should be a valid string');
    const { length } = Array.from(value);
    if (length < least) return new Problem('string_too_short', `String should have at least ${least} characters`);
    if (length > most) return new Problem('string_too_long', `String should have at most ${most} characters`);
    return value;
  };
}

/** One of these words. */
export function oneOf<const W extends string>(...words: readonly W[]): Reader<W> {
  return (value) =>
    words.find((word) => word === value) ??
    new Problem('literal_error', `Input should be ${words.map((word) => `'${word}'`).join(' or ')}`);
}

/** A whole number in a range; of a query it is a text. */
export function integer(least: number, most: number, from: 'json' | 'text' = 'json'): Reader<number> {
  return (value) => {
    const number = from === 'text' && typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isInteger(number))
      return new Problem('int_parsing', 'Input should be a valid integer');
    if (number < least) return new Problem('greater_than_equal', `Input should be greater than or equal to ${least}`);
    if (number > most) return new Problem('less_than_equal', `Input should be less than or equal to ${most}`);
    return number;
  };
}

/** A list of so many values. */
export function arrayOf<T>(read: Reader<T>, least = 0, most = Number.POSITIVE_INFINITY): Reader<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return new Problem('list_type', 'Input should be a valid list');
    if (value.length < least) return new Problem('too_short', `List should have at least ${least} items`);
    if (value.length > most) return new Problem('too_long', `List should have at most ${most} items`);
    const items: T[] = [];
    for (const [at, item] of value.entries()) {
      const one = read(item);
      if (one instanceof Problem) return new Problem(one.type, one.msg, [at, ...one.at]);
      items.push(one);
    }
    return items;
  };
}
