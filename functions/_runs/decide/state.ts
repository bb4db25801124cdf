import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { ConfigPart, ResolvedGuards, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { UpdateCampaignRunInput } from '#shared/gateway-client/index.ts';
import type { Ledger, RowChange, Stored } from '#shared/ledger/ledger.ts';
import type { CommandRecord, CommandRow, RequestEvidence, Patience } from '#shared/ledger/rows/command-row.ts';
import type { GuardRow } from '#shared/ledger/rows/guard-row.ts';
import type { RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import type { ReadingAt, RunRow } from '#shared/ledger/rows/run-row.ts';
import type { SwitchRow } from '#shared/ledger/switches.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { ParkReason } from '#shared/vocabulary/reason-codes.ts';
import type { Gate } from '../../_gateway/gate.ts';
import type { RateLimiter, SlotQueue } from '../../_gateway/rate-limiter.ts';
import type { Outcome } from '../../_handler/observe.ts';
import type { Metrics } from '../../_handler/output.ts';
import type { QueueRecord, RecordContext } from '../../_handler/queue-worker.ts';

/** The configuration of the functions that act on runs, or say how they would. */
export type RunsConfig = ConfigPart<'update-campaign-runs'>;

/** What the configuration says about a start. */
export interface RunPolicy {
  /** Absent: the run is unconfigured. */
  readonly run?: ResolvedRun;
  readonly campaign?: string;
  readonly campaignId?: string;
  readonly guards: ResolvedGuards;
  readonly stopAfter?: string;
  /** How long the start counts as in flight if nothing stops it. */
  readonly inFlightFor: string;
}

/** What stays the same for the whole command. */
export interface Policy {
  readonly config: RunsConfig;
  /** The longest that one call and the writes after it take, in milliseconds: none begins with less time left. */
  readonly callBudgetMs: number;
  /** Of a start; one sentence if the configuration does not know its run. */
  readonly start?: RunPolicy | string;
}

/** One delivery of the command. */
export interface Delivery extends CommandRecord {
  /** Owner of leases; also the `x-request-id` of its requests. */
  readonly owner: string;
  readonly remainingMs: number;
  readonly random: () => number;
}

/** All that a decision needs, read once per round. */
export interface CommandState {
  /** As it was sent. */
  readonly sent: CampaignRunCommand;
  /** As it counts now: a repeat that a person ordered counts as issued at that instant. */
  readonly command: CampaignRunCommand;
  readonly delivery: Delivery;
  readonly row?: Stored<CommandRow>;
  /** The run that this round is about; absent if a start has no id left, or a stop by name no live run. */
  readonly campaignRunId?: string;
  readonly run?: Stored<RunRow>;
  readonly pool?: Stored<RunIdPoolRow>;
  readonly guard?: Stored<GuardRow>;
  /** Other commands that these rows name, by id. */
  readonly others: ReadonlyMap<string, Stored<CommandRow>>;
  /** A stop by name: the other live runs that have no verdict yet. */
  readonly otherRuns: readonly string[];
  readonly switches: readonly SwitchRow[];
  /** The campaign as it was read in this round. */
  readonly reading?: ReadingAt;
  /** The campaign could not be read, and too little validity is left to wait for it. */
  readonly goesUnread?: true;
  /** How long the gate has every caller wait. */
  readonly gateWaitMs: number;
  readonly slots: SlotsNow;
}

/** The slots of the rate limiter at this moment; durations in milliseconds. */
export interface SlotsNow {
  /** Until a PATCH may leave; 0 right after this command's own read. */
  readonly runsMs: number;
  /** Until a GET may leave, if a PATCH is to follow it. */
  readonly readsMs: number;
  /** Starts that wait for a slot before one that is sent back now. */
  readonly waiting: number;
  readonly spacingMs: number;
}

/** Everything a decision looks at. */
export interface Moment extends CommandState, Policy {
  readonly now: Date;
  /** The row of the run as it is decided on: a lease that ended without an answer counts as an unknown outcome. */
  readonly runNow?: RunRow;
}

/** The same of a start whose run the configuration knows. */
export interface StartMoment extends Moment {
  readonly start: RunPolicy;
}

/** What a failed call means for a command. */
export interface CallFailure {
  /** `not-applied`: proven, worth another try. `refused`: proven, for good. `no-answer`: it may have been applied. */
  readonly kind: 'not-applied' | 'refused' | 'no-answer';
  readonly why: string;
  readonly evidence: RequestEvidence;
  /** To park with: at once if refused, or once `patience` is used up. */
  readonly reason?: ParkReason;
  /** A refusal that may heal. */
  readonly patience?: Patience;
  /** The gateway has every caller wait for so long. */
  readonly pauseMs?: number;
}

/** What became of one PATCH. */
export type PatchAnswer = { readonly kind: 'applied'; readonly detail?: string } | CallFailure;

/** What became of one `GET campaign`. */
export type CampaignRead = { readonly kind: 'read'; readonly reading: ReadingAt } | CallFailure;

/** What a decision is about. A planned stop is a stop with `plannedBy`. */
export type CommandEvent =
  | { readonly type: 'command' }
  | { readonly type: 'campaign-read'; readonly result: CampaignRead }
  | { readonly type: 'answered'; readonly owner: string; readonly sentAt: Date; readonly answer: PatchAnswer }
  | { readonly type: 'last-chance'; readonly reason: 'HORIZON_EXCEEDED' | 'CRASH_LOOP'; readonly detail: string };

/** An answer, or its absence. */
export type Answered = Extract<CommandEvent, { type: 'answered' }>;

/** At most one of these follows a write. */
export type Effect =
  | { readonly do: 'read-campaign'; readonly campaignId: string }
  | { readonly do: 'patch'; readonly input: UpdateCampaignRunInput }
  | { readonly do: 'send-stops'; readonly stops: readonly CampaignRunCommand[] };

/** What comes after the rows are written and the effect is made. */
export type Then =
  /** Decide again, with the answer of the effect if there was one. */
  | { readonly kind: 'next' }
  /** A stop by name goes on with its next run. */
  | { readonly kind: 'next-run' }
  /** The last change is the command row with its outcome. */
  | { readonly kind: 'outcome' }
  /** A blackout defers the start: the message ends, and the watcher sends the command again. */
  | { readonly kind: 'deferred'; readonly detail: string }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly why: string; readonly forSlot?: true };

/** What to write, what to do, and what comes then. */
export interface Decision {
  readonly changes: readonly RowChange[];
  readonly effect?: Effect;
  readonly then: Then;
  /** One sentence about an answer that came too late to count. */
  readonly note?: string;
}

/** What commands need of the world, whether they are carried out or planned. */
export interface RunCommandDeps {
  readonly ledger: Ledger;
  /** What was done for real, in either mode. */
  readonly acting: Pick<Ledger, 'read'>;
  readonly bus: OutcomePublisher;
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
  readonly count: Metrics['count'];
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
  /** Outcomes of other commands that it settled on its way. */
  readonly settled: Outcome[];
}
