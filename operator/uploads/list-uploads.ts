/**
 * Uploads as a list, the newest first. The ledger has no index of uploads that ended: one would cost a write for each. So the bucket says what was
 * put and when, and the rows of one page are read from the ledger.
 */
import * as z from 'zod';
import type { ListedVersion, VersionMarker } from '#shared/aws/version-listing.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { linkTestInObject } from '#shared/messages/link-test.ts';
import { isFolderMarker } from '#shared/uploads/object-key.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { UsageError } from '../errors.ts';
import { type PendingWork, uploadAtGate } from '../outcomes/pending-work.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import type { GateStatus } from '../stage/gate-status.ts';
import { type ShownVersion, toShownVersion } from './shown-work.ts';
import { jsonIn } from '#shared/text/json-in.ts';

/** One version of an object, and what became of it. */
export interface UploadEntry extends ShownVersion {
  readonly key: string;
}

export interface UploadsPage {
  readonly uploads: readonly UploadEntry[];
  /** The cursor of the next page; absent at the end. */
  readonly next?: string;
  /** Versions that were listed. */
  readonly listed: number;
  /** There are more versions than one question lists: newer ones than these may be among those behind. */
  readonly isPartial?: true;
}

/** Which uploads, and how many. */
export interface UploadsQuestion {
  /** Below `datasets/`. */
  readonly prefix: string;
  readonly limit: number;
  /** The `next` of the page before. */
  readonly cursor?: string;
}

/** Requests of one question, each for 1,000 versions: it costs a cent at most. */
const mostPages = 20;

/** Reads one page of uploads. */
export async function listUploads(
  { prefix, limit, cursor }: UploadsQuestion,
  deps: Pick<OperatorDeps, 'stage'>,
): Promise<UploadsPage> {
  const before = cursor === undefined ? undefined : placeOf(cursor);
  let newest: readonly ListedVersion[] = [];
  let after: VersionMarker | undefined;
  let listed = 0;
  for (let page = 0; page < mostPages; page += 1) {
    const { versions, next } = await deps.stage.listVersions({ prefix, after });
    listed += versions.length;
    const wanted = versions.filter(
      (version) => isUpload(version) && (before === undefined || isBehind(version, before)),
    );
    newest = [...newest, ...wanted].toSorted(newestFirst).slice(0, limit + 1);
    after = next;
    if (after === undefined) break;
  }
  const shown = newest.slice(0, limit);
  const last = shown.at(-1);
  return {
    uploads: await entriesOf(shown, deps),
    next: newest.length > limit && last !== undefined ? cursorOf(last) : undefined,
    listed,
    isPartial: after === undefined ? undefined : true,
  };
}

/** Folders of a console and marks of the doctor are none. */
function isUpload(version: ListedVersion): boolean {
  return !isFolderMarker(version) && linkTestInObject(version) === undefined;
}

async function entriesOf(
  versions: readonly ListedVersion[],
  { stage }: Pick<OperatorDeps, 'stage'>,
): Promise<readonly UploadEntry[]> {
  const [{ BucketName: bucket }, ledger] = await Promise.all([stage.outputs(), stage.ledger()]);
  return Promise.all(
    versions.map(async (version) => {
      const { key, versionId } = version;
      // One by one: the policy Reader opens single rows, and a page is short.
      const row = await ledger.read<UploadRow>(ledgerKeys.upload(bucket, key, versionId));
      return { key, ...toShownVersion({ version, row }) };
    }),
  );
}

/** When it was put, its key and its version. */
const cursorPlace = z.tuple([z.string(), z.string(), z.string()]);

type Place = z.infer<typeof cursorPlace>;

function placeIn({ lastModified, key, versionId }: ListedVersion): Place {
  return [lastModified.toISOString(), key, versionId];
}

/** Instants of S3 are whole seconds: of one second, key and version decide. */
function newestFirst(a: ListedVersion, b: ListedVersion): number {
  return isBehind(a, placeIn(b)) ? 1 : -1;
}

function isBehind(version: ListedVersion, place: Place): boolean {
  const own = placeIn(version);
  const differs = own.findIndex((part, index) => part !== place[index]);
  return differs >= 0 && (own[differs] ?? '') < (place[differs] ?? '');
}

function cursorOf(version: ListedVersion): string {
  return Buffer.from(JSON.stringify(placeIn(version))).toString('base64url');
}

function placeOf(cursor: string): Place {
  const place = cursorPlace.safeParse(jsonIn(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (place.success) return place.data;
  throw new UsageError('the cursor is none that a page of uploads gave: take its "next" as it is');
}

/** A person looks at no more of them at once; the depth of the queue says how many there are. */
const mostShown = 20;

/** Uploads that came shortly before the gate closed may have waited for it too. */
const beforeMs = 15 * 60_000;

/**
 * Uploads that wait for the gate. Their worker has not begun, so they have no row, and a row for each would be a write for every upload. The
 * bucket knows what was put: it is asked only while the gate is not open and messages wait. Empty if the bucket may not be listed.
 * @param waiting - messages in the uploads queue
 */
export async function uploadsAtGate(
  gate: GateStatus,
  waiting: number,
  deps: Pick<OperatorDeps, 'stage'>,
): Promise<readonly PendingWork[]> {
  if (gate.state === 'open' || waiting === 0) return [];
  const from = new Date(Date.parse(gate.since) - beforeMs).toISOString();
  // The status is shown all the same: the depth of the queue is in it.
  const page = await listUploads({ prefix: datasetsPrefix, limit: mostShown }, deps).catch(() => undefined);
  return (page?.uploads ?? []).flatMap(({ key, versionId, state, uploadedAt = '' }) => {
    if (state !== 'not seen yet' || uploadedAt < from) return [];
    return uploadAtGate({ id: key, versionId, since: uploadedAt }, gate) ?? [];
  });
}
