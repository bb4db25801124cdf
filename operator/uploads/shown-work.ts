import type { ListedVersion } from '#shared/aws/version-listing.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { handleOf } from '../handles.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { OutcomeKind, ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { UsageError } from '../errors.ts';
import { isConfiguredRun, isRecordedRun } from '../runs/run-ids.ts';
import { pendingUpload, type PendingWork } from '../outcomes/pending-work.ts';
import { findRow, refuseImpossible, withoutBucket } from '../parked/find-parked.ts';
import { listParked } from '../parked/parked-rows.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';

/** A version of an object, and its row if a worker has seen it yet. */
export interface SeenVersion {
  readonly version: Pick<ListedVersion, 'versionId'> & Partial<Pick<ListedVersion, 'lastModified' | 'sizeBytes'>>;
  readonly row?: Stored<UploadRow>;
}

/**
 * What became of one version, as `show` tells it; the attempts so far, and for one that waits its
 * next try.
 */
export interface ShownVersion extends Partial<
  Pick<
    UploadRow,
    'eventTime' | 'attempts' | 'notBefore' | 'datasetId' | 'datasetName' | 'checked' | 'problemsByRow' | 'resolutions'
  >
> {
  readonly versionId: string;
  /** Absent if the version is gone from the bucket. */
  readonly uploadedAt?: string;
  /** Bytes; absent if the version is gone from the bucket. */
  readonly size?: number;
  readonly state: OutcomeKind | 'under way' | 'not seen yet';
  readonly reason?: ReasonCode;
  readonly detail?: string;
  /** It has no outcome: since when, how often it was tried, what it waits for, and when it is tried again. */
  readonly pending?: PendingWork;
  /** When it ended. */
  readonly at?: string;
  /** The prefix of the rule that decided. */
  readonly rule?: string;
  /** Nothing was sent: the stage only observes. */
  readonly isObserved: boolean;
  /** It waits for a person, under this handle. */
  readonly parkedId?: string;
  readonly ledgerKey?: string;
}

/** Tells one version. */
export function toShownVersion({ version, row }: SeenVersion): ShownVersion {
  const { versionId, lastModified, sizeBytes } = version;
  const uploaded = { uploadedAt: lastModified?.toISOString(), size: sizeBytes };
  if (row === undefined) return { versionId, ...uploaded, state: 'not seen yet', isObserved: false };
  const { outcome, resolutions } = row;
  return {
    versionId,
    ...uploaded,
    state: outcome?.kind ?? 'under way',
    reason: outcome?.reason,
    detail: outcome?.detail,
    pending: outcome === undefined ? pendingUpload(row) : undefined,
    at: outcome?.at,
    ...datasetOf(row),
    resolutions,
    isObserved: row.isObserved === true,
    parkedId: row.openState === 'PARKED' ? handleOf(row.pk) : undefined,
    ledgerKey: row.pk,
  };
}

function datasetOf(row: UploadRow) {
  const { eventTime, attempts, outcome, notBefore, datasetId, datasetName, ruleName, checked, problemsByRow } = row;
  const waiting = outcome === undefined ? notBefore : undefined;
  return { eventTime, attempts, notBefore: waiting, datasetId, datasetName, rule: ruleName, checked, problemsByRow };
}

/** What a word names: an object with its versions, the newest first; or a command. */
export type FoundWork =
  | { readonly kind: 'object'; readonly key: string; readonly versions: readonly SeenVersion[] }
  | { readonly kind: 'command'; readonly row: Stored<CommandRow> };

/**
 * Finds work by an object's key or its s3:// address, a dataset's id, a command's id, or the handle
 * of a parked row.
 */
export async function findWork(word: string, deps: OperatorDeps): Promise<FoundWork> {
  refuseImpossible(word);
  const key = await withoutBucket(word, deps);
  if (key.startsWith(datasetsPrefix)) return objectWork(key, deps);

  const ledger = await deps.stage.ledger();
  const command = await ledger.read<CommandRow>(ledgerKeys.command(word));
  if (command !== undefined) return { kind: 'command', row: command };
  const upload = await ledger.uploadOfDataset(word);
  return upload === undefined ? workOfHandle(word, deps) : objectWork(upload.key, deps, upload);
}

async function workOfHandle(word: string, deps: OperatorDeps): Promise<FoundWork> {
  const row = await findRow(word, await listParked(await deps.stage.ledger()), deps);
  if (row?.kind === 'command') return { kind: 'command', row };
  if (row?.kind === 'upload') return objectWork(row.key, deps, row);
  if ((await isRecordedRun(word, deps)) || (await isConfiguredRun(word, deps))) {
    throw new UsageError(`"${word}" is a run, and show takes one command of it`, {
      command: ['autopilot', 'history', word],
    });
  }
  throw new UsageError(
    `"${word}" is no object's key, no dataset and no command of the stage "${deps.target.stage}". Another stage: --aws --stage NAME`,
  );
}

/** @param known - a row of the key, shown also if its version is gone from the bucket */
async function objectWork(
  key: string,
  { stage, target }: Pick<OperatorDeps, 'stage' | 'target'>,
  known?: Stored<UploadRow>,
): Promise<FoundWork> {
  const ledger = await stage.ledger();
  const { BucketName: bucket } = await stage.outputs();
  const versions: readonly SeenVersion[] = await Promise.all(
    (await stage.versions(key)).map(async (version) => {
      const row = await ledger.read<UploadRow>(ledgerKeys.upload(bucket, key, version.versionId));
      return row === undefined ? { version } : { version, row };
    }),
  );
  const isListed = known === undefined || versions.some(({ row }) => row?.pk === known.pk);
  const gone = isListed ? [] : [{ version: { versionId: known.versionId ?? 'without an id' }, row: known }];
  if (versions.length + gone.length === 0) {
    throw new UsageError(
      `nothing is at "${key}" in the bucket of the stage "${target.stage}", and nothing was kept there`,
    );
  }
  return { kind: 'object', key, versions: [...versions, ...gone] };
}
