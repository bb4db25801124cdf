/** Reads a JSON body: bounded, of the right type, and checked against a schema. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import * as z from 'zod';
import { type GatewayEnvironment, invalidField, refusal, type ValidationDetail } from './environment.ts';

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
    throw refusal(
      422,
      result.error.issues.flatMap((issue) => detailsOf(issue)),
    );
  return result.data;
}

function requireJson(context: Context<GatewayEnvironment>): void {
  const type = (context.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw refusal(415, 'the body must be sent as application/json');
  requireIdentity(context);
}

/** A 415 for a body that is compressed. */
export function requireIdentity(context: Context<GatewayEnvironment>): void {
  const encoding = (context.req.header('content-encoding') ?? 'identity').toLowerCase();
  if (encoding !== 'identity') throw refusal(415, 'the body must be sent without a content encoding');
}

/**
 * The whole body, at most so large; else a 413. Hono's `bodyLimit` makes a new Request. That fails, since
 * the library's own does not replace Node's here.
 */
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
    if (error instanceof HTTPException) throw error;
    throw refusal(400, 'the connection ended before the body did'); // only the request log will know
  }
  return Buffer.concat(chunks);
}

function tooLarge(mostBytes: number): HTTPException {
  return refusal(413, `the body is larger than ${mostBytes} bytes`, { connection: 'close' });
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refusal(400, 'the body is not UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(400, text === '' ? 'a JSON body is required' : 'the body is not JSON');
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

// Rows of query parameters. One that a row does not name is ignored.

const once = z.array(z.string()).max(1, 'is given more than once');

/** Free text; an empty one counts as not given. */
export const textParameter = once.transform(([value]) => (value === '' ? undefined : value));

/** Several values: the parameter repeated, or separated by commas. */
export const listParameter = z
  .array(z.string())
  .transform((values) => values.flatMap((value) => value.split(',')).filter((value) => value !== ''))
  .transform((values) => (values.length === 0 ? undefined : values));

/** Anything that `parse` understands; nothing from it means a problem. */
export function parsedParameter<T>(parse: (text: string) => T | undefined, problem: string) {
  return once.transform(([value], context): T | undefined => {
    const parsed = value === undefined ? undefined : parse(value);
    if (value !== undefined && parsed === undefined) context.addIssue({ code: 'custom', message: problem });
    return parsed;
  });
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** `true` or `false`, in any case, or 1 or 0. */
export const booleanParameter = parsedParameter((text) => booleans.get(text.toLowerCase()), 'must be true or false');

/** A whole number within its bounds. */
export function integerParameter(least: number, most: number) {
  const isWithin = (number: number) => number >= least && number <= most;
  return parsedParameter(
    (text) => (/^[+-]?\d{1,15}$/u.test(text) && isWithin(Number(text)) ? Number(text) : undefined),
    `must be an integer from ${least} to ${most}`,
  );
}

/** One of these words. */
export function wordParameter<T extends string>(words: readonly T[]) {
  return parsedParameter((text) => words.find((word) => word === text), `must be one of: ${words.join(', ')}`);
}

/** A time. */
export const instantParameter = parsedParameter(
  (text) => parseInstant(text),
  'must be a date and time with an offset, such as 2026-02-01T00:00:00Z (a plus sign is sent as %2B)',
);

/** The query, valid by `row`; else a 422 that names each parameter. */
export function readQuery<Shape extends z.ZodRawShape>(
  { req }: Context,
  row: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  const { searchParams } = new URL(req.url);
  const given = Object.fromEntries(Object.keys(row.shape).map((name) => [name, searchParams.getAll(name)]));
  const { data, error } = row.safeParse(given);
  if (error === undefined) return data;
  const details = error.issues.map(({ path: [name], message, code }) => ({
    loc: ['query', String(name)],
    msg: `${String(name)} ${message}`,
    type: code ?? 'custom',
  }));
  throw refusal(422, details);
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
