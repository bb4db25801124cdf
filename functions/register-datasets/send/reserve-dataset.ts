import { expiryOf } from '#shared/ledger/rows/row-expiry.ts';
import type { DatasetRow, UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { contentClaim } from '../upload-states.ts';

/** Whether this upload is the one that may send this content. */
export type Reservation =
  | { readonly kind: 'mine' }
  /** Another upload made the dataset, or may have. */
  | { readonly kind: 'duplicate'; readonly of: UploadRow }
  /** Another upload of the same is under way: how it ends decides. */
  | { readonly kind: 'wait'; readonly why: string };

const mostLooks = 5;

/**
 * Reserves a request with its content for one upload, by one conditional write. It is made before anything is read: content that nobody has
 * sent yet is the rule. The place of an upload that ended without a dataset is taken over. A reservation that is ours already is written
 * anew: whoever wants to take it over at this moment has read the older version, so one of the two writes fails. An upload without a row
 * may be about to be sent, so it keeps its place: for as long as there is no row, its own SENDING can still be written.
 */
export async function reserveDataset(
  ledger: Ledger,
  wanted: { readonly datasetKey: string; readonly uploadKey: string; readonly now: Date },
): Promise<Reservation> {
  const { datasetKey, uploadKey, now } = wanted;
  const mine: DatasetRow = { pk: datasetKey, kind: 'dataset', upload: uploadKey, expiresAt: expiryOf('dataset', now) };

  let held: Stored<DatasetRow> | undefined;
  for (let look = 0; look < mostLooks; look += 1) {
    if ((await ledger.write(held, mine)) !== undefined) return { kind: 'mine' };
    held = await ledger.read<DatasetRow>(datasetKey);
    if (held !== undefined && held.upload !== uploadKey) {
      const holder = await ledger.read<UploadRow>(held.upload);
      const claim = contentClaim(holder);
      if (claim === 'binds' && holder !== undefined) return { kind: 'duplicate', of: holder };
      if (claim !== 'free')
        return { kind: 'wait', why: `the same content is under way as ${holder?.key ?? held.upload}` };
    }
  }
  return { kind: 'wait', why: 'several uploads of the same content came at once' };
}
