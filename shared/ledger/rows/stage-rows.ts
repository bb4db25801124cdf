/** Rows about the stage, and not about work: switches, the last outcomes, marks of `autopilot doctor`. */
import type { LinkTest } from '../../messages/link-test.ts';
import type { CalendarReadings } from '../../schedule/calendars.ts';
import type { OutcomeKind, ReasonCode } from '../../vocabulary/reason-codes.ts';
import type { FunctionName } from '../../vocabulary/resource-names.ts';
import type { LedgerRowBase, RecordedOutcome } from './row-base.ts';

/** What a switch holds back: every start of the stage, those of one campaign, or those that one schedule asks for. `alarm`: those of a campaign while an alarm rings. */
export type SwitchScope = 'stage' | 'campaign' | 'schedule' | 'alarm';

/** A freeze or a pause, said by a person; of the scope `alarm` by `watch-campaigns` alone. Off, the row stays as the record of who lifted it. */
export interface SwitchRow extends LedgerRowBase {
  readonly kind: 'switch';
  readonly scope: SwitchScope;
  /** The campaign or the schedule; of the stage `stage`, of an alarm `CAMPAIGN/ALARM`. */
  readonly name: string;
  readonly isOn: boolean;
  /** Who switched it last. */
  readonly by: string;
  readonly reason: string;
  readonly at: string;
  /** It ends by itself at this instant. @default a person lifts it */
  readonly until?: string;
  /** Of an alarm that rings: since when. Its hold may be lifted all the same. */
  readonly ringsSince?: string;
}

/** A freeze or a pause that is over: written with the change of its switch that follows it. */
export interface PastSwitchRow extends LedgerRowBase {
  readonly kind: 'past-switch';
  readonly scope: SwitchScope;
  readonly name: string;
  /** Who switched it on. */
  readonly by: string;
  readonly reason: string;
  readonly from: string;
  readonly to: string;
  /** When it was to end by itself, if it was. */
  readonly until?: string;
  /** Who lifted it, and why. Absent: it ended by itself. */
  readonly lifted?: { readonly by: string; readonly reason: string };
}

/** The last outcomes, newest first: written once a batch, best effort, for `autopilot status` alone. The rows themselves are the record. */
export interface RecentRow extends LedgerRowBase {
  readonly kind: 'recent';
  readonly lines: readonly RecentLine[];
}

/** One outcome without the names of its fields, which would fill half of the row. */
export type RecentLine = readonly [
  seconds: number,
  worker: string,
  kind: OutcomeKind,
  subject: string,
  reason: ReasonCode | '',
  detail: string,
];

/** A mark of `autopilot doctor` that arrived; its event is on the bus. */
export interface LinkTestRow extends LedgerRowBase {
  readonly kind: 'link-test';
  readonly link: LinkTest['link'];
  /** The function that took it. */
  readonly worker: FunctionName;
  readonly outcome: RecordedOutcome;
}

/** The calendars that blackouts follow, as `watch-campaigns` read them in its last tick. Every start reads it with its other rows. */
export interface CalendarsRow extends LedgerRowBase {
  readonly kind: 'calendars';
  readonly readings: CalendarReadings;
}
