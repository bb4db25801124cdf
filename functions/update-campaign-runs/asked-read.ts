import { BadStatusError, GatewayError } from '../../shared/gateway-client/index.ts';
import type { UpdateDeps } from './deps.ts';

/** What a read for a question needs: nobody waits for it but a person. */
export interface AskedReadDeps extends Pick<UpdateDeps, 'gate' | 'rateLimiter' | 'callBudgetMs'> {
  readonly remainingMs: () => number;
}

/** An answer, or one sentence why there is none. */
export type AskedRead<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly why: string; readonly httpStatus?: number; readonly error?: GatewayError };

/** One read of the gateway for a question, as far as gate, rate and time allow; it is not repeated. */
export async function askedRead<Answer>(read: () => Promise<Answer>, deps: AskedReadDeps): Promise<AskedRead<Answer>> {
  if ((await deps.gate.waitMs(deps.remainingMs)) > 0)
    return { ok: false, why: 'nobody calls the gateway at the moment' };
  const longestMs = deps.remainingMs() - deps.callBudgetMs;
  if (deps.rateLimiter.waitMs('reads') > longestMs) {
    return { ok: false, why: 'too little time was left to read it' };
  }
  await deps.rateLimiter.take('reads', longestMs);
  try {
    return { ok: true, answer: await read() };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const why = error.message;
    return { ok: false, why, error, ...(error instanceof BadStatusError ? { httpStatus: error.status } : {}) };
  }
}
