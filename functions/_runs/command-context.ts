import type { OutcomeBus } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { UpdateCampaignRunInput } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { RateLimiter } from '../_gateway/rate-limiter.ts';
import type { SlotQueue } from '../_gateway/slot-queue.ts';
import type { QueueRecord, RecordContext } from '../_handler/queue-worker.ts';
import type { CampaignRead, PatchAnswer, RunsConfig } from './decide/state.ts';

/** What commands need of the world, whether they are carried out or planned. */
export interface CommandDeps {
  readonly ledger: Ledger;
  /** What was done for real, whatever the mode is now. */
  readonly acting: Pick<Ledger, 'read'>;
  readonly bus: OutcomeBus;
  /** The worker's own queue: a start may have to have a run stopped first. */
  readonly commands: Pick<Queue, 'send'>;
  readonly calls: GatewayCalls;
  readonly gate: Pick<Gate, 'waitMs'>;
  /** This environment's share of the gateway's rates: PATCH has `runs`, GET has `reads`. */
  readonly rateLimiter: RateLimiter;
  /** The starts that this environment sent back for their slots. */
  readonly slotQueue: SlotQueue;
  /** The longest that one call and the writes after it take: none begins with less time left. */
  readonly callBudgetMs: number;
  readonly config: RunsConfig;
  readonly random: () => number;
  /** A configured run has few unused ids left. */
  readonly onRunningLow: (run: string, left: number) => void;
}

/** The two calls of the gateway. Each answers what became of it, and never throws what the gateway says. */
export interface GatewayCalls {
  readonly patch: (input: UpdateCampaignRunInput, context: RecordContext) => Promise<Called<PatchAnswer>>;
  readonly readCampaign: (campaignId: string, context: RecordContext) => Promise<Called<CampaignRead>>;
}

/** What became of a call, and what to tell the gate once the rows are written. */
export interface Called<Answer> {
  readonly answer: Answer;
  readonly report?: () => Promise<unknown> | undefined;
}

/** One command at work. */
export interface CommandWork {
  readonly record: QueueRecord;
  readonly context: RecordContext;
}
