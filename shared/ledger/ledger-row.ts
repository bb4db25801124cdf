import type { ConfirmationRow, SentCommandsRow } from './rows/campaign-row.ts';
import type { ChangesRow } from './results/changes-row.ts';
import type { CommandRow } from './rows/command-row.ts';
import type { FindingRow } from './results/finding-row.ts';
import type { GateRow } from './rows/gate-row.ts';
import type { HandleRow, MessageRow } from './rows/message-row.ts';
import type { ObservedUntilRow, ReconcileRow } from './rows/reconcile-row.ts';
import type { RunEndsRow } from './results/run-ends-row.ts';
import type { RunReadingsRow } from './rows/run-reading.ts';
import type { IdRow, PoolRow, RunRow } from './rows/run-row.ts';
import type { CalendarsRow, LinkTestRow, PastSwitchRow, RecentRow, SwitchRow } from './rows/stage-rows.ts';
import type { TargetRow } from './rows/target-row.ts';
import type { DatasetRow, UploadRow } from './rows/upload-row.ts';
import type { ProjectWatchRow, WatchPackagesRow, WatchRow } from './rows/watch-row.ts';

export type LedgerRow =
  | CommandRow
  | RunRow
  | IdRow
  | PoolRow
  | TargetRow
  | UploadRow
  | DatasetRow
  | MessageRow
  | WatchRow
  | WatchPackagesRow
  | ProjectWatchRow
  | GateRow
  | SentCommandsRow
  | ConfirmationRow
  | FindingRow
  | RunEndsRow
  | ChangesRow
  | RunReadingsRow
  | CalendarsRow
  | SwitchRow
  | PastSwitchRow
  | HandleRow
  | ReconcileRow
  | ObservedUntilRow
  | LinkTestRow
  | RecentRow;

export type RowOfKind<Kind extends LedgerRow['kind']> = Extract<LedgerRow, { kind: Kind }>;

/** Rows that can be parked and resolved. */
export type ParkableRow = CommandRow | UploadRow | MessageRow;
