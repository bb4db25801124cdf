import type { PlanRow } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { ReceiptRow, UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { objectPrefixes } from '#shared/vocabulary/resource-names.ts';
import { UsageError } from '../errors.ts';
import { findRow } from '../parked/find-parked.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { readEither } from '../outcomes/outcome-report.ts';
import { listParked } from '../parked/parked-rows.ts';
import type { SeenVersion } from './shown-work.ts';

/** What a word names: an object with its versions, the newest first; or a command. */
export type FoundWork =
  | { readonly kind: 'object'; readonly key: string; readonly versions: readonly SeenVersion[] }
  | { readonly kind: 'command'; readonly row: Stored<CommandRow> };

/**
 * Finds work by what a person has at hand: an object's key or its s3:// address, a dataset's id, a command's id, the handle of a parked row.
 * @throws UsageError for a word that names nothing
 */
export async function findWork(word: string, deps: Pick<OperatorDeps, 'stage' | 'target'>): Promise<FoundWork> {
  const key = word.replace(/^s3:\/\/[^/]+\//, '');
  if (Object.values(objectPrefixes).some((prefix) => key.startsWith(prefix))) return objectWork(key, deps);

  const ledger = await deps.stage.ledger();
  const command = await readEither<CommandRow>(ledger, ledgerKeys.command(word));
  if (command !== undefined) return { kind: 'command', row: command };
  const upload = (await ledger.uploadOfDataset(word)) ?? (await uploadOfReceipt(ledger, word));
  return upload === undefined ? workOfHandle(word, deps) : objectWork(upload.key, deps, upload);
}

/** As it was written until November 2026; those rows have expired by 26 December 2027, and this may go. */
async function uploadOfReceipt(ledger: Ledger, datasetId: string): Promise<Stored<UploadRow> | undefined> {
  const receipt = await ledger.read<ReceiptRow>(ledgerKeys.receipt(datasetId));
  return receipt && ledger.read<UploadRow>(receipt.upload);
}

async function workOfHandle(word: string, deps: Pick<OperatorDeps, 'stage' | 'target'>): Promise<FoundWork> {
  const row = await findRow(word, await listParked(await deps.stage.ledger()), deps);
  if (row?.kind === 'command') return { kind: 'command', row };
  if (row?.kind === 'upload' || row?.kind === 'plan') return objectWork(row.key, deps, row);
  throw new UsageError(
    `"${word}" is no object's key, no dataset and no command that the stage "${deps.target.stage}" knows (another stage: --aws --stage NAME)`,
  );
}

/** @param known - a row of the key, told also where its version is gone from the bucket */
async function objectWork(
  key: string,
  { stage, target }: Pick<OperatorDeps, 'stage' | 'target'>,
  known?: Stored<UploadRow | PlanRow>,
): Promise<FoundWork> {
  const ledger = await stage.ledger();
  const { BucketName: bucket } = await stage.outputs();
  const keyOf = key.startsWith(objectPrefixes.runPlans) ? ledgerKeys.plan : ledgerKeys.upload;
  const versions: readonly SeenVersion[] = await Promise.all(
    (await stage.versions(key)).map(async (version) => {
      const row = await readEither<UploadRow | PlanRow>(ledger, keyOf(bucket, key, version.versionId));
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
