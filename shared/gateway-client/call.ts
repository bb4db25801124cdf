import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { healsByItself } from '../errors/app-error.ts';
import { attemptOnce, type AttemptDeps, type PreparedCall } from './attempt.ts';
import { classifyFailure, type OperationVerb } from './failures/classify-failure.ts';
import { BadStatusError, NotSentError, TokenUnavailableError } from './failures/errors.ts';
import {
  assertBearerToken,
  type CallOptions,
  checkAnswer,
  headerText,
  type Operation,
  queryString,
} from './operation.ts';
import { backOffMs, type Random } from './retry-timing.ts';

/** The source of the token, for many calls at once. */
export interface TokenProvider {
  /** The token as last fetched. */
  get(): Promise<string>;
  /** Fetches again, after a 401. */
  refresh(): Promise<string>;
}

/** Makes the function of an operation, which gives its checked answer. */
export type Call = <Input extends CallOptions, Answer>(
  operation: Operation<Input, Answer>,
) => (input: Input) => Promise<Answer>;

/** What the call layer is made of. */
export interface CallDeps extends AttemptDeps {
  readonly tokenProvider: TokenProvider;
  readonly pace: (() => Promise<void>) | undefined;
  readonly repeatGets: boolean;
  readonly random: Random;
}

/**
 * Makes the function that every operation goes through: token, pace, attempt, and the repeats that
 * are safe.
 */
export function createCall(deps: CallDeps): Call {
  const budget = createRetryBudget();
  return (operation) => async (input) => {
    const { name, verb } = operation;
    const prepared = prepare(deps, operation, input);
    const clock = createCallClock(deps.timeouts[verb].totalMs);
    const progress: Progress = { tokens: [await tokenFrom(() => deps.tokenProvider.get())], repeats: 0 };
    for (let attempt = 1; ; attempt += 1) {
      if (deps.pace !== undefined) await paced(deps.pace, name);
      clock.begin();
      // Waiting may have used up the time, and a request that is cut off at once would only leave
      // doubt.
      if (!clock.hasTimeFor(0)) throw new NotSentError(`the repeat of ${name}`);
      const { tokens } = progress;
      try {
        const answer = await attemptOnce(deps, prepared, { tokens, attempt, remainingMs: clock.remainingMs() });
        budget.refill();
        return answer;
      } catch (error) {
        if (isFirst401(error, tokens)) await takeNewToken(deps, progress, error);
        else await waitForRepeat(deps, verb, { budget, progress, clock, error });
      }
    }
  };
}

/** Checks the input, before a token is asked for. */
function prepare<Input extends CallOptions, Answer>(
  { pathPrefix }: CallDeps,
  operation: Operation<Input, Answer>,
  input: Input,
): PreparedCall<Answer> {
  const { value = '', query = {}, body, form } = operation.ask(input);
  const { requestId, idempotencyKey } = input;
  const json = body === undefined ? undefined : { contentType: 'application/json', body: JSON.stringify(body) };
  return {
    operation,
    path: `${pathPrefix}${operation.path.replace(/\{\w+\}/, () => value)}${queryString(query)}`,
    content: form ?? json,
    read: (answer, date) => checkAnswer(operation, input, { body: answer, date }),
    requestId: headerText('requestId', requestId ?? randomUUID()),
    idempotencyKey: idempotencyKey === undefined ? undefined : headerText('idempotencyKey', idempotencyKey),
  };
}

/** A pace that fails has kept the request from being sent. */
async function paced(pace: () => Promise<void>, what: string): Promise<void> {
  try {
    await pace();
  } catch (error) {
    throw new NotSentError(what, error, 'before-sending');
  }
}

/** How far a call has come. */
interface Progress {
  readonly tokens: string[];
  repeats: number;
}

type CallClock = ReturnType<typeof createCallClock>;
type RetryBudget = ReturnType<typeof createRetryBudget>;

/** Reads the token again for one more attempt; throws the 401 if there is no new one. */
async function takeNewToken(deps: CallDeps, { tokens }: Progress, error: unknown): Promise<void> {
  const fresh = await tokenFrom(() => deps.tokenProvider.refresh());
  if (fresh === tokens[0]) throw error;
  tokens.push(fresh);
}

/** Waits for one more attempt if that is safe, has a chance and is affordable; else throws. */
async function waitForRepeat(
  deps: CallDeps,
  verb: OperationVerb,
  { budget, progress, clock, error }: { budget: RetryBudget; progress: Progress; clock: CallClock; error: unknown },
): Promise<void> {
  const delayMs = backOffMs(progress.repeats + 1, deps.random);
  const mayRepeat = progress.repeats < repeatsFor(deps, verb, error) && clock.hasTimeFor(delayMs);
  if (!mayRepeat || !budget.take()) throw error;
  progress.repeats += 1;
  await sleep(delayMs);
}

/**
 * A 401 or 407 is proof that nothing was applied, so the request goes out again with a new token: once.
 */
function isFirst401(error: unknown, tokens: readonly string[]): boolean {
  return error instanceof BadStatusError && (error.status === 401 || error.status === 407) && tokens.length === 1;
}

function repeatsFor(deps: CallDeps, verb: OperationVerb, error: unknown): number {
  if (verb === 'get' && !deps.repeatGets) return 0;
  return classifyFailure(verb, error).repeatsNow ?? 0;
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

/** The time of a call, from its first attempt on. Monotonic, because the wall clock may be set while a call runs. */
function createCallClock(totalMs: number) {
  let endsAt: number | undefined;
  const remainingMs = (): number => (endsAt === undefined ? totalMs : endsAt - performance.now());
  return {
    begin() {
      endsAt ??= performance.now() + totalMs;
    },
    remainingMs,
    /** Whether at least a third of the time of a call is left after this wait. */
    hasTimeFor: (delayMs: number) => remainingMs() - delayMs >= totalMs / 3,
  };
}

/** Repeats that a fresh environment may make before it has earned any. */
const capacity = 10;
/** What one answer earns: repeats add at most a tenth to the traffic of a gateway in trouble. */
const perAnswer = 0.1;

/** A bucket of repeats that fills with each good answer. */
function createRetryBudget() {
  let left = capacity;
  return {
    /** Takes one repeat from the budget, or says no. */
    take() {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    /** Notes an answer that needed no repeat. */
    refill() {
      left = Math.min(capacity, left + perAnswer);
    },
  };
}
