import type { Alarms, ChangeCalendars } from '#shared/aws/alarms-and-calendars.ts';
import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { ConfigPart, ResolvedGateway } from '#shared/config/resolve/resolved-automation.ts';
import { toError } from '#shared/errors/app-error.ts';
import {
  classifyFailure,
  type GatewayClient,
  GatewayError,
  type OperationVerb,
  type Verdict,
} from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { RateLimiter, RequestKind } from '../_gateway/rate-limiter.ts';
import type { Tick } from '../_handler/handlers.ts';

/** What is needed to send what is due. */
export interface SendDeps extends Pick<Tick, 'now'> {
  readonly ledger: Ledger;
  /**
   * In a stage that only observes: what it began for real before, since those runs go on. @default
   * what is real is the ledger
   */
  readonly acting?: Pick<Ledger, 'listOpen'>;
  readonly commands: Pick<Queue, 'send'>;
  readonly reports: Pick<Tick['reports'], 'log' | 'count'>;
}

/** What one tick works with. */
export interface WatchDeps extends SendDeps, Pick<Tick, 'remainingMs'> {
  readonly reports: Pick<Tick['reports'], 'log' | 'count' | 'level'>;
  readonly bus: OutcomePublisher;
  readonly gateway: Pick<GatewayClient, 'getCampaign' | 'readCampaignRun'>;
  /** @default the stage follows no calendar */
  readonly calendars?: ChangeCalendars;
  /** @default no campaign halts on an alarm */
  readonly alarms?: Alarms;
  readonly gate: Gate;
  readonly rateLimiter: RateLimiter;
  /** The longest that one read and the writes after it take: none is begun with less time left. */
  readonly callBudgetMs: number;
  readonly config: Pick<ConfigPart<'watch-campaigns'>, 'mode' | 'calendars' | 'haltOn' | 'pools' | 'results'> & {
    readonly gateway: Pick<ResolvedGateway, 'readsRuns' | 'makesRuns' | 'status'> &
      Partial<Pick<ResolvedGateway, 'alreadyInState'>>;
  };
}

// Parts of a tick that have nothing to do with each other: one that fails keeps none of the others
// from being done.

/** What is done next, however the part before ended. */
export async function afterwards<Answer>(before: Promise<unknown>, next: () => Promise<Answer>): Promise<Answer> {
  await Promise.allSettled([before]);
  return next();
}

/**
 * Does the same with each, one after the other.
 * @throws at the end what failed; several failures as one AggregateError
 */
export async function doEach<Item>(items: Iterable<Item>, act: (item: Item) => Promise<void>): Promise<void> {
  const failures: Error[] = [];
  for (const item of items) {
    await act(item).catch((error: unknown) => void failures.push(toError(error)));
  }
  const [first, ...others] = failures;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
}

/** Neither past a closed gate nor into the end of this function's time: the next tick begins with what waited longest. */
export async function mayCall(
  kind: RequestKind,
  { gate, rateLimiter, remainingMs, callBudgetMs }: WatchDeps,
): Promise<boolean> {
  return (await gate.waitMs(remainingMs)) === 0 && remainingMs() - rateLimiter.waitMs(kind) >= callBudgetMs;
}

/** What one call of the gateway came to. */
export type GatewayCalled<Answer> =
  | { readonly ok: true; readonly answer: Answer; readonly at: string }
  | { readonly ok: false; readonly error: GatewayError; readonly verdict: Verdict };

/**
 * One call of the gateway in its slot, and the instant just before it. A change has a slot of the rate of `runs`. What a failure says to the gate is
 * the caller's to tell.
 */
export async function callGateway<Answer>(
  verb: OperationVerb,
  call: () => Promise<Answer>,
  { gate, rateLimiter, now, remainingMs, callBudgetMs, config }: WatchDeps,
): Promise<GatewayCalled<Answer>> {
  await rateLimiter.take(verb === 'get' ? 'reads' : 'runs', remainingMs() - callBudgetMs);
  const at = now().toISOString();
  try {
    const answer = await call();
    await gate.answered();
    return { ok: true, answer, at };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { alreadyInState } = config.gateway;
    return { ok: false, error, verdict: classifyFailure(verb, error, { alreadyInState: alreadyInState?.stop }) };
  }
}
