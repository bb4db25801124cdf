/** Reads path parameters. */
import type { Context } from 'hono';
import { invalid } from './problem.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** Whether the text is a uuid, of whatever version. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** The uuid in the path, in lower case; a 422 that names it where it is none. */
export function uuidInPath(context: Context, name: string): string {
  const value = context.req.param(name) ?? '';
  if (!isUuid(value)) throw invalid(['path', name], `${name} must be a uuid`, 'uuid_parsing');
  return value.toLowerCase();
}
