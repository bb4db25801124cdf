/** A client of one gateway: its options, its operations, and how each of their calls goes. */
import { randomUUID } from 'node:crypto';
import { healsByItself } from '../errors/app-error.ts';
import type { Parsed } from '../schedule/duration.ts';
import { parseBaseUrl, parseProxyUrl } from './addresses.ts';
import { attemptOnce, type AttemptDeps, type PreparedCall, type RequestInfo } from './attempt.ts';
import { getCampaign, listRuns, makeRun, readCampaignRun, updateCampaignRun } from './campaigns.ts';
import { createDataset } from './datasets.ts';
import { classifyFailure, type OperationVerb } from './failures/classify-failure.ts';
import { BadStatusError, InvalidInputError, NotSentError, TokenUnavailableError } from './failures/errors.ts';
import {
  assertBearerToken,
  type CallOptions,
  checkAnswer,
  headerText,
  type Operation,
  queryString,
} from './operation.ts';
import { getProject, listEndpoints, type ListEndpointsInput } from './projects.ts';
import { backOffMs, type Random } from './retry-timing.ts';
import { listPage, walkScannerPackages } from './scanner-packages.ts';
import { createTransport, type Transport } from './transport/transport.ts';

/** The source of the token, for many calls at once. */
export interface TokenProvider {
  /** The token as last fetched. */
  get(): Promise<string>;
  /** Fetches again, after a 401. */
  refresh(): Promise<string>;
}

/** The time bounds of a call, in milliseconds. */
export interface GatewayTimeouts {
  /** To connect, TLS included; the tunnel of a proxy has as long again before it. @default 3000 */
  readonly connectMs?: number;
  /** From the request to the headers of its answer. @default 10000, and 30000 for a POST */
  readonly headersMs?: number;
  /**
   * The whole call: connecting, the answer to its last byte, and repeats in process.
   * @default 15000, and 45000 for a POST
   */
  readonly totalMs?: number;
}

/** The gateway's address, and the way to it: the same for every client of a stage. */
export interface GatewayConnection {
  /** Exact origin, https unless loopback; a path prefix may follow. */
  readonly baseUrl: string;
  /**
   * PEM: the authorities that vouch for the gateway, instead of the system's. @default the system's
   */
  readonly caBundle?: string | undefined;
  /** `http://host:port`: every connection goes through a tunnel of this proxy. @default direct */
  readonly proxy?: string | undefined;
}

/** What a gateway client is made of. */
export interface GatewayClientOptions extends GatewayConnection {
  readonly tokenProvider: TokenProvider;
  readonly timeouts?: GatewayTimeouts;
  /** Awaited before each request, repeats included. @default no wait */
  readonly pace?: () => Promise<void>;
  /** Whether a GET is repeated in process, at most twice. @default true */
  readonly repeatGets?: boolean;
  /** Epoch milliseconds, for dates in `Retry-After`. @default Date.now */
  readonly now?: () => number;
  /** @default Math.random */
  readonly random?: Random;
  /** Called after each attempt. What it throws is dropped: logging decides nothing. */
  readonly onRequest?: (info: RequestInfo) => void;
}

/** Makes the function of an operation, which gives its checked answer. */
export type Call = <Input extends CallOptions, Answer>(
  operation: Operation<Input, Answer>,
) => (input: Input) => Promise<Answer>;

/**
 * The operations of the interface, and those outside of it. They throw only a GatewayError, which says `requestSent`.
 */
export function operationsOf(call: Call) {
  return {
    getProject: call(getProject),
    /** The interface marks this operation deprecated. */
    listEndpoints: (input: ListEndpointsInput = {}) => call(listEndpoints)(input),
    getCampaign: call(getCampaign),
    listScannerPackages: walkScannerPackages(call(listPage)),
    updateCampaignRun: call(updateCampaignRun),
    createDataset: call(createDataset),
    /** Not in the interface: only a gateway with `readsRuns` is asked. */
    readCampaignRun: call(readCampaignRun),
    /** Not in the interface: only a gateway with `makesRuns` is asked. So is the next. */
    makeRun: call(makeRun),
    listRuns: call(listRuns),
  };
}

/** The operations of a client. */
export type GatewayOperations = ReturnType<typeof operationsOf>;

export interface GatewayClient extends GatewayOperations {
  /** Waits for what is under way and closes the connections. */
  close(): Promise<void>;
}

/**
 * Makes a client of one gateway.
 * @param wire - what its requests go through @default connections to its address
 * @throws InvalidInputError for an address that it does not take
 */
export function createGatewayClient(options: GatewayClientOptions, wire?: Transport): GatewayClient {
  const { timeouts = {}, caBundle, now = Date.now, onRequest } = options;
  const { origin, pathPrefix } = valueOf('baseUrl', parseBaseUrl(options.baseUrl));
  const proxy = options.proxy === undefined ? undefined : valueOf('proxy', parseProxyUrl(options.proxy));
  const { connectMs = defaultConnectMs } = timeouts;
  const transport = wire ?? createTransport({ origin, connectMs, caBundle, proxy });
  const call = createCall({ ...options, transport, pathPrefix, timeouts: verbTimeouts(timeouts), now, onRequest });
  return { ...operationsOf(call), close: () => transport.close() };
}

function valueOf<Value>(option: string, read: Parsed<Value>): Value {
  if (read.ok) return read.value;
  throw new InvalidInputError(option, read.problem);
}

export const defaultConnectMs = 3000;

function verbTimeouts({ headersMs, totalMs }: GatewayTimeouts): AttemptDeps['timeouts'] {
  const usual = { headersMs: headersMs ?? 10_000, totalMs: totalMs ?? 15_000 };
  return { get: usual, patch: usual, post: { headersMs: headersMs ?? 30_000, totalMs: totalMs ?? 45_000 } };
}

/** What a call takes. */
interface CallDeps
  extends AttemptDeps, Pick<GatewayClientOptions, 'tokenProvider' | 'pace' | 'repeatGets' | 'random'> {}

/**
 * Makes the function that every operation goes through: token, pace, attempt, and the repeats that
 * are safe.
 */
function createCall(deps: CallDeps): Call {
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
  const delayMs = backOffMs(progress.repeats + 1, deps.random ?? Math.random);
  const mayRepeat = progress.repeats < repeatsFor(deps, verb, error) && clock.hasTimeFor(delayMs);
  if (!mayRepeat || !budget.take()) throw error;
  progress.repeats += 1;
  // Not by node:timers/promises: a fault test takes the timers of its process, and these it cannot take.
  await new Promise((resolve) => setTimeout(resolve, delayMs));
}

/**
 * A 401 or 407 is proof that nothing was applied, so the request goes out again with a new token: once.
 */
function isFirst401(error: unknown, tokens: readonly string[]): boolean {
  return error instanceof BadStatusError && (error.status === 401 || error.status === 407) && tokens.length === 1;
}

function repeatsFor(deps: CallDeps, verb: OperationVerb, error: unknown): number {
  if (verb === 'get' && deps.repeatGets === false) return 0;
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
