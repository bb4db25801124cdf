/**
 * Lets an armed fault strike a request: the middleware between the request log and everything else.
 * It works on node's own response and socket, for what an honest web framework cannot be made to
 * do.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import { type FaultRequest, isDelayAlone } from '../faults/fault.ts';
import type { GatewayEnvironment, GatewayParts } from './environment.ts';

/** The middleware. Requests that meet no fault pass through untouched. */
export function strikeFaults({ faults, closing }: GatewayParts): MiddlewareHandler<GatewayEnvironment> {
  return async (context, next) => {
    const fault = faults.take(context.req.method, context.req.path);
    if (fault === undefined) return next();

    const isMadeFirst = fault.apply === 'before' || fault.truncateBody !== undefined;
    if (isMadeFirst) await next();
    await waitUnlessClosing(fault.delayMs ?? 0, closing);
    const isMadeLate = isDelayAlone(fault) && !isMadeFirst;
    if (isMadeLate && !closing.aborted) await next();
    const answer = isMadeLate && closing.aborted ? RESPONSE_ALREADY_SENT : await answerOf(fault, context);
    context.set('struck', { fault: fault.id, status: sentStatus(answer, context) });
    context.res = undefined;
    context.res = answer;
    return undefined;
  };
}

async function answerOf(fault: FaultRequest, { env, res }: Context<GatewayEnvironment>): Promise<Response> {
  const { socket } = env.incoming;
  if (isDelayAlone(fault)) return res;
  if (fault.status !== undefined) return madeAnswer(fault.status, fault);
  if (fault.redirect !== undefined) return new Response(null, { status: 307, headers: { location: fault.redirect } });
  if (fault.truncateBody !== undefined) await truncate(env, res, fault.truncateBody);
  else if (fault.reset === true) socket.resetAndDestroy();
  else if (fault.fin === true) socket.end();
  else if (fault.garbage === true) socket.end('EHLO gateway\r\n\r\n');
  // Else it hangs: the connection stays open until the caller, or the gateway's end, closes it.
  return RESPONSE_ALREADY_SENT;
}

/** Promises the whole body and sends its first bytes only. */
async function truncate(
  { incoming, outgoing }: HttpBindings,
  real: Response,
  { bytes, end }: NonNullable<FaultRequest['truncateBody']>,
): Promise<void> {
  const body = Buffer.from(await real.arrayBuffer());
  outgoing.writeHead(real.status, { ...Object.fromEntries(real.headers), 'content-length': String(body.length) });
  // At least one byte is withheld, else nothing would be cut.
  const sent = body.subarray(0, Math.min(bytes, Math.max(0, body.length - 1)));
  outgoing.flushHeaders();
  if (sent.length > 0) await new Promise<void>((resolve) => outgoing.write(sent, () => resolve()));
  if (end === 'reset') incoming.socket.resetAndDestroy();
  else incoming.socket.end();
}

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** The answer that the fault itself spells out. */
function madeAnswer(status: number, { headers, body }: FaultRequest): Response {
  const made = new Headers({ 'content-type': 'application/json', ...headers });
  if (withoutBody.has(status)) return new Response(null, { status, headers: made });
  const content = body ?? { detail: `injected fault: status ${status}` };
  return new Response(typeof content === 'string' ? content : JSON.stringify(content), { status, headers: made });
}

function sentStatus(answer: Response, context: Context<GatewayEnvironment>): number | null {
  if (answer !== RESPONSE_ALREADY_SENT) return answer.status;
  return context.env.outgoing.headersSent ? context.env.outgoing.statusCode : null;
}

/** Waits that long, or until the gateway closes; never throws. */
async function waitUnlessClosing(milliseconds: number, closing: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal: closing }).catch(() => {});
}
