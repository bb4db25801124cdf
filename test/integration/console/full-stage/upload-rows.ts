/** Uploads that were registered, spread over the last 14 days. */
import { checkedSentence } from '#shared/datasets/prompt-label-csv.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { uploadRow } from '../../../unit/operator/parked-fixtures.ts';

/** How many there are. */
export const uploadCount = 2_000;

/** When an upload came: the newest has the index 0. */
export function uploadedAt(index: number, now: Date): Date {
  return new Date(now.getTime() - (14 * 86_400_000 * (index + 1)) / uploadCount);
}

export function uploadKeyAt(index: number): string {
  return `datasets/night-${String(index).padStart(4, '0')}.csv`;
}

/** The row of an upload whose dataset the gateway made. */
export function registeredRow(object: Pick<UploadRow, 'bucket' | 'key' | 'versionId'>, at: Date): UploadRow {
  const eventTime = at.toISOString();
  const checked = { rows: 120, blocking: 40, repeated: 3 };
  return uploadRow({
    ...object,
    eventTime,
    ruleName: 'datasets/',
    checked,
    datasetId: `d-${object.versionId}`,
    outcome: { kind: 'applied', detail: `registered; ${checkedSentence(checked)}`, at: eventTime },
  });
}
