/** A request as it arrived: read whole, so that it is applied in one step or not at all. */
import type { IncomingMessage } from 'node:http';
import { invalid } from './fields.ts';

/** A file of a form. */
export interface SentFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** A part of a form. */
export interface Part {
  readonly name: string;
  readonly value: string | SentFile;
}

/** A body by its kind. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly parts: readonly Part[] }
  /** Of another type, or not what its type says. */
  | { readonly kind: 'unreadable'; readonly why: string };

/** One request. Its token is not in it. */
export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
  /** The token that it was sent with is a good one. */
  readonly isAuthorized: boolean;
}

/** Reads a request to its end. */
export async function readRequest(message: IncomingMessage, tokens: ReadonlySet<string>): Promise<PeerRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const url = new URL(message.url ?? '/', 'http://peer');
  const { authorization = '', ...headers } = message.headers;
  const token = /^Bearer (?<token>\S+)$/i.exec(authorization)?.groups?.['token'];
  return {
    method: message.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: await readBody(Buffer.concat(chunks), headers['content-type'] ?? ''),
    isAuthorized: token !== undefined && tokens.has(token),
  };
}

async function readBody(bytes: Buffer<ArrayBuffer>, type: string): Promise<Body> {
  if (bytes.length === 0) return { kind: 'none' };
  const [media = ''] = type.toLowerCase().split(';');
  try {
    if (media.trim() === 'application/json') return { kind: 'json', value: JSON.parse(bytes.toString('utf8')) };
    if (media.trim() === 'multipart/form-data') return { kind: 'form', parts: await partsOf(bytes, type) };
  } catch (error) {
    return { kind: 'unreadable', why: error instanceof Error ? error.message : String(error) };
  }
  return { kind: 'unreadable', why: `the content type ${type === '' ? '(none)' : type} is not taken` };
}

async function partsOf(bytes: Buffer<ArrayBuffer>, type: string): Promise<readonly Part[]> {
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const parts = [...form].map(async ([name, value]): Promise<Part> => {
    if (typeof value === 'string') return { name, value };
    return {
      name,
      value: { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) },
    };
  });
  return Promise.all(parts);
}

/** The object of a JSON body. */
export function objectOf(body: Body): Readonly<Record<string, unknown>> {
  if (body.kind === 'none') throw invalid(['body'], 'Field required', 'missing');
  if (body.kind === 'unreadable') throw invalid(['body'], body.why, 'json_invalid');
  const value = body.kind === 'json' ? body.value : undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw invalid(['body'], 'Input should be a valid dictionary', 'model_attributes_type');
}
