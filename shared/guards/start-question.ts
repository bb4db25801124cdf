import type { ResolvedGuards } from '../config/resolve/resolved-automation.ts';
import type { ResolvedBlackout } from '../schedule/blackouts.ts';
import type { UnreadCalendar } from '../schedule/calendars.ts';
import type { CampaignReading } from '../ledger/rows/campaign-row.ts';
import type { SwitchRow } from '../ledger/rows/stage-rows.ts';
import type { RecordedVerdict } from '../ledger/rows/command-row.ts';
import type { InFlight, TargetRow } from '../ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '../messages/campaign-run-command.ts';
import type { GuardName, SkipReason } from '../vocabulary/reason-codes.ts';

/** Everything that the guards look at. */
export interface StartQuestion {
  readonly command: Pick<CampaignRunCommand, 'id' | 'issuedAt' | 'validFor' | 'override'>;
  /** The end of the blackout that deferred it: its validity counts from there. */
  readonly deferredUntil?: string;
  readonly campaign: string;
  /** Its id at the gateway, if the configuration names it. */
  readonly campaignId?: string;
  readonly guards: Partial<ResolvedGuards>;
  /** The row of its target: what its campaigns have started. */
  readonly target: TargetRow | undefined;
  /** The other runs in flight against its target. */
  readonly inTheWay: readonly InTheWay[];
  /** Those that are on and concern this start. */
  readonly switches: readonly SwitchRow[];
  readonly blackouts: readonly ResolvedBlackout[];
  /** Blackouts whose calendars could not be read. @default none */
  readonly unreadCalendars?: readonly UnreadCalendar[];
  /** Where calendar months begin. */
  readonly timezone: string;
  /** As `GET campaign` reads now. Absent: it was not read, and the minimum gap is not judged. */
  readonly reading?: CampaignReading;
  readonly now: Date;
  readonly times: StartTimes;
}

/** When the run of a start is due, when the gateway is to begin it at the earliest, and when it is over. */
export interface StartTimes {
  readonly due: Date;
  readonly startAt: Date;
  readonly endsAt: Date;
  readonly plansStop: boolean;
}

/** A run in flight, and what became of the commands that end it. */
export interface InTheWay {
  readonly entry: InFlight;
  /** Its start is later than this one. */
  readonly isLater: boolean;
  /** Its planned stop has an outcome: it will not end the run any more. */
  readonly isPlannedStopOver: boolean;
  /** Its `end` has an outcome, and the run is in flight all the same. */
  readonly isEndRefused: boolean;
}

/** What the guards say about a start, with the verdict of each that was asked. */
export type Judgement = GuardAnswer & {
  /** The guard whose answer counts; absent if all pass. */
  readonly by?: GuardName;
  readonly verdicts: readonly RecordedVerdict[];
};

/**
 * What one guard says. `defer`: a blackout defers the start. `stop-first`: nothing is against it
 * once these runs are ended. `later`: the guard cannot judge it yet.
 */
export type GuardAnswer =
  | { readonly kind: 'pass' }
  | { readonly kind: 'skip'; readonly reason: SkipReason; readonly detail: string }
  | { readonly kind: 'defer'; readonly until: string; readonly blackout: string; readonly detail: string }
  | { readonly kind: 'stop-first'; readonly runs: readonly InFlight[]; readonly detail: string }
  | { readonly kind: 'later'; readonly detail: string };
