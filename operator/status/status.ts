/** What is known of a stage at one glance: what `status --json` prints, and the screen Now reads. */
import type { QueueDepth } from '#shared/aws/queue.ts';
import type { RecentOutcome } from '#shared/ledger/recent-outcomes.ts';
import type { Finding } from '../finding.ts';
import type { PendingWork } from '../outcomes/pending-work.ts';
import type { FoundReport } from '../parked/findings.ts';
import type { ParkedEntry } from '../parked/parked-rows.ts';
import type { IdsLeft, Supplies } from '../plan/ids-left.ts';
import type { RunReport } from '../run-state/run-report.ts';
import type { GateStatus } from '../stage/gate-status.ts';
import type { AlarmReport } from '../switches/alarm-holds.ts';
import type { SwitchReport } from '../switches/switches.ts';
import type { RunFacts, RunStop, SilentSchedule } from './run-facts.ts';
import type { ScheduleStatus } from './schedule-status.ts';

/** A stage at one glance. */
export interface StageStatus {
  readonly mode: 'act' | 'observe';
  readonly stage: string;
  readonly now: string;
  /** The version that deployed it; absent if the stage does not say it. */
  readonly version?: string | undefined;
  /** The clock of a local run that was moved ahead of the machine's. */
  readonly clock?: { readonly offsetMs: number };
  /** Freezes, pauses and holds by alarms that are on. */
  readonly switches: readonly SwitchReport[];
  /** Alarms that ring or hold a campaign. @default none */
  readonly alarms?: readonly AlarmReport[] | undefined;
  readonly gate: GateStatus;
  readonly queues: readonly (QueueDepth & { readonly name: string; readonly isDeadLetter: boolean })[];
  readonly schedules: readonly ScheduleStatus[];
  /** Schedules without a start for as many occurrences as the configuration allows. @default none */
  readonly silent?: readonly SilentSchedule[] | undefined;
  /** The unused ids of each run; absent if the stage does not say it. */
  readonly ids?: readonly IdsLeft[] | undefined;
  /** The starts of this month of each campaign that has a budget; absent if the stage does not say it. */
  readonly budgets?: Supplies['budgets'] | undefined;
  /** The calendar files of blackouts. */
  readonly calendars?: Supplies['calendars'] | undefined;
  /** Whether runs are read at the gateway, and what it answered if it has no such operation. */
  readonly runReadings?: Supplies['runReadings'] | undefined;
  /** Why ids and budgets could not be read. */
  readonly idsUnread?: string | undefined;
  readonly parked: readonly ParkedEntry[];
  /** What was found about runs, and was not decided about. */
  readonly findings: readonly FoundReport[];
  /** The runs that are in flight or to begin, and those that began or ended within a day; the latest first. */
  readonly runs: readonly RunReport[];
  readonly inFlight: readonly StatusInFlight[];
  /** Commands and uploads that were tried and have no outcome, and uploads that wait for the gate. */
  readonly pending: readonly PendingWork[];
  /** The last outcomes of what is no run: those are in `runs`. */
  readonly recent: readonly RecentReport[];
  /** What you must do or should know, the most pressing first. */
  readonly needs: readonly Finding[];
  /** How the stage stands, in one sentence. */
  readonly headline: Headline;
}

/** An outcome; of parked work, whether it was decided about. */
interface RecentReport extends RecentOutcome {
  readonly isDecided?: boolean;
}

/** Work that has begun and not ended. How a run stands is in `runs`, by its `startCommandId`. */
export interface StatusInFlight extends Partial<RunFacts>, Partial<RunStop> {
  readonly kind: string;
  readonly subject: string;
  /** Of a run. */
  readonly campaignRunId?: string;
  /** Of a command. */
  readonly commandId?: string;
  readonly since: string;
  /** The last run of its campaign as it was read last, if it was started elsewhere, and when it began. One of old is left out. */
  readonly lastRunElsewhere?: string | undefined;
  readonly lastRunElsewhereAt?: string | undefined;
  /** Of a run: when it ends if it takes as long as the last ones of its name. */
  readonly expectedEnd?: string | undefined;
  /** Nothing of it was sent: the stage only observed. */
  readonly isObserved?: true;
}

/** How a stage stands, in one sentence that may lead up to a time. */
export interface Headline {
  readonly says: string;
  /** The sentence ends with this time. */
  readonly until?: string;
  readonly tone: 'good' | 'warn' | 'bad';
}

/** A stage as it was read, before it is judged. */
export type ReadStatus = Omit<StageStatus, 'needs' | 'headline'>;
