/** Reads a query string field by field, collects every problem, and throws them together as one 422. */
import { HttpProblem, type ValidationDetail } from './problem.ts';

const booleans: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** Typed access to query parameters. Unknown parameters are ignored; a parameter given twice is a problem unless it is a list. */
export class QueryReader {
  readonly #parameters: URLSearchParams;
  readonly #problems: ValidationDetail[] = [];

  constructor(url: string) {
    this.#parameters = new URL(url).searchParams;
  }

  /** Free text; an empty one counts as not given. */
  text(name: string): string | undefined {
    const value = this.#single(name);
    return value === '' ? undefined : value;
  }

  /** Several values: the parameter repeated, or separated by commas. */
  list(name: string): readonly string[] | undefined {
    const values = this.#parameters
      .getAll(name)
      .flatMap((value) => value.split(','))
      .filter((value) => value !== '');
    return values.length === 0 ? undefined : values;
  }

  boolean(name: string): boolean | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    const lower = value.toLowerCase();
    if (Object.hasOwn(booleans, lower)) return booleans[lower];
    return this.#problem(name, 'must be true or false', 'bool_parsing');
  }

  integer(name: string, minimum: number, maximum: number): number | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    if (!/^[+-]?\d{1,15}$/u.test(value)) return this.#problem(name, 'must be an integer', 'int_parsing');
    const number = Number(value);
    if (number < minimum) return this.#problem(name, `must be at least ${minimum}`, 'greater_than_equal');
    if (number > maximum) return this.#problem(name, `must be at most ${maximum}`, 'less_than_equal');
    return number;
  }

  oneOf<T extends string>(name: string, words: readonly T[]): T | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    return words.find((word) => word === value) ?? this.#problem(name, `must be one of: ${words.join(', ')}`, 'enum');
  }

  instant(name: string): Date | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    const msg = 'must be a date and time with an offset, such as 2026-02-01T00:00:00Z (a plus sign is sent as %2B)';
    return parseInstant(value) ?? this.#problem(name, msg, 'datetime_parsing');
  }

  /** Anything that `parse` understands; nothing from it means a problem. */
  parsed<T>(name: string, parse: (text: string) => T | undefined, msg: string): T | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    return parse(value) ?? this.#problem(name, msg, 'value_error');
  }

  /** Notes a problem that only the caller can see, such as two parameters that contradict each other. */
  reject(name: string, msg: string, type = 'value_error'): void {
    this.#problem(name, msg, type);
  }

  /** Throws what was collected, if anything. */
  finish(): void {
    if (this.#problems.length > 0) throw new HttpProblem(422, this.#problems);
  }

  #single(name: string): string | undefined {
    const values = this.#parameters.getAll(name);
    if (values.length > 1) return this.#problem(name, 'is given more than once', 'value_error');
    return values[0];
  }

  #problem(name: string, msg: string, type: string): undefined {
    this.#problems.push({ loc: ['query', name], msg: `${name} ${msg}`, type });
    return undefined;
  }
}

/** Instants as the gateway reads them: RFC 3339 with an offset. A local time names no instant and is refused. */

const pattern =
  /^(?<date>\d{4}-\d{2}-\d{2})T(?<time>[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u;

/** The instant, or nothing where the text is not one (30 February included). */
export function parseInstant(text: string): Date | undefined {
  const date = pattern.exec(text)?.groups?.['date'];
  if (date === undefined) return undefined;
  const midnight = new Date(`${date}T00:00:00Z`);
  // Some engines roll 30 February over into March instead of refusing it.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return undefined;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
