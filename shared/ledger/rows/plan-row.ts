import type { LedgerRowBase, RecordedOutcome } from './ledger-row.ts';
import type { ParkedWork, Resolution } from './message-row.ts';

/** A run plan, one object version. */
export interface PlanRow extends LedgerRowBase {
  readonly kind: 'plan';
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
  readonly commandIds?: readonly string[];
  readonly attempt?: AttemptMark;
  readonly outcome?: RecordedOutcome;
  readonly parked?: ParkedWork;
  readonly resolutions?: readonly Resolution[];
}

/** An attempt under way at a plan, whose row is else written at its end only; `attempt-mark.ts` says when it is written. */
export interface AttemptMark {
  readonly owner: string;
  /** When the platform cuts it. */
  readonly until: string;
  /** Attempts in a row before it that started and never ended. */
  readonly crashes: number;
}
