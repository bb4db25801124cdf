import type { ResolvedGuards } from '../config/resolve/resolved-automation.ts';
import type { ResolvedBlackout } from '../schedule/blackouts.ts';
import type { CampaignReading } from '../ledger/rows/campaign-row.ts';
import type { SwitchRow } from '../ledger/switches.ts';
import type { RecordedVerdict } from '../ledger/rows/command-row.ts';
import type { GuardRow, Reservation } from '../ledger/rows/guard-row.ts';
import type { CampaignRunCommand } from '../messages/campaign-run-command.ts';
import type { SkipReason } from '../vocabulary/reason-codes.ts';

/** Everything that the guards look at. */
export interface StartQuestion {
  readonly command: Pick<CampaignRunCommand, 'id' | 'issuedAt' | 'validFor' | 'override'>;
  /** The end of the blackout that deferred it: its validity counts from there. */
  readonly deferredUntil?: string;
  /** The campaign, unless the run is unconfigured: then there is no budget. */
  readonly campaign?: string;
  /** Its id at the gateway, if the configuration names it. */
  readonly campaignId?: string;
  readonly guards: ResolvedGuards;
  /** The run that it would start. A run in flight is never started again. */
  readonly campaignRunId?: string;
  readonly guard: GuardRow | undefined;
  /** Runs whose planned stop is due or nearly due, and not parked: the start waits for them, so they refuse nothing. */
  readonly ending: readonly Reservation[];
  /** Runs whose start leaves no room for a stop between it and this one: they are not stopped for it. */
  readonly noRoom: readonly Reservation[];
  /** Those that are on and concern this start. */
  readonly switches: readonly SwitchRow[];
  readonly blackouts: readonly ResolvedBlackout[];
  /** Where calendar months begin. */
  readonly timezone: string;
  /** As `GET campaign` reads now. Absent: it was not read, and the minimum gap is not judged. */
  readonly reading?: CampaignReading;
  readonly now: Date;
  /** When the run is to start: now, or when its `startDelay` is over. */
  readonly effectAt: Date;
}

/** What the guards say about a start, with the verdict of each that was asked. */
export type Judgement = GuardAnswer & { readonly verdicts: readonly RecordedVerdict[] };

/** What one guard says. */
export type GuardAnswer = Pass | Skip | Defer | StopFirst | Unreadable;

/** Nothing is against the start. */
export interface Pass {
  readonly kind: 'pass';
}

/** The guard refuses. */
export interface Skip {
  readonly kind: 'skip';
  readonly reason: SkipReason;
  readonly detail: string;
}

/** A blackout defers it. */
export interface Defer {
  readonly kind: 'defer';
  readonly until: string;
  readonly blackout: string;
  readonly detail: string;
}

/** Nothing is against it once these runs are stopped. */
export interface StopFirst {
  readonly kind: 'stop-first';
  readonly runs: readonly Reservation[];
  readonly detail: string;
}

/** The fact that the guard needs was read and cannot be understood: a person is needed. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly detail: string;
}

/** What a guard must know beside the command: if it cannot be read, the start waits. */
export type GuardNeed = 'switches' | 'guard-row' | 'campaign';
