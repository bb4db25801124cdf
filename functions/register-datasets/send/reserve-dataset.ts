import { laterDelayMs } from '#shared/gateway-client/index.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { expiryOf } from '#shared/ledger/rows/row-keys.ts';
import type { DatasetRow, UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { NotNow, type UploadWithRow } from '../upload.ts';
import { contentClaim } from '../upload-states.ts';

const mostLooks = 5;

/**
 * Reserves a request with its content for one upload, by one conditional write. It is made before
 * anything is read: content that no worker has sent yet is the rule. The place of an upload that
 * ended without a dataset is taken over. A reservation that is ours already is written again. A
 * worker that would take it over at this moment has read the older version, so one of the two
 * writes fails. An upload without a row may be about to be sent, so it keeps its place. While there
 * is no row, its own SENDING can still be written.
 * @returns the upload that made the dataset, or may have; `undefined`: the content is reserved
 * @throws NotNow if another upload of the same content is under way: how it ends decides
 */
export async function reserveDataset(upload: UploadWithRow, datasetKey: string): Promise<UploadRow | undefined> {
  const { deps, row, context } = upload;
  const { ledger } = deps;
  const expiresAt = expiryOf('dataset', context.now());
  const mine: DatasetRow = { pk: datasetKey, kind: 'dataset', upload: row.pk, expiresAt };

  let held: Stored<DatasetRow> | undefined;
  for (let look = 0; look < mostLooks; look += 1) {
    if ((await ledger.write(held, mine)) !== undefined) return undefined;
    held = await ledger.read<DatasetRow>(datasetKey);
    if (held === undefined || held.upload === row.pk) continue;
    const holder = await ledger.read<UploadRow>(held.upload);
    const claim = contentClaim(holder, datasetKey);
    if (claim === 'binds' && holder !== undefined) return holder;
    if (claim !== 'free') throw notBefore(upload, `the same content is under way as ${holder?.key ?? held.upload}`);
  }
  throw notBefore(upload, 'several uploads of the same content came at once');
}

/** Soon at first: the other one is usually done within seconds. */
function notBefore({ deps, record }: UploadWithRow, why: string): NotNow {
  return new NotNow(Math.round(laterDelayMs(record.receiveCount, deps.random) / 10), why);
}
