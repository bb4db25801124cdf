import { hash } from 'node:crypto';
import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import { AppError } from '#shared/errors/app-error.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type {
  ChangeSet,
  FoundInChunk,
  PackageFingerprint,
  SeenPackage,
  WatchChunkRow,
  WatchRow,
} from '#shared/ledger/rows/watch-row.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { WorkerReports } from '../_handler/worker-reports.ts';
import { type LeasedRow, takeRow } from '../_watch/leased-row.ts';
import type { ListedPackage } from './walk/walk.ts';

/**
 * The pages of one listing to the last; an error ends it early. It begins at `from.cursor` if an
 * earlier walk with the same filters was cut off after `from.pages`, else at the first page.
 */
export type Listing = (
  filters: ResolvedPackageWatch['filters'],
  from: { readonly cursor: string | undefined; readonly pages: number },
) => AsyncIterable<ListedPage>;

/** One page of a listing. */
export interface ListedPage {
  readonly packages: readonly ListedPackage[];
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string | undefined;
  /** Two pages with one digest hold the same. @default it is taken for different from any other */
  readonly digest?: string | undefined;
}

/** What one poll works with. */
export interface PollDeps {
  readonly listing: Listing;
  /** Of the stage's mode: what is seen while it only observes is news again once it acts. */
  readonly ledger: Ledger;
  /** Asked before the walk and between its pages. */
  readonly gate: Gate;
  readonly commands: Pick<Queue, 'send'>;
  readonly bus: OutcomePublisher;
  readonly reports: Pick<WorkerReports, 'log' | 'count'>;
  readonly now: () => Date;
  readonly remainingMs: () => number;
  /** Unique for this poll: owner of its lease. */
  readonly attemptId: string;
}

/**
 * Much longer than the work between two renewals: a request (15 s with its repeats), or some fifty
 * reads and writes of the ledger.
 */
const leaseMs = 90_000;

/** The head row of a watch, held under a lease. */
export type WatchHead = LeasedRow<WatchRow>;

/** Takes the head row of a watch; `undefined` while another poll holds it. */
export async function takeWatch(options: {
  readonly ledger: Ledger;
  readonly watch: string;
  readonly filtersHash: string;
  readonly owner: string;
  readonly now: () => Date;
}): Promise<WatchHead | undefined> {
  const { ledger, watch, filtersHash, owner, now } = options;
  const fresh: WatchRow = { pk: ledgerKeys.watch(watch), kind: 'watch', name: watch, filtersHash };
  return takeRow({ ledger, fresh, owner, leaseMs, now });
}

/**
 * A package's row is found by its id and this number, so another number makes the next look a
 * baseline. A hundred thousand packages with the interface's fields make rows of about 165 KB.
 */
export const chunkCount = 256;

/**
 * Chunks whose packages a saved walk keeps in the same rows. Each row is read for all of its
 * chunks, so fewer would be more rows.
 */
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
 * The rows of a group, an entry for each of its chunks. One after the other: one row is what a poll
 * has of them in memory, and it is gone before the next one comes. The usual poll reads none.
 */
export async function* readGroup(ledger: Ledger, watch: string, group: number): AsyncGenerator<Chunk, void, undefined> {
  for (let index = 0; index < chunksInGroup; index += 1) {
    const pk = ledgerKeys.watchChunk(watch, group * chunksInGroup + index);
    yield { pk, row: await ledger.read<WatchChunkRow>(pk) };
  }
}

/**
 * The row that a chunk is to have for these fingerprints and what was found in it; `undefined` if
 * it holds these fingerprints already.
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

/**
 * A listing that never rests would hold its starts for ever: a set stays open for so many times its
 * settling time at most.
 */
const mostSettles = 6;

type OpenSet = Pick<ChangeSet, 'since' | 'changedAt'>;
type Watch = Pick<ResolvedPackageWatch, 'settle' | 'every'>;

/** The first instant at which a look closes the set, if none finds more for it before. */
export function waitsUntil(set: OpenSet, watch: Watch): Date {
  const settleMs = settleMsOf(watch);
  return new Date(Math.min(Date.parse(set.changedAt) + settleMs, lastMomentMs(set, settleMs)));
}

/**
 * Returns true if a set is closed at the end of a look. Nothing has changed for long enough, or the
 * next look would come too late. So a watch whose looks are far apart never waits for the next one.
 */
export function isSettled(set: OpenSet, watch: Watch, now: Date): boolean {
  const nextLookMs = now.getTime() + (durationMs(watch.every) ?? 0);
  return now >= waitsUntil(set, watch) || nextLookMs > lastMomentMs(set, settleMsOf(watch));
}

/**
 * Returns true if a set has waited for as long as any may. It is closed then without a further
 * look.
 */
export function isOverdue(set: OpenSet, watch: Watch, now: Date): boolean {
  return watch.settle !== undefined && now.getTime() >= lastMomentMs(set, settleMsOf(watch));
}

function settleMsOf({ settle }: Watch): number {
  return settle === undefined ? 0 : (durationMs(settle) ?? 0);
}

function lastMomentMs({ since }: OpenSet, settleMs: number): number {
  return Date.parse(since) + mostSettles * settleMs;
}
