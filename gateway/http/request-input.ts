/**
 * Reads what a request holds: a JSON body or a form, the query and the path, checked against
 * schemas.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import * as z from 'zod';
import type { DatasetFile } from '../model/resources.ts';
import { type GatewayEnvironment, invalidField, refusal, type ValidationDetail } from './environment.ts';

const maximumBytes = 1024 * 1024; // the largest honest body is a few hundred bytes; a faulty client should hear of it
const maximumFormBytes = 32 * 1024 * 1024; // more than any honest client sends; it is held in memory

/** The body, valid by `schema`; else 400, 413, 415, or a 422 that names each field. */
export async function readJson<T>(context: Context<GatewayEnvironment>, schema: z.ZodType<T>): Promise<T> {
  const type = typeOf(context).split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw refusal(415, 'the body must be sent as application/json');
  const bytes = await readBytes(context, maximumBytes);
  context.set('bodyText', bytes.toString());
  return checkedBody(schema, parseJson(bytes));
}

function typeOf(context: Context<GatewayEnvironment>): string {
  return context.req.header('content-type') ?? '';
}

/**
 * The whole body, at most so large; else a 413. Hono's `bodyLimit` makes a new Request. That fails, since
 * the library's own does not replace Node's here.
 */
async function readBytes(context: Context<GatewayEnvironment>, mostBytes: number): Promise<Buffer<ArrayBuffer>> {
  const encoding = (context.req.header('content-encoding') ?? 'identity').toLowerCase();
  if (encoding !== 'identity') throw refusal(415, 'the body must be sent without a content encoding');
  const incoming: IncomingMessage = context.env.incoming;
  const tooLarge = refusal(413, `the body is larger than ${mostBytes} bytes`, { connection: 'close' });
  if (Number(incoming.headers['content-length'] ?? 0) > mostBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Left undestroyed on an early exit: the 413 still has to go out over the same socket.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      const buffer = Buffer.from(chunk);
      bytes += buffer.length;
      if (bytes > mostBytes) throw tooLarge;
      chunks.push(buffer);
    }
  } catch (error) {
    if (error instanceof HTTPException) throw error;
    throw refusal(400, 'the connection ended before the body did'); // only the request log will know
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw refusal(400, bytes.length === 0 ? 'a JSON body is required' : 'the body is not JSON in UTF-8');
  }
}

/** What was read, valid by `schema`; else a 422 that names each field. */
function checkedBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body);
  if (error !== undefined) throw refusal(422, error.issues.flatMap(detailsOf));
  return data;
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

// Forms with a file.

const formType = 'multipart/form-data';

/** Whether the request says that its body is such a form. */
export function isForm(context: Context<GatewayEnvironment>): boolean {
  return typeOf(context).trim().toLowerCase().startsWith(formType);
}

/**
 * The form, valid by `schema`; else 400, 413, 415, or a 422 that names each field. A field that
 * comes once is a text, one that comes again a list, and of a file its name, size and digest are
 * kept. The request log gets the same.
 */
export async function readForm<T>(context: Context<GatewayEnvironment>, schema: z.ZodType<T>): Promise<T> {
  const bytes = await readBytes(context, maximumFormBytes);
  const form = await new Response(bytes, { headers: { 'content-type': typeOf(context) } }).formData().catch(() => {
    throw refusal(400, `the body is no ${formType}`);
  });
  const entries = [...new Set(form.keys())].map(async (name) => {
    const values = await Promise.all(form.getAll(name).map(async (value) => seen(value)));
    return [name, values.length === 1 ? values[0] : values] as const;
  });
  const fields = Object.fromEntries(await Promise.all(entries));
  context.set('bodyText', JSON.stringify(fields));
  return checkedBody(schema, fields);
}

async function seen(file: File | string): Promise<DatasetFile | string> {
  if (typeof file === 'string') return file;
  const content = Buffer.from(await file.arrayBuffer());
  return { name: file.name, sizeBytes: file.size, sha256: createHash('sha256').update(content).digest('hex') };
}

// Rows of query parameters. One that a row does not name is ignored.

const once = z
  .array(z.string())
  .max(1, 'is given more than once')
  .transform(([value]) => value);

/** Free text; an empty one counts as not given. */
export const textParameter = once.transform((value) => (value === '' ? undefined : value));

/** Several values: the parameter repeated, or separated by commas. */
export const listParameter = z
  .array(z.string())
  .transform((values) => values.flatMap((value) => value.split(',')).filter((value) => value !== ''))
  .transform((values) => (values.length === 0 ? undefined : values));

/** What the schema makes of the one text that was given. */
export function parameter<Schema extends z.ZodType<unknown, string>>(schema: Schema) {
  return once.pipe(schema.optional());
}

/** `true` or `false`, in any case, or 1 or 0. */
export const booleanParameter = parameter(
  z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], error: 'must be true or false' }),
);

export const uuidText = z.guid('must be a uuid');

/**
 * Instants as the gateway reads them: RFC 3339 with an offset. A local time names no instant and is
 * refused.
 */
export const offsetInstant = z.iso.datetime({
  offset: true,
  abort: true,
  error:
    'must be a date and time with an offset, such as 2026-02-01T00:00:00Z (in a query, a plus sign is sent as %2B)',
});

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

/** The uuid in the path, in lower case; a 422 that names it if it is none. */
export function uuidInPath(context: Context, name: string): string {
  const { data } = uuidText.safeParse(context.req.param(name));
  if (data === undefined) throw invalidField(['path', name], `${name} must be a uuid`, 'uuid_parsing');
  return data.toLowerCase();
}
