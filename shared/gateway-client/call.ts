import { randomUUID } from 'node:crypto';
import { healsByItself } from '../errors/app-error.ts';
import { type AttemptDeps, attemptOnce } from './attempt.ts';
import { type Random, type RetryBudget, backOffMs } from './retry-timing.ts';
import { assertBearerToken, type CallOptions, type TokenProvider, type VerbTimeouts } from './options.ts';
import { classifyFailure } from './failures/classify-failure.ts';
import { BadStatusError } from './failures/answer-errors.ts';
import { NotSentError, TokenUnavailableError } from './failures/errors.ts';
import { headerText, type Schema } from './endpoints/schema.ts';
import type { OperationVerb } from './failures/failure-facts.ts';

/** One operation of the interface, ready to be sent. */
export interface CallSpec<T> {
  /** As the interface of the client names it, e.g. `getCampaign`. */
  readonly operation: string;
  readonly verb: OperationVerb;
  /** The path with the names of its values, for messages and logs. */
  readonly pathTemplate: string;
  /** Path and query, encoded, without the prefix of the base URL. */
  readonly path: string;
  readonly body?: unknown;
  /** A body that is made already, in the place of `body`. */
  readonly form?: { readonly contentType: string; readonly body: Buffer } | undefined;
  readonly schema: Schema<T>;
  /** Whether the path names one resource by id. */
  readonly namesResource: boolean;
  readonly maxResponseBytes?: number;
  readonly options: CallOptions;
}

/** Sends an operation and gives its checked answer. */
export type Call = <T>(spec: CallSpec<T>) => Promise<T>;

/** What the call layer is made of. */
export interface CallDeps extends AttemptDeps {
  readonly tokenProvider: TokenProvider;
  readonly timeouts: Readonly<Record<OperationVerb, VerbTimeouts>>;
  readonly pace: (() => Promise<void>) | undefined;
  readonly repeatGets: boolean;
  readonly budget: RetryBudget;
  readonly random: Random;
}

const mostRepeats = 2;

/**
 * Makes the function that every operation goes through: token, pace, attempt, and the few repeats
 * that are safe.
 */
export function createCall(deps: CallDeps): Call {
  return async (spec) => {
    const requestId = headerText('requestId', spec.options.requestId ?? randomUUID());
    const idempotencyKey =
      spec.options.idempotencyKey === undefined ? undefined : headerText('idempotencyKey', spec.options.idempotencyKey);
    const clock = createCallClock(deps.timeouts[spec.verb].totalMs);
    const progress: Progress = { tokens: [await tokenFrom(() => deps.tokenProvider.get())], repeats: 0 };
    for (let attempt = 1; ; attempt += 1) {
      if (deps.pace !== undefined) await paced(deps.pace, spec);
      clock.begin();
      // Waiting may have used up the time, and a request that is cut off at once would only leave
      // doubt.
      if (!clock.hasTimeFor(0)) throw new NotSentError(`the repeat of ${spec.operation}`);
      const { tokens } = progress;
      try {
        const remainingMs = clock.remainingMs();
        const answer = await attemptOnce(deps, spec, { tokens, attempt, requestId, idempotencyKey, remainingMs });
        deps.budget.refill();
        return answer;
      } catch (error) {
        if (isFirst401(error, tokens)) await takeNewToken(deps, progress, error);
        else await waitForRepeat(deps, spec, { progress, clock, error });
      }
    }
  };
}

/** A pace that fails has kept the request from being sent. */
async function paced(pace: () => Promise<void>, spec: CallSpec<unknown>): Promise<void> {
  try {
    await pace();
  } catch (error) {
    throw new NotSentError(spec.operation, error);
  }
}

/** How far a call has come. */
interface Progress {
  readonly tokens: string[];
  repeats: number;
}

/** Reads the token again for one more attempt; throws the 401 if there is no new one. */
async function takeNewToken(deps: CallDeps, { tokens }: Progress, error: unknown): Promise<void> {
  const fresh = await tokenFrom(() => deps.tokenProvider.refresh());
  if (fresh === tokens[0]) throw error;
  tokens.push(fresh);
}

/**
 * Waits for one more attempt if that is safe, has a chance and is affordable; else throws the error
 * of the last one.
 */
async function waitForRepeat(
  deps: CallDeps,
  spec: CallSpec<unknown>,
  { progress, clock, error }: { progress: Progress; clock: CallClock; error: unknown },
): Promise<void> {
  const delayMs = backOffMs(progress.repeats + 1, deps.random);
  const mayRepeat = progress.repeats < repeatsFor(deps, spec.verb, error) && clock.hasTimeFor(delayMs);
  if (!mayRepeat || !deps.budget.take()) throw error;
  progress.repeats += 1;
  await sleep(delayMs);
}

/**
 * A 401 is proof that nothing was applied, so the request goes out again with a new token, a POST
 * too: once.
 */
function isFirst401(error: unknown, tokens: readonly string[]): boolean {
  return error instanceof BadStatusError && error.status === 401 && tokens.length === 1;
}

function repeatsFor(deps: CallDeps, verb: OperationVerb, error: unknown): number {
  if (verb === 'get' && !deps.repeatGets) return 0;
  const verdict = classifyFailure(verb, error);
  if (verdict.next !== 'now' || verdict.rereadFirst === true) return 0;
  return Math.min(mostRepeats, verdict.maxNow);
}

async function tokenFrom(fetchToken: () => Promise<string>): Promise<string> {
  let token: unknown;
  try {
    token = await fetchToken();
  } catch (error) {
    throw new TokenUnavailableError(nameAndCode(error), { retryable: healsByItself(error) });
  }
  assertBearerToken(token);
  return token;
}

/**
 * A provider's error without its message: a parser quotes what it could not parse, and that may be
 * the token.
 */
function nameAndCode(caught: unknown): Error {
  if (!(caught instanceof Error)) return new Error('the provider threw no Error');
  const code = 'code' in caught && typeof caught.code === 'string' ? caught.code : '';
  return new Error([caught.name, code].filter((part) => part !== '').join(' '));
}

interface CallClock {
  /**
   * Starts the time of the call, at its first attempt; waiting for the token and the pace before it
   * does not count.
   */
  begin(): void;
  remainingMs(): number;
  /**
   * Whether an attempt after this wait has a fair chance: at least a third of the time of a call.
   */
  hasTimeFor(delayMs: number): boolean;
}

/** Monotonic, because the wall clock may be set while a call runs. */
function createCallClock(totalMs: number): CallClock {
  let endsAt: number | undefined;
  const remainingMs = (): number => (endsAt === undefined ? totalMs : endsAt - performance.now());
  return {
    begin() {
      endsAt ??= performance.now() + totalMs;
    },
    remainingMs,
    hasTimeFor: (delayMs) => remainingMs() - delayMs >= totalMs / 3,
  };
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });
}
