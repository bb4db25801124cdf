/**
 * What faults do to node's own response and socket: everything that an honest web framework cannot
 * be made to do.
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import { applyOf, type FaultRequest } from '../faults/fault.ts';
import { operationOf } from '../model/resources.ts';
import type { GatewayEnvironment, GatewayParts } from './environment.ts';
import { readBodyText } from './request-input.ts';

/** Promises the whole body and sends its first bytes only. */
async function truncate(
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
async function drip(
  { outgoing }: HttpBindings,
  real: Response,
  pace: { readonly bytes: number; readonly everyMs: number },
  closing: AbortSignal,
): Promise<Response> {
  const body = await writeHead(outgoing, real);
  outgoing.flushHeaders();
  for (let offset = 0; offset < body.length && !outgoing.destroyed; offset += pace.bytes) {
    await waitUnlessClosing(pace.everyMs, closing);
    outgoing.write(body.subarray(offset, offset + pace.bytes));
  }
  outgoing.end();
  return RESPONSE_ALREADY_SENT;
}

async function writeHead(outgoing: ServerResponse, real: Response): Promise<Buffer> {
  const body = Buffer.from(await real.arrayBuffer());
  outgoing.writeHead(real.status, { ...Object.fromEntries(real.headers), 'content-length': String(body.length) });
  return body;
}

// Lets an armed fault strike a request: the middleware between the request log and everything else.

/** The middleware. Requests that meet no fault pass through untouched. */
export function strikeFaults({ faults, closing }: GatewayParts): MiddlewareHandler<GatewayEnvironment> {
  return async (context, next) => {
    const { method, path } = context.req;
    const strike = faults.take(method, path, operationOf(method, path));
    if (strike === undefined) return next();

    const { fault, id } = strike;
    const serve = async () => {
      await next();
      return context.res;
    };
    const answer = await struckAnswer(context, fault, serve, closing);
    context.set('struck', { fault: id, status: sentStatus(answer, context) });
    context.res = undefined;
    context.res = answer;
    return undefined;
  };
}

async function struckAnswer(
  context: Context<GatewayEnvironment>,
  fault: FaultRequest,
  serve: () => Promise<Response>,
  closing: AbortSignal,
): Promise<Response> {
  const delayMs = fault.delayMs ?? 0;
  const apply = applyOf(fault);
  const answer = async (whole: Response) => answerBy[answerKind(fault)]({ context, fault, whole, closing });
  if (apply === 'before') {
    const real = await serve();
    await waitUnlessClosing(delayMs, closing);
    return answer(real);
  }
  if (apply === 'never') {
    await waitUnlessClosing(delayMs, closing);
    return answer(madeAnswer(fault));
  }
  if (answerKind(fault) === 'real') {
    await waitUnlessClosing(delayMs, closing);
    return closing.aborted ? RESPONSE_ALREADY_SENT : serve();
  }
  // The caller is given up first and the effect arrives later, as with a request that a proxy held
  // back.
  await readBodyText(context);
  const struck = await answer(madeAnswer(fault));
  if (struck !== RESPONSE_ALREADY_SENT) context.env.outgoing.end(await writeHead(context.env.outgoing, struck));
  await waitUnlessClosing(delayMs, closing);
  if (!closing.aborted) await serve();
  return RESPONSE_ALREADY_SENT;
}

type AnswerKind = 'reset' | 'fin' | 'hang' | 'garbage' | 'truncateBody' | 'drip' | 'made' | 'real';

function answerKind(fault: FaultRequest): AnswerKind {
  const wire = (['reset', 'fin', 'hang', 'garbage', 'truncateBody', 'drip'] as const).find(
    (kind) => fault[kind] !== undefined,
  );
  if (wire !== undefined) return wire;
  return (fault.status ?? fault.redirect ?? fault.rateLimit) ? 'made' : 'real';
}

/** A request that a fault strikes. */
interface Struck {
  readonly context: Context<GatewayEnvironment>;
  readonly fault: FaultRequest;
  /** The answer before the wire spoils it. */
  readonly whole: Response;
  readonly closing: AbortSignal;
}

const answerBy: Readonly<Record<AnswerKind, (struck: Struck) => Response | Promise<Response>>> = {
  /** The caller sees ECONNRESET. */
  reset({ context }) {
    context.env.incoming.socket.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  },
  fin({ context }) {
    context.env.incoming.socket.end();
    return RESPONSE_ALREADY_SENT;
  },
  /** The connection stays open until the caller, or the gateway's end, closes it. */
  hang: () => RESPONSE_ALREADY_SENT,
  garbage({ context, fault: { garbage } }) {
    context.env.incoming.socket.end(typeof garbage === 'string' ? garbage : 'EHLO gateway\r\n\r\n');
    return RESPONSE_ALREADY_SENT;
  },
  truncateBody: ({ context, fault, whole }) =>
    truncate(context.env, whole, fault.truncateBody ?? { bytes: 0, end: 'fin' }),
  drip: ({ context, fault, whole, closing }) =>
    drip(context.env, whole, fault.drip ?? { bytes: 1, everyMs: 100 }, closing),
  made: ({ fault }) => madeAnswer(fault),
  real: ({ whole }) => whole,
};

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** The answer that the fault itself spells out. */
function madeAnswer(fault: FaultRequest): Response {
  if (fault.redirect !== undefined) {
    const { to, status } = fault.redirect;
    return new Response(null, { status, headers: { location: new URL(to).href } });
  }
  const status = fault.status ?? (fault.rateLimit === undefined ? 500 : 429);
  const headers = madeHeaders(fault);
  if (withoutBody.has(status)) return new Response(null, { status, headers });
  const { body = { detail: `injected fault: status ${status}` }, repeatBody = 1 } = fault;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(text.repeat(repeatBody), { status, headers });
}

function madeHeaders({ headers = {}, rateLimit }: FaultRequest): Headers {
  const made = new Headers({ 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(headers)) made.set(name, value);
  const retryAfter = rateLimit?.retryAfter;
  if (retryAfter !== undefined) made.set('retry-after', String(retryAfter));
  return made;
}

function sentStatus(answer: Response, context: Context<GatewayEnvironment>): number | null {
  if (answer !== RESPONSE_ALREADY_SENT) return answer.status;
  return context.env.outgoing.headersSent ? context.env.outgoing.statusCode : null;
}

// Waiting that ends early when the gateway closes.

/** Waits that long, or until `closing`; never throws. */
async function waitUnlessClosing(milliseconds: number, closing: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal: closing });
  } catch (error) {
    if (!closing.aborted) throw error;
  }
}
