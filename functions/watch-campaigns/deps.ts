import type { OutcomeBus } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { ConfigPart } from '#shared/config/resolve/resolved-automation.ts';
import type { GatewayClient } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { Tick } from '../_handler/handlers.ts';
import type { RateLimiter } from '../_gateway/rate-limiter.ts';

/** What is needed to send what is due. */
export interface SendDeps extends Pick<Tick, 'now'> {
  readonly ledger: Ledger;
  /** Where the stage only observes, what it began for real before: those runs go on. @default what is real is the ledger */
  readonly acting?: Pick<Ledger, 'listOpen'>;
  readonly commands: Pick<Queue, 'send'>;
  readonly reports: Pick<Tick['reports'], 'log' | 'count'>;
}

/** What one tick works with. */
export interface WatchDeps extends SendDeps, Pick<Tick, 'remainingMs'> {
  readonly bus: OutcomeBus;
  readonly gateway: Pick<GatewayClient, 'getCampaign'>;
  readonly gate: Gate;
  readonly rateLimiter: RateLimiter<'reads'>;
  /** The longest that one read and the writes after it take: none is begun with less time left. */
  readonly callBudgetMs: number;
  readonly config: Pick<ConfigPart<'watch-campaigns'>, 'mode' | 'campaigns'>;
}
