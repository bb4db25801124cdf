import { hash } from 'node:crypto';
import type { ScannerPackage } from '#shared/gateway-client/index.ts';
import { type Ledger, type RowChange, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { PackageFingerprint, WatchPackagesRow, WatchRow } from '#shared/ledger/rows/watch-row.ts';
import { AppError } from '#shared/errors/app-error.ts';
import { watchedRow, type WatchedRow } from '../_watch/watched-row.ts';
import { shortHash } from '#shared/changes/read-config.ts';

/**
 * The packages that a watch may list. Their fingerprints have to fit into one transaction, which
 * takes 4 MB: ten rows of 350 KB and the head row. That leaves 700 bytes for each of 5,000
 * packages, 600 if their ids fall into the rows unevenly. A package with the interface's fields
 * takes 250.
 */
export const mostPackages = 5000;

/**
 * A package's row is found by its id and this number, so another number makes the next look a
 * baseline.
 */
const rowCount = 10;

/** DynamoDB refuses rows above 400 KB; the rest is for the key and what its encoding adds. */
const maxRowBytes = 350_000;

/** A watch lists more than its rows take. Nothing was written. */
export class WatchTooLargeError extends AppError {
  override readonly name = 'WatchTooLargeError';

  constructor(watch: string, what: string) {
    super(
      `the watch ${watch} of scannerPackages lists ${what}: nothing was compared. ` +
        'Narrow its filters, or divide it into several watches with filters that exclude each other',
      { code: 'WATCH_TOO_LARGE', retryable: false },
    );
  }
}

/** All that is known of a watched listing. */
export interface KnownWatch {
  readonly head: WatchedRow<WatchRow>;
  readonly packages: Fingerprints;
  /** The rows that hold the packages, by key. */
  readonly rows: ReadonlyMap<string, Stored>;
}

/** Reads a watch in one request. */
export async function readWatch(watch: string, filtersHash: string, ledger: Ledger): Promise<KnownWatch> {
  const pk = ledgerKeys.watch(watch);
  const rows = await ledger.readMany([pk, ...keysOf(watch)]);
  const packages = new Map(keysOf(watch).flatMap((key) => unpacked(rowAt<WatchPackagesRow>(rows, key))));
  const head = watchedRow<WatchRow>(ledger, rowAt(rows, pk), { pk, kind: 'watch', name: watch, filtersHash });
  return { head, packages, rows };
}

/**
 * The rows of a watch that differ once it knows these packages.
 * @throws WatchTooLargeError
 */
export function changedRows(watch: string, { rows }: Pick<KnownWatch, 'rows'>, next: Fingerprints): RowChange[] {
  const byRow = Map.groupBy(next, ([packageId]) => ledgerKeys.watchPackages(watch, rowOf(packageId)));
  return keysOf(watch).flatMap((pk) => {
    const before = rowAt<WatchPackagesRow>(rows, pk);
    const after: WatchPackagesRow = { pk, kind: 'watch-packages', ...packed(byRow.get(pk) ?? []) };
    const text = textOf(after);
    if (text === textOf(before ?? packed([]))) return [];
    if (Buffer.byteLength(text) > maxRowBytes) throw new WatchTooLargeError(watch, tooLong(byRow.get(pk) ?? []));
    return [{ before, after }];
  });
}

/** Whether filters are those of the last look, and its rows are laid out as they are now. */
export function hashOfFilters(filters: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify([rowCount, sorted])).slice(0, 16);
}

function keysOf(watch: string): readonly string[] {
  return Array.from({ length: rowCount }, (_, row) => ledgerKeys.watchPackages(watch, row));
}

function rowOf(packageId: string): number {
  return Number.parseInt(hash('sha256', packageId).slice(0, 8), 16) % rowCount;
}

/** What a row holds of its packages. */
type PackedPackages = Pick<WatchPackagesRow, 'fields' | 'packages'>;

/** Stands for a field that a package does not have. */
const absent = '-';

function packed(packages: readonly (readonly [string, PackageFingerprint])[]): PackedPackages {
  const fields = [...new Set(packages.flatMap(([, fingerprint]) => Object.keys(fingerprint.fields)))].toSorted();
  const sorted = packages.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const entries = sorted.map(([packageId, { fields: hashes, ...rest }]) => [
    packageId,
    { ...rest, hashes: fields.map((field) => (Object.hasOwn(hashes, field) ? hashes[field] : absent)).join(' ') },
  ]);
  return { fields, packages: Object.fromEntries(entries) };
}

function unpacked(row: PackedPackages | undefined): (readonly [string, PackageFingerprint])[] {
  if (row === undefined) return [];
  return Object.entries(row.packages).map(([packageId, { hashes, ...rest }]) => {
    const values = hashes.split(' ');
    const fields = row.fields.flatMap((field, index) => {
      const value = values[index];
      return value === undefined || value === absent ? [] : [[field, value] as const];
    });
    return [packageId, { ...rest, fields: Object.fromEntries(fields) }];
  });
}

function textOf({ fields, packages }: PackedPackages): string {
  return JSON.stringify({ fields, packages });
}

function tooLong(packages: readonly (readonly [string, PackageFingerprint])[]): string {
  const most = Math.max(...packages.map(([, { fields }]) => Object.keys(fields).length));
  return `packages with up to ${most} fields, more than its rows of ${maxRowBytes / 1000} KB take`;
}

/** What looks know of packages, by their ids. */
export type Fingerprints = ReadonlyMap<string, PackageFingerprint>;

/** A name beyond this is cut: rows, events and reasons are bounded. */
const maxNameLength = 200;

/**
 * What the ledger keeps of a package: a short hash for each of its fields, known or not. No field
 * is left out. The interface does not say which fields change by themselves, and a rule can name
 * the field that it is about.
 */
export function fingerprintOf(listed: ScannerPackage): PackageFingerprint {
  const { id, name, direction, source } = listed;
  return {
    name: name?.slice(0, maxNameLength) || id,
    direction: direction ?? undefined,
    source: (typeof source === 'string' ? source : source?.type) ?? undefined,
    fields: Object.fromEntries(Object.entries(listed).map(([field, value]) => [field, shortHash(value)])),
  };
}

/** The forms in which a gateway says that no update waits. */
const noUpdate: ReadonlySet<unknown> = new Set([null, '', false, 'false', [], {}].map(shortHash));

/** Whether a package said, as last seen, that an update waits for it. */
export function doesUpdateWait({ fields }: PackageFingerprint): boolean {
  const { availableUpdate } = fields;
  return availableUpdate !== undefined && !noUpdate.has(availableUpdate);
}
