import type { PlanRow, Resolution } from '#shared/ledger/rows/message-row.ts';
import { isObserved } from '#shared/ledger/rows/row-keys.ts';
import type { CheckedFile, FileProblem, UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { OutcomeKind, ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import { isPendingUpload, pendingUpload, type PendingWork } from '../outcomes/pending-work.ts';
import { handleOf } from '#shared/ledger/open-rows.ts';

/** Rows of objects: uploads and run plans. */
export type ObjectRow = Stored<UploadRow | PlanRow>;

/** A version of an object, and its row if a worker has seen it yet. */
export interface SeenVersion {
  readonly version: Pick<ListedVersion, 'versionId'> & Partial<Pick<ListedVersion, 'lastModified' | 'sizeBytes'>>;
  readonly row?: ObjectRow;
}

/** What became of one version, as `show` tells it. */
export interface ShownVersion {
  readonly versionId: string;
  /** Absent if the version is gone from the bucket. */
  readonly uploadedAt?: string;
  /** Bytes; absent if the version is gone from the bucket. */
  readonly size?: number;
  /** When its event says that it was put. */
  readonly eventTime?: string;
  readonly state: OutcomeKind | 'under way' | 'not seen yet';
  readonly reason?: ReasonCode;
  readonly detail?: string;
  /** It was tried and has no outcome: since when, how often, why, and when it is tried again. */
  readonly pending?: PendingWork;
  /** When it ended. */
  readonly at?: string;
  readonly datasetId?: string;
  readonly datasetName?: string;
  /** The prefix of the rule that decided. */
  readonly rule?: string;
  readonly checked?: CheckedFile;
  /** Why the check refused it, row by row: the first problems. */
  readonly problemsByRow?: readonly FileProblem[];
  /** Attempts at an upload so far. */
  readonly attempts?: number;
  /** An upload that waits for its next try: not before this. */
  readonly notBefore?: string;
  /** Of a run plan: the commands that it sent. */
  readonly commandIds?: readonly string[];
  readonly resolutions?: readonly Resolution[];
  /** Nothing was sent: the stage only observes. */
  readonly isObserved: boolean;
  /** It waits for a person, under this handle. */
  readonly parkedId?: string;
  readonly ledgerKey?: string;
}

/** Tells one version. */
export function shownVersion({ version, row }: SeenVersion): ShownVersion {
  const { versionId, lastModified, sizeBytes } = version;
  const uploaded = { uploadedAt: lastModified?.toISOString(), size: sizeBytes };
  if (row === undefined)
    return definedOf({ versionId, ...uploaded, state: 'not seen yet' as const, isObserved: false });
  const { outcome, resolutions } = row;
  return definedOf({
    versionId,
    ...uploaded,
    state: outcome?.kind ?? ('under way' as const),
    reason: outcome?.reason,
    detail: outcome?.detail,
    pending: row.kind === 'upload' && isPendingUpload(row) ? pendingUpload(row) : undefined,
    at: outcome?.at,
    ...(row.kind === 'upload' ? datasetOf(row) : { commandIds: row.commandIds }),
    resolutions,
    isObserved: isObserved(row),
    parkedId: row.openState === 'PARKED' ? handleOf(row.pk) : undefined,
    ledgerKey: row.pk,
  });
}

function datasetOf(row: UploadRow) {
  const { eventTime, attempts, outcome, notBefore, datasetId, datasetName, ruleName, checked, problemsByRow } = row;
  const waiting = outcome === undefined ? notBefore : undefined;
  return { eventTime, attempts, notBefore: waiting, datasetId, datasetName, rule: ruleName, checked, problemsByRow };
}

type Defined<Item> = { [Key in keyof Item]: Exclude<Item[Key], undefined> };

/** JSON has no `undefined`. */
function definedOf<Item extends object>(item: Item): Defined<Item> {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as Defined<Item>;
}
