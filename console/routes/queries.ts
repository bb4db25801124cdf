import { RequestProblem } from '../server/problems.ts';

/** Texts of an address as what they mean. */

/** An instant in RFC 3339; `undefined` if it is not there. */
export function instantOf(text: string | undefined, name: string): Date | undefined {
  if (text === undefined || text === '') return undefined;
  const at = new Date(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(at.getTime())) return at;
  throw new RequestProblem(400, 'USAGE', `${name} takes an instant, such as 2026-11-20T22:00:00Z`);
}

/** A count from 1 to `most`. */
export function countOf(
  text: string | undefined,
  { name, otherwise, most }: { readonly name: string; readonly otherwise: number; readonly most: number },
): number {
  if (text === undefined || text === '') return otherwise;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new RequestProblem(400, 'USAGE', `${name} takes a number from 1 to ${most}`);
}

/** A text that has to be there. */
export function neededText(text: string | undefined, name: string): string {
  if (text !== undefined && text.trim() !== '') return text;
  throw new RequestProblem(400, 'USAGE', `${name} is missing`);
}

/**
 * The bytes of a body, counted as they come: one that is too large is refused before it is held.
 * @param maxBytes - the most
 */
export async function bytesOf(request: Request, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new RequestProblem(413, 'TOO_LARGE', `the file is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
