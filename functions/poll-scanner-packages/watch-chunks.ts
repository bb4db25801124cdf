import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../shared/errors/app-error.ts';
import {
  type FoundInChunk,
  ledgerKeys,
  type PackageFingerprint,
  type WatchChunkItem,
} from '../../shared/ledger/items.ts';
import type { Ledger, Stored } from '../../shared/ledger/ledger.ts';
import { LeaseLostError } from '../_runtime/leased-row.ts';

/** Fixed for life: a package's row is found by its id. 10,000 packages make rows of about 90 KB. */
const chunkCount = 64;

/** Rows read or written at the same time. */
const parallel = 8;

/** DynamoDB refuses rows above 400 KB; the rest is for the key and what its encoding adds. */
const maxRowBytes = 350_000;

/** The fingerprint rows of a watch as read, by chunk number; a chunk that was never written is `undefined`. */
export type WatchChunks = readonly (Stored<WatchChunkItem> | undefined)[];

/** A row that is to be written. */
interface ChunkWrite {
  readonly before: Stored<WatchChunkItem> | undefined;
  readonly after: WatchChunkItem;
}

/** Reads every fingerprint row of a watch. */
export async function readChunks(ledger: Ledger, watch: string): Promise<WatchChunks> {
  const numbers = Array.from({ length: chunkCount }, (_, chunk) => chunk);
  const chunks: (Stored<WatchChunkItem> | undefined)[] = [];
  for (const group of groupsOf(numbers)) {
    const reads = group.map(async (chunk) => ledger.read<WatchChunkItem>(ledgerKeys.watchChunk(watch, chunk)));
    chunks.push(...(await Promise.all(reads)));
  }
  return chunks;
}

/** The packages of all rows. */
export function packagesOf(chunks: WatchChunks): ReadonlyMap<string, PackageFingerprint> {
  return new Map(chunks.flatMap((chunk) => Object.entries(chunk?.packages ?? {})));
}

/** What a plan of rows is made from. */
interface ChunkPlan {
  readonly watch: string;
  readonly chunks: WatchChunks;
  /** The fingerprints that the rows are to hold together. */
  readonly next: ReadonlyMap<string, PackageFingerprint>;
  /** What the row of a chunk is to say of changes, given what it says already. */
  readonly foundIn: (chunk: number, before: FoundInChunk | undefined) => FoundInChunk | undefined;
}

/**
 * The rows that must change.
 * @throws AppError WATCH_TOO_LARGE before anything is written
 */
export function planChunkWrites({ watch, chunks, next, foundIn }: ChunkPlan): readonly ChunkWrite[] {
  const wanted = chunks.map((): [string, PackageFingerprint][] => []);
  for (const entry of next) wanted[chunkOf(entry[0])]?.push(entry);

  return wanted.flatMap((entries, chunk) => {
    const before = chunks[chunk];
    const packages = Object.fromEntries(entries);
    if (isDeepStrictEqual(before?.packages ?? {}, packages)) return [];
    const found = foundIn(chunk, before?.found);
    const pk = ledgerKeys.watchChunk(watch, chunk);
    const after: WatchChunkItem = { pk, kind: 'watch-chunk', packages, ...(found === undefined ? {} : { found }) };
    assertFits(watch, after);
    return [{ before, after }];
  });
}

/**
 * Writes the planned rows.
 * @param beforeEachGroup - awaited before the next few rows; throws where they must not be written
 * @throws LeaseLostError when one of them was written by somebody else since it was read
 */
export async function writeChunks(
  ledger: Ledger,
  writes: readonly ChunkWrite[],
  beforeEachGroup: () => Promise<void>,
): Promise<void> {
  for (const group of groupsOf(writes)) {
    await beforeEachGroup();
    const written = await Promise.all(group.map(async ({ before, after }) => ledger.write(before, after)));
    if (written.includes(undefined)) throw new LeaseLostError('a row of fingerprints');
  }
}

/** What the rows say of changes once the writes are made. */
export function foundAfter(chunks: WatchChunks, writes: readonly ChunkWrite[]): readonly FoundInChunk[] {
  const written = new Map(writes.map(({ after }) => [after.pk, after]));
  return [...chunks.filter((chunk) => chunk !== undefined && !written.has(chunk.pk)), ...written.values()]
    .map((row) => row?.found)
    .filter((found) => found !== undefined);
}

/** The chunk that a package belongs to. */
export function chunkOf(packageId: string): number {
  return createHash('sha256').update(packageId).digest().readUInt32BE(0) % chunkCount;
}

function assertFits(watch: string, row: WatchChunkItem): void {
  if (Buffer.byteLength(JSON.stringify(row)) <= maxRowBytes) return;
  throw new AppError(`the watch ${watch} lists more packages than it can compare: narrow its filters`, {
    code: 'WATCH_TOO_LARGE',
    retryable: false,
  });
}

function groupsOf<Item>(items: readonly Item[]): (readonly Item[])[] {
  const count = Math.ceil(items.length / parallel);
  return Array.from({ length: count }, (_, group) => items.slice(group * parallel, (group + 1) * parallel));
}
