/** Reads a JSON body: bounded, of the right type, and checked against a schema. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type * as z from 'zod';
import { type GatewayEnvironment, HttpProblem, invalidField, type ValidationDetail } from './environment.ts';
const maximumBytes = 1024 * 1024; // the largest honest body is a few hundred bytes; a faulty client should hear of it

/**
 * Reads the body's text once and remembers it; 413 and 415 are thrown before anything is parsed.
 */
export async function readBodyText(context: Context<GatewayEnvironment>): Promise<string> {
  const known = context.get('bodyText');
  if (known !== undefined) return known;
  const text = decode(await readBytes(context.env.incoming, maximumBytes));
  context.set('bodyText', text);
  return text;
}

/** The body, valid by `schema`; else 400, 413, 415, or a 422 that names each field. */
export async function readJson<T>(context: Context<GatewayEnvironment>, schema: z.ZodType<T>): Promise<T> {
  requireJson(context);
  return checkedBody(schema, parseJson(await readBodyText(context)));
}

/** What was read, valid by `schema`; else a 422 that names each field. */
export function checkedBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (!result.success)
    throw new HttpProblem(
      422,
      result.error.issues.flatMap((issue) => detailsOf(issue)),
    );
  return result.data;
}

function requireJson(context: Context<GatewayEnvironment>): void {
  const type = (context.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new HttpProblem(415, 'the body must be sent as application/json');
  requireIdentity(context);
}

/** A 415 for a body that is compressed. */
export function requireIdentity(context: Context<GatewayEnvironment>): void {
  const encoding = (context.req.header('content-encoding') ?? 'identity').toLowerCase();
  if (encoding !== 'identity') throw new HttpProblem(415, 'the body must be sent without a content encoding');
}

/** The whole body, at most so large; else a 413. */
export async function readBytes(incoming: IncomingMessage, mostBytes: number): Promise<Buffer<ArrayBuffer>> {
  if (Number(incoming.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Left undestroyed on an early exit: the 413 still has to go out over the same socket.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      const buffer = Buffer.from(chunk);
      bytes += buffer.length;
      if (bytes > mostBytes) throw tooLarge(mostBytes);
      chunks.push(buffer);
    }
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    throw new HttpProblem(400, 'the connection ended before the body did'); // only the request log will know
  }
  return Buffer.concat(chunks);
}

function tooLarge(mostBytes: number): HttpProblem {
  return new HttpProblem(413, `the body is larger than ${mostBytes} bytes`, { connection: 'close' });
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpProblem(400, 'the body is not UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem(400, text === '' ? 'a JSON body is required' : 'the body is not JSON');
  }
}

function detailsOf(issue: z.core.$ZodIssue): ValidationDetail[] {
  const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  if (issue.code !== 'unrecognized_keys') return [{ loc: ['body', ...path], msg: issue.message, type: issue.code }];
  return issue.keys.map((key) => ({
    loc: ['body', ...path, key],
    msg: `${key} is not a field of this request`,
    type: 'extra_forbidden',
  }));
}

// Reads a query string field by field, collects every problem, and throws them together as one 422.

const booleans: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/**
 * Typed access to query parameters. Unknown parameters are ignored; a parameter given twice is a
 * problem unless it is a list.
 */
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

  /** Several values, each of which has to be known. */
  listOf(name: string, isKnown: (value: string) => boolean, msg: string): readonly string[] | undefined {
    const values = this.list(name);
    return values?.every(isKnown) === false ? this.#problem(name, msg, 'enum') : values;
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

  /**
   * Notes a problem that only the caller can see, such as two parameters that contradict each
   * other.
   */
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

/**
 * Instants as the gateway reads them: RFC 3339 with an offset. A local time names no instant and is
 * refused.
 */
const pattern =
  /^(?<date>\d{4}-\d{2}-\d{2})T(?<time>[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u;

/** The instant, or nothing if the text is not one (30 February included). */
export function parseInstant(text: string): Date | undefined {
  const date = pattern.exec(text)?.groups?.['date'];
  if (date === undefined) return undefined;
  const midnight = new Date(`${date}T00:00:00Z`);
  // Some engines roll 30 February over into March instead of refusing it.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return undefined;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

// Reads path parameters.

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** Whether the text is a uuid, of any version. */
export function isAnyUuid(text: string): boolean {
  return uuid.test(text);
}

/** The uuid in the path, in lower case; a 422 that names it if it is none. */
export function uuidInPath(context: Context, name: string): string {
  const value = context.req.param(name) ?? '';
  if (!isAnyUuid(value)) throw invalidField(['path', name], `${name} must be a uuid`, 'uuid_parsing');
  return value.toLowerCase();
}
