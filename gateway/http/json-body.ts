/** Reads a JSON body: bounded, of the right type, and checked against a schema. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type * as z from 'zod';
import type { GatewayEnvironment } from './environment.ts';
import { HttpProblem } from './problem.ts';
import type { ValidationDetail } from './problem.ts';

const maximumBytes = 1024 * 1024; // the largest honest body is a few hundred bytes; a faulty client should hear of it

/** Reads the body's text once and remembers it; 413 and 415 are thrown before anything is parsed. */
export async function readBodyText(context: Context<GatewayEnvironment>): Promise<string> {
  const known = context.get('bodyText');
  if (known !== undefined) return known;
  const text = decode(await readBytes(context.env.incoming));
  context.set('bodyText', text);
  return text;
}

/** The body, valid by `schema`; else 400, 413, 415, or a 422 that names each field. */
export async function readJson<T>(context: Context<GatewayEnvironment>, schema: z.ZodType<T>): Promise<T> {
  requireJson(context);
  const result = schema.safeParse(parseJson(await readBodyText(context)));
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
  const encoding = (context.req.header('content-encoding') ?? 'identity').toLowerCase();
  if (encoding !== 'identity') throw new HttpProblem(415, 'the body must be sent without a content encoding');
}

async function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maximumBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Left undestroyed on an early exit: the 413 still has to go out over the same socket.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      const buffer = Buffer.from(chunk);
      bytes += buffer.length;
      if (bytes > maximumBytes) throw tooLarge();
      chunks.push(buffer);
    }
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    throw new HttpProblem(400, 'the connection ended before the body did'); // only the request log will know
  }
  return Buffer.concat(chunks);
}

function tooLarge(): HttpProblem {
  return new HttpProblem(413, `the body is larger than ${maximumBytes} bytes`, { connection: 'close' });
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
