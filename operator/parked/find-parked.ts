import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { UsageError } from '../errors.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { isHandleOf, rowsOfHandle, uniqueHandle } from '../handles.ts';
import { entryOf, isParkable, listParked, titleOf } from './parked-rows.ts';

/**
 * Finds rows by a handle or its beginning, a command's id, an object's key, or a whole key of the
 * ledger. Resolved rows are found too. Reads each again, consistently: the list may be a moment
 * old, and a row that was resolved since must say so.
 */
export async function findParked(
  ids: readonly string[],
  deps: Pick<OperatorDeps, 'stage' | 'target'>,
): Promise<readonly Stored<ParkableRow>[]> {
  const ledger = await deps.stage.ledger();
  const listed = await listParked(ledger);
  const found: Stored<ParkableRow>[] = [];
  for (const typed of ids) {
    const row = await findRow(typed, listed, deps);
    if (row === undefined) {
      throw new UsageError(
        `nothing parked has the id "${typed}" in the stage "${deps.target.stage}" (another stage: --aws --stage NAME)`,
        { command: ['autopilot', 'parked', 'list'] },
      );
    }
    if (!found.some((other) => other.pk === row.pk)) found.push(row);
  }
  return found;
}

/** An S3 key has at most 1,024 bytes, a command's id 256 characters; the ledger's own keys are shorter than 1,200 bytes. */
const longestName = 1200;

/** @throws UsageError for a word that can name nothing: the ledger would refuse to look for it */
export function refuseImpossible(word: string): void {
  if (word.trim() === '')
    throw new UsageError('an empty word names nothing: give a key, an id or the short id of a parked item');
  const bytes = Buffer.byteLength(word);
  if (bytes > longestName)
    throw new UsageError(`"${word.slice(0, 40)}…" has ${bytes} bytes: no key and no id is so long`);
}

/**
 * The key in an `s3://` address of the stage's bucket; any other word as it is.
 * @throws UsageError for the address of another bucket: the same key of this one is another object
 */
export async function withoutBucket(word: string, { stage }: Pick<OperatorDeps, 'stage'>): Promise<string> {
  const [, bucket, key = word] = /^s3:\/\/([^/]+)\/(.*)$/s.exec(word) ?? [];
  if (bucket === undefined) return word;
  const { BucketName: own } = await stage.outputs();
  if (bucket === own) return key;
  throw new UsageError(`"${word}" is in the bucket ${bucket}, and the bucket of this stage is ${own}`);
}

/**
 * Finds the one row that an id names.
 * @param listed - the rows that are parked now
 */
export async function findRow(
  typed: string,
  listed: readonly Stored<ParkableRow>[],
  deps: Pick<OperatorDeps, 'stage'>,
): Promise<Stored<ParkableRow> | undefined> {
  refuseImpossible(typed);
  const ledger = await deps.stage.ledger();
  const id = await withoutBucket(typed, deps);
  const pk = onlyMatch(id, listed);
  const row = pk === undefined ? await resolvedRow(id, ledger, deps) : await ledger.read<ParkableRow>(pk);
  return row !== undefined && isParkable(row) ? row : undefined;
}

function onlyMatch(id: string, rows: readonly Stored<ParkableRow>[]): string | undefined {
  const exact = rows.find((row) => row.pk === id || (row.kind === 'command' && row.id === id));
  if (exact !== undefined) return exact.pk;
  const ofKey = rows.filter((row) => row.kind === 'upload' && row.key === id);
  const matching = ofKey.length > 0 ? ofKey : rows.filter((row) => isHandleOf(id, row.pk));
  if (matching.length > 1) {
    const pks = matching.map((row) => row.pk);
    const candidates = matching
      .slice(0, mostCandidates)
      .map((row) => entryOf(row, uniqueHandle(row.pk, pks)))
      .map((entry) => `${entry.id} (${titleOf(entry)})`);
    const more = matching.length > mostCandidates ? ', …' : '';
    const what = ofKey.length > 0 ? 'is the key' : 'begins the id';
    throw new UsageError(`"${id}" ${what} of ${matching.length} parked items: ${candidates.join(', ')}${more}`);
  }
  if (matching.length === 1 && ofKey.length === 0 && id.length < shortestHandle)
    throw new UsageError(
      `"${id}" is too short to be sure of an item: give at least ${shortestHandle} characters of its id`,
    );
  return matching[0]?.pk;
}

/** A slip of two characters often names another row, and a decision about it is final. */
const shortestHandle = 4;

/** A person compares no more than these. */
const mostCandidates = 8;

/** A row that has left the index, by any of its names. */
async function resolvedRow(
  id: string,
  ledger: Ledger,
  deps: Pick<OperatorDeps, 'stage'>,
): Promise<Stored<ParkableRow> | undefined> {
  const ofHandle = await rowsOfHandle(ledger, id);
  const ofKey = id.startsWith(datasetsPrefix)
    ? (await rowsOfKey(id, ledger, deps)).map((version) => version.row.pk)
    : [];
  const ofRow = /^(?:command|upload|message)#/.test(id) ? [id] : [];
  for (const pk of [ledgerKeys.command(id), ...ofRow, ...ofHandle, ...ofKey]) {
    const row = await ledger.read<ParkableRow>(pk);
    if (row !== undefined) return row;
  }
  return undefined;
}

/** The rows of the versions of one key, the newest version first. */
export async function rowsOfKey(
  key: string,
  ledger: Ledger,
  { stage }: Pick<OperatorDeps, 'stage'>,
): Promise<readonly { readonly row: Stored<ParkableRow>; readonly at: Date }[]> {
  const { BucketName: bucket } = await stage.outputs();
  const found: { row: Stored<ParkableRow>; at: Date }[] = [];
  for (const { versionId, lastModified } of await stage.versions(key)) {
    const row = await ledger.read<ParkableRow>(ledgerKeys.upload(bucket, key, versionId));
    if (row !== undefined) found.push({ row, at: lastModified });
  }
  return found;
}
