import { toError } from '#shared/errors/app-error.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { rememberHandle } from '#shared/ledger/open-rows.ts';
import { resolveDismiss } from '#shared/ledger/resolve-parked.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { ReconcileDeps } from './pass.ts';

/** Keys that a tick looks at, one request each: 8,640 ticks a month with 25 keys that are never corrected cost about a dollar. */
const mostKeys = 25;

/** The newest versions of a key that are looked at: a row that is older waits for a person. */
const mostVersions = 100;

/** A tick looks at the next keys: every key has its turn, and no row has to remember whose it was. */
const tickMs = 5 * 60_000;

/**
 * Closes parked uploads that failed their check, if a newer version of their key is registered. The
 * listing decides which version is newer. S3 "returns object versions in the order in which they
 * were stored, with the most recently stored returned first" (Amazon S3 User Guide, "Listing
 * objects in a versioning-enabled bucket"). The row gets the decision that
 * `parked resolve --dismiss` writes, on the condition that it is unchanged. If a person decides at
 * the same moment, the first decision counts, and the other gets to know of it. What a tick leaves
 * undone, the next one finds again.
 * @param failed - parked uploads, read from the index: each is read again before it is closed
 * @returns how many were closed
 */
export async function closeCorrected(
  deps: ReconcileDeps,
  failed: readonly Stored<UploadRow>[],
  hasTime: () => boolean,
): Promise<number> {
  const byKey = Map.groupBy(failed.filter(mayBeCorrected), ({ key }) => key);
  let closed = 0;
  for (const [key, rows] of keysInTurn([...byKey], deps.now())) {
    if (!hasTime()) break;
    try {
      const { versions } = await deps.versions.list({ prefix: key, limit: mostVersions });
      for (const [row, newer] of await correctedOf(rows, versions, deps)) {
        if (await close(row, newer, deps)) closed += 1;
      }
    } catch (error) {
      // A lost upload must be found all the same; the next tick tries this again.
      const what = 'it is unknown whether a failed check was corrected';
      deps.reports.log.warn(logEvents.failed, what, { key, error: toError(error) });
    }
  }
  return closed;
}

/** Only the check refused it, and no request ever left for it: nothing of it can be at the gateway. Pure. */
function mayBeCorrected({ openState, outcome, sentAt, versionId }: UploadRow): boolean {
  return (
    openState === 'PARKED' && outcome?.reason === 'CHECK_FAILED' && sentAt === undefined && versionId !== undefined
  );
}

function keysInTurn<Entry>(entries: readonly Entry[], now: Date): readonly Entry[] {
  const first = (Math.floor(now.getTime() / tickMs) * mostKeys) % Math.max(1, entries.length);
  return [...entries.slice(first), ...entries.slice(0, first)].slice(0, mostKeys);
}

/** Its dataset is there: this version's own, or the one that the same request made of the same bytes before. Pure. */
function isAtGateway({ state, outcome, datasetId }: UploadRow): boolean {
  return state === 'APPLIED' || (outcome?.reason === 'DUPLICATE_CONTENT' && datasetId !== undefined);
}

/** The rows that a newer version of their key corrected, each with that version's row. A version that the bucket no longer lists is none of them. */
async function correctedOf(
  rows: readonly Stored<UploadRow>[],
  versions: readonly ListedVersion[],
  { ledger, bucket }: ReconcileDeps,
): Promise<readonly (readonly [Stored<UploadRow>, UploadRow])[]> {
  const ofKey = versions.filter(({ key }) => key === rows[0]?.key);
  const pks = ofKey.map(({ key, versionId }) => ledgerKeys.upload(bucket, key, versionId));
  const oldest = Math.max(...rows.map(({ pk }) => pks.indexOf(pk)));
  const uploads = await Promise.all(pks.slice(0, oldest + 1).map((pk) => ledger.read<UploadRow>(pk)));
  return rows.flatMap(({ pk }) => {
    const place = pks.indexOf(pk);
    const row = uploads[place];
    const newer = uploads.slice(0, Math.max(0, place)).find((one) => one !== undefined && isAtGateway(one));
    return row !== undefined && newer !== undefined && mayBeCorrected(row) ? [[row, newer] as const] : [];
  });
}

async function close(row: Stored<UploadRow>, newer: UploadRow, { ledger, now, reports }: ReconcileDeps) {
  const { pk, key, versionId } = row;
  const { versionId: correctedBy = '', datasetId } = newer;
  const dataset =
    datasetId === undefined
      ? 'would have been registered'
      : `${newer.state === 'APPLIED' ? 'was registered as' : 'has the bytes of'} dataset ${datasetId}`;
  const resolved = resolveDismiss(row, {
    by: 'reconcile-ledger',
    reason: `version ${correctedBy} of the key ${dataset}`,
    at: now(),
    correctedBy,
  });
  if (!resolved.ok) return false;
  // First: a row that has left the index is found by its handle.
  await rememberHandle(ledger, pk, now());
  if ((await ledger.write(row, resolved.row)) === undefined) return false;
  const fields = { key, versionId, correctedBy, ledgerKey: pk };
  reports.log.info(logEvents.uploadCorrected, 'a newer version of its key is registered: it is closed', fields);
  return true;
}
