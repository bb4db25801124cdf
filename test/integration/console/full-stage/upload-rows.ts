/** Uploads that were registered, spread over the last 14 days. */
import { appliedRow, claimedRow, sendingRow } from '#functions/register-datasets/upload-rows.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';

/** How many there are. */
export const uploadCount = 2_000;

/** When an upload came: the newest has the index 0. */
export function uploadedAt(index: number, now: Date): Date {
  return new Date(now.getTime() - (14 * 86_400_000 * (index + 1)) / uploadCount);
}

/** The key of an upload. */
export function uploadKeyAt(index: number): string {
  return `datasets/night-${String(index).padStart(4, '0')}.csv`;
}

/** An object as the event of S3 tells it. */
export function objectOf({
  bucket,
  key,
  versionId,
  at,
}: Pick<ObjectCreated, 'bucket' | 'key'> & { readonly versionId: string; readonly at: Date }): ObjectCreated {
  return {
    kind: 'created',
    bucket,
    key,
    versionId,
    versionKey: versionId,
    etag: 'e',
    sizeBytes: 120,
    sequencer: '0',
    eventTime: at.toISOString(),
  };
}

/** The row of an upload whose dataset the gateway made. */
export function registeredRow(object: ObjectCreated): UploadRow {
  const context = { now: () => new Date(object.eventTime) };
  const lease = { owner: 'worker', leaseUntil: object.eventTime };
  const claimed = claimedRow({ object, row: undefined, context }, { ...lease, crashes: 0, ruleName: 'datasets/' });
  const checked = { rows: 120, blocking: 40, repeated: 3 };
  const sending = sendingRow({ object, row: claimed, context }, { ...lease, datasetKey: object.key, checked });
  return appliedRow({ object, row: sending, context }, { detail: 'registered', datasetId: `d-${object.versionKey}` });
}
