import {
  createGatewayClient,
  type GatewayClient,
  type GatewayClientOptions,
  type GatewayConnection,
  GatewayError,
  type RequestInfo,
} from '#shared/gateway-client/index.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { Log } from '../_handler/function-log.ts';
import type { Gate } from './gate.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** A client whose calls end within its function's time. */
export interface GatewayWithin {
  readonly gateway: GatewayClient;
  /** The longest that one call and the writes after it take: none is begun with less time left. */
  readonly callBudgetMs: number;
}

/**
 * The gateway as a function calls it that may not be cut off in a call. A GET that fails is not repeated in process: what asked for it comes
 * back, and has a turn of its own then.
 * @returns what makes the client, once, with all the time that the function has at the start of its first attempt
 */
export function createGatewayWithin(
  options: GatewayConnection & Pick<GatewayClientOptions, 'tokenProvider' | 'random'> & { readonly log: Log },
  longest: LongestTimes = aroundAnyCall,
): (functionMs: number) => GatewayWithin {
  const { log, ...rest } = options;
  let made: GatewayWithin | undefined;

  function make(functionMs: number): GatewayWithin {
    const { totalMs, budgetMs } = callTimes(functionMs, longest);
    const onRequest = requestLog(log);
    const gateway = createGatewayClient({ ...rest, timeouts: { totalMs }, repeatGets: false, onRequest });
    return { gateway, callBudgetMs: budgetMs };
  }

  return (functionMs) => (made ??= make(functionMs));
}

/** A start is a GET and a PATCH: two calls and the ledger fit into the function's time, so that the platform cuts neither. */
const callShare = 0.4;

/** How long a call takes at most, and the write after it with its repeats, for which a share of the function's time is kept. */
interface LongestTimes {
  readonly callMs: number;
  readonly writeMs: number;
  readonly writeShare: number;
}

const aroundAnyCall: LongestTimes = { callMs: 15_000, writeMs: 2000, writeShare: 0.1 };

/** Of a POST: a dataset that was made and not written down is in doubt for ever. */
export const aroundPosts: LongestTimes = { callMs: 45_000, writeMs: 5000, writeShare: 0.2 };

/**
 * The times of a call in a function with so much time: `totalMs` to the last byte of its answer,
 * `budgetMs` with the write of its result.
 */
export function callTimes(functionMs: number, { callMs, writeMs, writeShare } = aroundAnyCall) {
  const totalMs = Math.min(callMs, functionMs * callShare);
  return { totalMs, budgetMs: totalMs + Math.min(writeMs, functionMs * writeShare) };
}

/**
 * What a gateway client tells of each request, as a line for a person who looks for a fault. The id that the gateway got is `xRequestId` there, as in
 * every other line: `requestId` is the invocation's.
 */
export function requestLog(log: Pick<Log, 'debug'>): (info: RequestInfo) => void {
  return ({ requestId: xRequestId, ...info }) =>
    log.debug(logEvents.gatewayRequest, `${info.method} ${info.pathTemplate}`, { ...info, xRequestId });
}

/** What a read for a question needs: only the person who asked waits for it. */
export interface AskedReadDeps {
  readonly gate: Pick<Gate, 'waitMs'>;
  readonly rateLimiter: Pick<RateLimiter<'reads'>, 'waitMs' | 'take'>;
  /** The longest that one call takes: none is begun with less time left. */
  readonly callBudgetMs: number;
  readonly remainingMs: () => number;
}

/** An answer, or one sentence why there is none. */
export type AskedRead<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly why: string; readonly error?: GatewayError };

/** One read of the gateway for a question, as far as gate, rate and time allow; it is not repeated. */
export async function askedRead<Answer>(read: () => Promise<Answer>, deps: AskedReadDeps): Promise<AskedRead<Answer>> {
  if ((await deps.gate.waitMs()) > 0) return { ok: false, why: 'no worker calls the gateway at the moment' };
  if (deps.remainingMs() - deps.rateLimiter.waitMs('reads') < deps.callBudgetMs) {
    return { ok: false, why: 'too little time was left to read it' };
  }
  await deps.rateLimiter.take('reads', deps.remainingMs());
  try {
    return { ok: true, answer: await read() };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { ok: false, why: error.message, error };
  }
}
