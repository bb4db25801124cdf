import { BadStatusError, GatewayError } from '#shared/gateway-client/index.ts';
import type { Gate } from './gate.ts';
import type { RateLimiter } from './rate-limiter.ts';

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
  | { readonly ok: false; readonly why: string; readonly httpStatus?: number; readonly error?: GatewayError };

/** One read of the gateway for a question, as far as gate, rate and time allow; it is not repeated. */
export async function askedRead<Answer>(read: () => Promise<Answer>, deps: AskedReadDeps): Promise<AskedRead<Answer>> {
  if ((await deps.gate.waitMs()) > 0) return { ok: false, why: 'nobody calls the gateway at the moment' };
  if (deps.remainingMs() - deps.rateLimiter.waitMs('reads') < deps.callBudgetMs) {
    return { ok: false, why: 'too little time was left to read it' };
  }
  await deps.rateLimiter.take('reads', deps.remainingMs());
  try {
    return { ok: true, answer: await read() };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const why = error.message;
    return { ok: false, why, error, ...(error instanceof BadStatusError ? { httpStatus: error.status } : {}) };
  }
}
