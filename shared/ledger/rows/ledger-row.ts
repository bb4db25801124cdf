import type { LinkTest } from '../../messages/link-test.ts';
import type { FunctionName } from '../../vocabulary/resource-names.ts';
import type { OutcomeKind, ReasonCode } from '../../vocabulary/reason-codes.ts';
import type { Ledger } from '../ledger.ts';
import type { RecentRow } from '../recent-outcomes.ts';
import type { PastSwitchRow, SwitchRow } from '../switches.ts';
import type { ConfirmationRow, SentCommandsRow } from './campaign-row.ts';
import type { CommandRow } from './command-row.ts';
import type { GateRow } from './gate-row.ts';
import type { HandleRow, MessageRow } from './message-row.ts';
import type { ReconcileRow } from './reconcile-row.ts';
import { expiryOf, ledgerKeys } from './row-keys.ts';
import type { RunReadingsRow } from './run-reading.ts';
import type { IdRow, RunRow } from './run-row.ts';
import type { TargetRow } from './target-row.ts';
import type { DatasetRow, ReceiptRow, UploadRow } from './upload-row.ts';
import type { ProjectWatchRow, WatchPackagesRow, WatchRow } from './watch-row.ts';

/**
 * What every row of the ledger has (docs/reference/ledger.md has the table of rows). One table, one
 * string key `pk`, whole-row writes conditioned on the version that was read. Instants are RFC 3339
 * in UTC; epochs are milliseconds unless the name says otherwise. The store owns `version` and
 * `writer` (`ledger.ts`).
 */
export interface LedgerRowBase {
  readonly pk: string;
  /**
   * Set while a person is needed or something is under way: the sparse index `open` holds just
   * these rows.
   */
  readonly openState?: OpenState;
  /** Since when, RFC 3339; the order of the index. */
  readonly openSince?: string;
  /** Epoch SECONDS after which DynamoDB may delete the row. @default never */
  readonly expiresAt?: number;
  /** It tells what would have been, and nothing was sent: the stage only observes. */
  readonly isObserved?: true;
}

/**
 * States that need a person, or are under way: what `status`, `parked list`, the watchers and the
 * alarms read.
 */
export type OpenState =
  | 'PARKED'
  /** Messages being worked on, or waiting to be. */
  | 'IN_FLIGHT'
  /**
   * Targets with a run in flight: on their own, so that a backlog of uploads never hides a stop
   * that is due.
   */
  | 'RUN_IN_FLIGHT'
  /** Commands that were tried and have no outcome yet, by their first try. */
  | 'PENDING'
  /** Starts that a blackout defers, by the instant at which it is over. */
  | 'DEFERRED'
  /** Freezes and pauses that are on. */
  | 'SWITCHED'
  /** Freezes and pauses that are over, by their end. */
  | 'SWITCHED_BEFORE'
  /** Watches whose changes wait until nothing more changes. */
  | 'SETTLING'
  /**
   * Commands that have their outcome and need no person: their history, by the instant of the
   * outcome.
   */
  | 'ENDED';

/** How one accepted message ended. */
export interface RecordedOutcome {
  readonly kind: OutcomeKind;
  readonly reason?: ReasonCode;
  /** One or two sentences: what was found, what came back. */
  readonly detail?: string;
  readonly at: string;
}

/** Any row of the ledger. */
export type LedgerRow =
  | CommandRow
  | RunRow
  | IdRow
  | TargetRow
  | UploadRow
  | DatasetRow
  | ReceiptRow
  | MessageRow
  | WatchRow
  | WatchPackagesRow
  | ProjectWatchRow
  | GateRow
  | SentCommandsRow
  | ConfirmationRow
  | RunReadingsRow
  | SwitchRow
  | PastSwitchRow
  | HandleRow
  | ReconcileRow
  | LinkTestRow
  | RecentRow;

/** The row of a kind. */
export type RowOfKind<Kind extends LedgerRow['kind']> = Extract<LedgerRow, { kind: Kind }>;

/**
 * A mark of `autopilot doctor --deep` that arrived. It is about the stage and not about work, and
 * gone after two days.
 */
export interface LinkTestRow extends LedgerRowBase {
  readonly kind: 'link-test';
  readonly link: LinkTest['link'];
  /** The function that took it. */
  readonly worker: FunctionName;
  readonly outcome: RecordedOutcome;
}

/** Records that a mark arrived; answers whether an earlier delivery had recorded it. */
export async function recordLinkTest(
  ledger: Ledger,
  { id, link }: LinkTest,
  { worker, detail, now }: { readonly worker: FunctionName; readonly detail: string; readonly now: Date },
): Promise<{ readonly isRepeat: boolean }> {
  const pk = ledgerKeys.linkTest(id);
  if ((await ledger.read<LinkTestRow>(pk)) !== undefined) return { isRepeat: true };
  const outcome = { kind: 'ignored', detail, at: now.toISOString() } as const;
  const row: LinkTestRow = { pk, kind: 'link-test', link, worker, outcome, expiresAt: expiryOf('link-test', now) };
  return { isRepeat: (await ledger.write<LinkTestRow>(undefined, row)) === undefined };
}
