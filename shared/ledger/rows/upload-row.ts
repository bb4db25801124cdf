import type { CheckedFile, FileProblem } from '../../datasets/file/checked-file.ts';
import type { LedgerRowBase, RecordedOutcome } from './row-base.ts';
import type { Refusals } from './command-row.ts';
import type { ParkedWork, RequestEvidence, Resolution } from './message-row.ts';

/** States of an upload; `SENDING` is written before the one request that cannot be repeated. */
export type UploadState = 'CLAIMED' | 'SENDING' | 'APPLIED' | 'READY' | 'UNKNOWN' | 'PARKED' | 'SKIPPED' | 'IGNORED';

/** One object version under `datasets/`. */
export interface UploadRow extends LedgerRowBase {
  readonly kind: 'upload';
  readonly state: UploadState;
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
  /** The event's own time. */
  readonly eventTime: string;
  /** Attempt that holds it; absent in states without a holder. */
  readonly owner?: string;
  readonly leaseUntil?: string;
  readonly attempts: number;
  /** Attempts that started and never said how they ended. */
  readonly crashes: number;
  readonly sentAt?: string;
  /** READY: not before this. */
  readonly notBefore?: string;
  readonly lastError?: string;
  /** What is known about the request that failed last, while it waits for its next try. */
  readonly evidence?: RequestEvidence;
  /** Answers in a row of the kind that is parked after some tries (403). */
  readonly refusals?: Refusals;
  readonly datasetKey?: string;
  readonly datasetId?: string;
  readonly datasetName?: string;
  readonly ruleName?: string;
  /** What the check of its rule found in the file. */
  readonly checked?: CheckedFile;
  /** Parked CHECK_FAILED because of its content: the first problems. */
  readonly problemsByRow?: readonly FileProblem[];
  readonly outcome?: RecordedOutcome;
  readonly parked?: ParkedWork;
  readonly resolutions?: readonly Resolution[];
}

/** The dataset that was made of an upload, if it is registered. */
export function madeDatasetOf({ state, datasetId }: UploadRow): string | undefined {
  return state === 'APPLIED' ? datasetId : undefined;
}

/** A request body with the bytes it is about, bound to the upload that made it. */
export interface DatasetRow extends LedgerRowBase {
  readonly kind: 'dataset';
  /** `pk` of the upload. It binds while that upload is under way, APPLIED or UNKNOWN. */
  readonly upload: string;
}
