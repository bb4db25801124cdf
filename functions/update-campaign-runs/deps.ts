import type { OutcomeBus } from '../../shared/aws/outcome-bus.ts';
import type { Queue } from '../../shared/aws/queue.ts';
import type { ConfigPart } from '../../shared/config/resolved-automation.ts';
import type { GatewayClient } from '../../shared/gateway-client/index.ts';
import type { CommandItem, ParkedWork } from '../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../shared/ledger/ledger.ts';
import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import type { Gate } from '../_runtime/gate.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import type { QueueRecord, RecordContext } from '../_runtime/queue-worker.ts';
import type { RateLimiter } from '../_runtime/rate-limiter.ts';
import type { SlotQueue } from '../_runtime/slot-queue.ts';

/** What the worker needs of the world. */
export interface UpdateDeps {
  readonly ledger: Ledger;
  /** What was done for real, whatever the mode is now. */
  readonly acting: Pick<Ledger, 'read'>;
  readonly bus: OutcomeBus;
  /** The worker's own queue: a start may have to have a run stopped first. */
  readonly commands: Pick<Queue, 'send'>;
  readonly gateway: Pick<GatewayClient, 'updateCampaignRun' | 'getCampaign'>;
  readonly gate: Gate;
  /** This environment's share of the gateway's rates: PATCH has `runs`, GET has `reads`. */
  readonly rateLimiter: RateLimiter;
  /** The starts that this environment sent back for their slots. */
  readonly slotQueue: SlotQueue;
  /** The longest that one call and the writes after it take: none is begun with less time left. */
  readonly callBudgetMs: number;
  readonly config: ConfigPart<'update-campaign-runs'>;
  readonly random: () => number;
  /** Told when a configured run has few unused ids left. */
  readonly onRunningLow: (run: string, left: number) => void;
}

/** One command at work: what it says, the message that it came in, and the row that will hold its outcome. */
export interface CommandWork {
  /** As it was sent: what the ledger keeps. */
  readonly asked: CampaignRunCommand;
  /** As it counts now: after a person's approval its instant is that of the approval. */
  readonly command: CampaignRunCommand;
  readonly record: QueueRecord;
  readonly context: RecordContext;
  /** The command's row where there is one without an outcome: an attempt before this one, or a repeat that a person approved. */
  readonly row: Stored<CommandItem> | undefined;
}

/** What is known about the last request, kept where it is parked. */
export type Evidence = Pick<ParkedWork, 'httpStatus' | 'errorCode' | 'requestSent' | 'requestId'>;

/** How one delivery of a command ended; one that goes back knows what its last request showed. */
export type CommandResult = RecordResult & { readonly evidence?: Evidence };

/** A command that goes back to its queue after a request. */
export function laterAfter(delayMs: number, why: string, evidence: Evidence | undefined): CommandResult {
  return { ...later(delayMs, why), ...(evidence === undefined ? {} : { evidence }) };
}
