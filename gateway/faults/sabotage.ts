/** What faults do to node's own response and socket: everything that an honest web framework cannot be made to do. */
import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { pause } from './pause.ts';

/** Resets the connection (RST): the caller sees ECONNRESET. */
export function reset({ incoming }: HttpBindings): Response {
  incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

/** Ends the connection in good order, without an answer. */
export function finish({ incoming }: HttpBindings): Response {
  incoming.socket.end();
  return RESPONSE_ALREADY_SENT;
}

/** Never answers; the connection stays open until the caller, or the gateway's end, closes it. */
export function hang(): Response {
  return RESPONSE_ALREADY_SENT;
}

/** Answers something that is not HTTP, then ends the connection. */
export function garbage({ incoming }: HttpBindings, text: string): Response {
  incoming.socket.end(text);
  return RESPONSE_ALREADY_SENT;
}

/** Promises the whole body and sends its first bytes only. */
export async function truncate(
  { incoming, outgoing }: HttpBindings,
  real: Response,
  cut: { readonly bytes: number; readonly end: 'fin' | 'reset' },
): Promise<Response> {
  const body = await writeHead(outgoing, real);
  // At least one byte is withheld, else nothing would be cut.
  const sent = body.subarray(0, Math.min(cut.bytes, Math.max(0, body.length - 1)));
  outgoing.flushHeaders();
  if (sent.length > 0) await new Promise<void>((resolve) => outgoing.write(sent, () => resolve()));
  if (cut.end === 'reset') incoming.socket.resetAndDestroy();
  else incoming.socket.end();
  return RESPONSE_ALREADY_SENT;
}

/** Sends the whole body, a few bytes at a time. */
export async function drip(
  { outgoing }: HttpBindings,
  real: Response,
  pace: { readonly bytes: number; readonly everyMs: number },
  closing: AbortSignal,
): Promise<Response> {
  const body = await writeHead(outgoing, real);
  outgoing.flushHeaders();
  for (let offset = 0; offset < body.length && !outgoing.destroyed; offset += pace.bytes) {
    await pause(pace.everyMs, closing);
    outgoing.write(body.subarray(offset, offset + pace.bytes));
  }
  outgoing.end();
  return RESPONSE_ALREADY_SENT;
}

/** Sends a whole answer at once, before the router is done with the request. */
export async function send({ outgoing }: HttpBindings, answer: Response): Promise<Response> {
  outgoing.end(await writeHead(outgoing, answer));
  return RESPONSE_ALREADY_SENT;
}

async function writeHead(outgoing: ServerResponse, real: Response): Promise<Buffer> {
  const body = Buffer.from(await real.arrayBuffer());
  outgoing.writeHead(real.status, { ...Object.fromEntries(real.headers), 'content-length': String(body.length) });
  return body;
}
