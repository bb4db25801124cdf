/** Lets an armed fault strike a request: the middleware between the request log and everything else. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import type { GatewayEnvironment } from '../http/environment.ts';
import { readBodyText } from '../http/json-body.ts';
import { operationOf } from '../operations.ts';
import type { GatewayParts } from '../parts.ts';
import { applyOf } from './fault.ts';
import type { FaultRequest } from './fault.ts';
import { pause } from './pause.ts';
import { drip, finish, garbage, hang, reset, send, truncate } from './sabotage.ts';

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
  if (apply === 'before') {
    const real = await serve();
    await pause(delayMs, closing);
    return answerOf(context, fault, real, closing);
  }
  if (apply === 'never') {
    await pause(delayMs, closing);
    return answerOf(context, fault, undefined, closing);
  }
  if (isDelayAlone(fault)) {
    await pause(delayMs, closing);
    return closing.aborted ? RESPONSE_ALREADY_SENT : serve();
  }
  // The caller is given up first and the effect arrives later, as with a request that a proxy held back.
  await readBodyText(context);
  const struck = await answerOf(context, fault, undefined, closing);
  const answer = struck === RESPONSE_ALREADY_SENT ? struck : await send(context.env, struck);
  await pause(delayMs, closing);
  if (!closing.aborted) await serve();
  return answer;
}

function isDelayAlone(fault: FaultRequest): boolean {
  return answerKind(fault) === 'real';
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
  reset: ({ context }) => reset(context.env),
  fin: ({ context }) => finish(context.env),
  hang,
  garbage: ({ context, fault }) =>
    garbage(context.env, typeof fault.garbage === 'string' ? fault.garbage : 'EHLO gateway\r\n\r\n'),
  truncateBody: ({ context, fault, whole }) =>
    truncate(context.env, whole, fault.truncateBody ?? { bytes: 0, end: 'fin' }),
  drip: ({ context, fault, whole, closing }) =>
    drip(context.env, whole, fault.drip ?? { bytes: 1, everyMs: 100 }, closing),
  made: ({ fault }) => madeAnswer(fault),
  real: ({ whole }) => whole,
};

async function answerOf(
  context: Context<GatewayEnvironment>,
  fault: FaultRequest,
  real: Response | undefined,
  closing: AbortSignal,
): Promise<Response> {
  return answerBy[answerKind(fault)]({ context, fault, whole: real ?? madeAnswer(fault), closing });
}

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** The answer that the fault itself spells out. */
function madeAnswer(fault: FaultRequest): Response {
  if (fault.redirect !== undefined) return redirectTo(fault.redirect);
  const status = fault.status ?? (fault.rateLimit === undefined ? 500 : 429);
  const headers = madeHeaders(fault);
  if (withoutBody.has(status)) return new Response(null, { status, headers });
  const { body = { detail: `injected fault: status ${status}` }, repeatBody = 1 } = fault;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(text.repeat(repeatBody), { status, headers });
}

function redirectTo({ to, status }: NonNullable<FaultRequest['redirect']>): Response {
  return new Response(null, { status, headers: { location: new URL(to).href } });
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
