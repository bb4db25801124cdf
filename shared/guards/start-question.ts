import type { ResolvedBlackout, ResolvedGuards } from '../config/resolved-automation.ts';
import type { GuardItem, RecordedVerdict, Reservation, SwitchItem } from '../ledger/items.ts';
import type { CampaignRunCommand } from '../messages/campaign-run-command.ts';
import type { SkipReason } from '../vocabulary/reason-codes.ts';
import type { ValidityQuestion } from './validity.ts';

/** What the configuration says about the starts of a run. A run that nobody configured has neither campaign nor gap nor budget. */
export interface GuardPolicy {
  readonly guards: ResolvedGuards;
  readonly campaign?: string;
}

/** Everything that the guards look at. */
export interface StartQuestion extends ValidityQuestion {
  readonly command: Pick<CampaignRunCommand, 'id' | 'issuedAt' | 'validFor' | 'override'>;
  readonly policy: GuardPolicy;
  /** The run that it would start: that one must not be in flight any more when the request is sent. */
  readonly campaignRunId?: string;
  readonly guard: GuardItem | undefined;
  /** Those that are on and concern this start. */
  readonly switches: readonly SwitchItem[];
  readonly blackouts: readonly ResolvedBlackout[];
  /** Where calendar months begin. */
  readonly timezone: string;
  /** As `GET campaign` reads now. Absent: it was not read, and the minimum gap is not judged. */
  readonly campaign?: { readonly lastRunAt?: string };
  readonly now: Date;
  /** When the run is to start: now, or when its `startDelay` is over. */
  readonly effectAt: Date;
}

/** What the guards say about a start, with the verdict of each that was asked. */
export type Judgement = { readonly verdicts: readonly RecordedVerdict[] } & (
  | {
      readonly kind: 'apply';
      /** `stop-previous`: these have to be stopped first. */
      readonly stopFirst: readonly Reservation[];
    }
  | Skip
  | Defer
);

/** A guard that says no. */
export interface Skip {
  readonly kind: 'skip';
  readonly reason: SkipReason;
  readonly detail: string;
}

/** A blackout that puts it off. */
export interface Defer {
  readonly kind: 'defer';
  readonly until: string;
  readonly blackout: string;
  readonly detail: string;
}

/** What one guard says; `undefined`: nothing against it. */
export type GuardAnswer = Skip | Defer | StopFirst | undefined;

/** Nothing against it, once these runs are stopped. */
export interface StopFirst {
  readonly kind: 'stop-first';
  readonly runs: readonly Reservation[];
  readonly detail: string;
}
