/** Reads a form with a file (multipart/form-data): bounded, and checked against a schema. */
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type * as z from 'zod';
import type { DatasetFile } from '../model/resources.ts';
import { type GatewayEnvironment, refusal } from './environment.ts';
import { checkedBody, readBytes, requireIdentity } from './request-input.ts';

const maximumBytes = 32 * 1024 * 1024; // more than any honest client sends; it is held in memory

const mediaType = 'multipart/form-data';

/** Whether the request says that its body is such a form. */
export function isForm(context: Context<GatewayEnvironment>): boolean {
  return typeOf(context).trim().toLowerCase().startsWith(mediaType);
}

/**
 * The form, valid by `schema`; else 400, 413, 415, or a 422 that names each field. A field that comes once is a text, one that comes
 * again a list, and of a file its name, size and digest are kept. The request log gets the same.
 */
export async function readForm<T>(context: Context<GatewayEnvironment>, schema: z.ZodType<T>): Promise<T> {
  requireIdentity(context);
  const bytes = await readBytes(context.env.incoming, maximumBytes);
  const form = await parsed(bytes, typeOf(context));
  const entries = [...new Set(form.keys())].map(async (name) => {
    const values = await Promise.all(form.getAll(name).map(async (value) => seen(value)));
    return [name, values.length === 1 ? values[0] : values] as const;
  });
  const fields = Object.fromEntries(await Promise.all(entries));
  context.set('bodyText', JSON.stringify(fields));
  return checkedBody(schema, fields);
}

function typeOf(context: Context<GatewayEnvironment>): string {
  return context.req.header('content-type') ?? '';
}

async function parsed(bytes: Buffer<ArrayBuffer>, type: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData();
  } catch {
    throw refusal(400, `the body is no ${mediaType}`);
  }
}

async function seen(file: File | string): Promise<DatasetFile | string> {
  if (typeof file === 'string') return file;
  const sha256 = createHash('sha256')
    .update(Buffer.from(await file.arrayBuffer()))
    .digest('hex');
  return { name: file.name, sizeBytes: file.size, sha256 };
}
