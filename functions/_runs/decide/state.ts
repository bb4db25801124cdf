import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { ConfigPart, ResolvedRun, ResolvedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import type { UpdateCampaignRunInput, Verdict } from '#shared/gateway-client/index.ts';
import type { RunReading } from '#shared/ledger/rows/run-reading.ts';
import type { CampaignReading } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRecord, CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RequestEvidence } from '#shared/ledger/rows/message-row.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { CommandSender, SentBy } from '#shared/messages/command-senders.ts';
import type { Gate } from '../../_gateway/gate.ts';
import type { RateLimiter } from '../../_gateway/rate-limiter.ts';
import type { Metrics } from '../../_handler/function-log.ts';
import type { RecordContext } from '../../_handler/queue-record.ts';

/** The configuration of the functions that act on runs, or say how they would. */
export type RunsConfig = ConfigPart<'update-campaign-runs'>;

/** A schedule whose missed starts are made up for once. */
export type MissedSchedule = ResolvedSchedule & { readonly missedWithin: string };

/** Rows by key, each read once; `undefined` if there is none. A key that is not in it was not read. */
export type Rows = ReadonlyMap<string, Stored | undefined>;

/** The rows of a command, and what the configuration says about it. */
export interface CommandState {
  /** As it was sent. */
  readonly sent: CampaignRunCommand;
  /** Who sent it, if that is known. */
  readonly sender?: CommandSender | undefined;
  /** As it counts: a stop whose instant is ahead counts as issued when its message was sent. */
  readonly command: CampaignRunCommand;
  readonly rows: Rows;
  /** Names of the target rows that were read; the configured one of its run first. */
  readonly targets: readonly string[];
  /** The configured run that it names. */
  readonly run?: ResolvedRun;
  /** Its schedule, if that makes up for a start that came too late. */
  readonly madeUpBy?: MissedSchedule;
  /** Those that concern a start. */
  readonly switches: readonly SwitchRow[];
  /** Runs that this attempt has asked for, by id; `undefined`: it could not be read, and counts as without a reading. */
  readonly shown?: ReadonlyMap<string, RunReading | undefined>;
}

export interface Delivery extends CommandRecord {
  /** Also the `x-request-id` of its requests. */
  readonly owner: string;
  readonly remainingMs: number;
  readonly random: () => number;
}

/** Everything that a decision looks at. */
export interface Moment extends CommandState {
  readonly now: Date;
  readonly config: RunsConfig;
  readonly delivery: Delivery;
  /** How long the gate has every caller wait. */
  readonly gateWaitMs: number;
  /**
   * Milliseconds until a PATCH may leave (0 right after this command's own read), and a GET that a
   * PATCH is to follow.
   */
  readonly slots: { readonly runsMs: number; readonly readsMs: number };
  /** The longest that one call and the writes after it take, in milliseconds: none begins with less time left. */
  readonly callBudgetMs: number;
}

/** What is enough to end a command: no configuration, no gateway. */
export type Settling = Omit<CommandState, 'run' | 'switches'> & Pick<Moment, 'now' | 'delivery'>;

/** A call that failed: the verdict of the retry table, and what a run makes of it. */
export interface CallFailure extends Verdict {
  readonly next: 'later' | 'park';
  readonly evidence: RequestEvidence;
  /** The refusal says that the run is not going. */
  readonly isNotGoing?: true;
  /** A `startAt` was refused as past: by so much the gateway's clock is ahead of ours. */
  readonly aheadMs?: number;
}

/** What became of one PATCH. */
export type PatchAnswer = { readonly next: 'applied'; readonly why?: string } | CallFailure;

/** What became of one `GET campaign`. */
export type CampaignRead = { readonly next: 'read'; readonly reading: CampaignReading } | CallFailure;

/** What a decision is about. */
export type CommandEvent =
  | { readonly type: 'command' }
  | { readonly type: 'campaign-read'; readonly result: CampaignRead }
  | { readonly type: 'answered'; readonly campaignRunId: string; readonly answer: PatchAnswer }
  | {
      readonly type: 'last-chance';
      readonly reason: 'HORIZON_EXCEEDED' | 'CRASH_LOOP' | 'WORKER_DIED';
      readonly detail: string;
    };

/** An answer, or its absence. */
export type Answered = Extract<CommandEvent, { type: 'answered' }>;

/** The command gets its outcome now. */
export type LastChance = Extract<CommandEvent, { type: 'last-chance' }>;

/** At most one of these follows a write. */
export type Effect =
  | { readonly do: 'read-campaign'; readonly campaignId: string }
  | { readonly do: 'read-run'; readonly campaignRunId: string }
  | { readonly do: 'patch'; readonly to: 'start' | 'stop'; readonly input: UpdateCampaignRunInput }
  | { readonly do: 'send-ends'; readonly ends: readonly CampaignRunCommand[] };

/** What comes after the rows are written and the effect is made. */
type Then =
  /** Decide again, with the answer of the effect if there was one. */
  | { readonly kind: 'next' }
  /** The command's row holds its outcome. */
  | { readonly kind: 'outcome' }
  /** A blackout defers the start: the message ends, and the watcher sends the command again. */
  | { readonly kind: 'deferred'; readonly detail: string }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly why: string };

/** What to write, what to do, and what comes then. */
export interface Decision {
  /** Rows as they are to be: one transaction, each on the condition that it is as it was read. */
  readonly writes: readonly LedgerRow[];
  readonly effect?: Effect;
  readonly then: Then;
}

/** What commands need of the world, whether they are carried out or planned. */
export interface RunCommandDeps {
  readonly ledger: Ledger;
  /** What was done for real, in either mode. */
  readonly acting: Pick<Ledger, 'read'>;
  readonly bus: OutcomePublisher;
  readonly senders: SentBy['senders'];
  /** The worker's own queue: a start may need a run ended first. */
  readonly commands: Pick<Queue, 'send'>;
  readonly calls: GatewayCalls;
  readonly gate: Pick<Gate, 'waitMs'>;
  /** This environment's share of the gateway's rates: PATCH has `runs`, GET has `reads`. */
  readonly rateLimiter: RateLimiter;
  /** The longest that one call and the writes after it take: none begins with less time left. */
  readonly callBudgetMs: number;
  readonly config: RunsConfig;
  readonly random: () => number;
  readonly count: Metrics['count'];
}

/** The calls of the gateway. Each answers what became of it, and never throws what the gateway says. */
export interface GatewayCalls {
  readonly patch: (effect: PatchEffect, context: RecordContext) => Promise<Called<PatchAnswer>>;
  readonly readCampaign: (campaignId: string, context: RecordContext) => Promise<Called<CampaignRead>>;
  readonly readRun: (campaignRunId: string, context: RecordContext) => Promise<Called<RunReading | undefined>>;
}

/** A PATCH, and what it is to do. */
export type PatchEffect = Extract<Effect, { do: 'patch' }>;

/** What became of a call, and what to tell the gate once the rows are written. */
export interface Called<Answer> {
  readonly answer: Answer;
  readonly report?: () => Promise<unknown>;
}

/** The stored row of a command. */
export type OwnRow = Stored<CommandRow>;
