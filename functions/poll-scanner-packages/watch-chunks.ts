import { hash } from 'node:crypto';
import { AppError } from '#shared/errors/app-error.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { FoundInChunk, PackageFingerprint, SeenPackage, WatchChunkRow } from '#shared/ledger/rows/watch-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';

/**
 * A package's row is found by its id and this number, so another number makes the next look a baseline. A hundred thousand packages with the
 * interface's fields make rows of about 165 KB.
 */
export const chunkCount = 256;

/** Chunks whose packages a saved walk keeps in the same rows: each of those is read for all of them, so fewer would be more rows. */
const chunksInGroup = 8;

/** The groups of chunks, by number. */
export const chunkGroups: readonly number[] = Array.from({ length: chunkCount / chunksInGroup }, (_, group) => group);

/** DynamoDB refuses rows above 400 KB; the rest is for the key and what its encoding adds. */
const maxRowBytes = 350_000;

/** One row of fingerprints as read; one that was never written is `undefined`. */
export interface Chunk {
  readonly pk: string;
  readonly row: Stored<WatchChunkRow> | undefined;
}

/**
 * The rows of a group, an entry for each of its chunks. One after the other: one row is what a poll has of them in memory, and it is gone before the
 * next one comes. The usual poll reads none.
 */
export async function* readGroup(ledger: Ledger, watch: string, group: number): AsyncGenerator<Chunk, void, undefined> {
  for (let index = 0; index < chunksInGroup; index += 1) {
    const pk = ledgerKeys.watchChunk(watch, group * chunksInGroup + index);
    yield { pk, row: await ledger.read<WatchChunkRow>(pk) };
  }
}

/**
 * The row that a chunk is to have for these fingerprints and what was found in it; `undefined` where its fingerprints are these objects already.
 * @throws AppError WATCH_TOO_LARGE
 */
export function rowOf(
  { pk, row }: Chunk,
  next: ReadonlyMap<string, PackageFingerprint>,
  found: FoundInChunk | undefined,
): WatchChunkRow | undefined {
  const before = row?.packages ?? {};
  const isSame = [...next].every(([packageId, fingerprint]) => before[packageId] === fingerprint);
  if (isSame && next.size === Object.keys(before).length) return undefined;
  const packages = Object.fromEntries(next);
  const after: WatchChunkRow = { pk, kind: 'watch-chunk', packages, found };
  if (Buffer.byteLength(JSON.stringify(after)) <= maxRowBytes) return after;
  throw new AppError(`${pk}: the watch lists more packages than it can compare: narrow its filters`, {
    code: 'WATCH_TOO_LARGE',
    retryable: false,
  });
}

/** The packages that a walk saw, by the keys of the chunks that they belong to. */
export function byChunk(
  seen: ReadonlyMap<string, SeenPackage>,
  watch: string,
): ReadonlyMap<string, ReadonlyMap<string, SeenPackage>> {
  const chunks = new Map<string, Map<string, SeenPackage>>();
  for (const [packageId, now] of seen) {
    const pk = ledgerKeys.watchChunk(watch, chunkOf(packageId));
    const inChunk = chunks.get(pk) ?? new Map<string, SeenPackage>();
    chunks.set(pk, inChunk.set(packageId, now));
  }
  return chunks;
}

/** The group whose rows a package is in. */
export function groupOf(packageId: string): number {
  return Math.floor(chunkOf(packageId) / chunksInGroup);
}

function chunkOf(packageId: string): number {
  return Number.parseInt(hash('sha256', packageId).slice(0, 8), 16) % chunkCount;
}
