import { AppError } from '#shared/errors/app-error.ts';
import type { PackageChange, PackageFingerprint, SeenPackage } from '#shared/ledger/rows/watch-row.ts';
import { doesUpdateWait } from './walk/walk.ts';

/** A difference, with what rules match on beside it. */
export interface FoundChange extends PackageChange {
  readonly direction?: string;
  readonly source?: string;
  /** The package says that an update waits for it. */
  readonly doesUpdateWait?: true;
}

/** What two looks at some packages differ in, and the fingerprints to keep. */
export interface Comparison {
  readonly changes: readonly FoundChange[];
  readonly next: ReadonlyMap<string, PackageFingerprint>;
  /** Known packages that were not seen. */
  readonly gone: number;
}

type Fingerprints = ReadonlyMap<string, PackageFingerprint>;

/** A package is gone when this many complete walks in a row did not show it: one may move between two pages while we walk. */
const walksUntilRemoved = 2;

/** Below this many packages, half of them may well be removed in one go. */
const fewPackages = 10;

/** So much is missing from the listing that the listing is at fault, not the packages. */
export class ListingVanishedError extends AppError {
  override readonly name = 'ListingVanishedError';

  constructor(gone: number, known: number) {
    super(
      `${gone} of ${known} known scanner packages are missing from the listing: taken for a fault of the listing, nothing was changed. ` +
        'If they are gone for good, rename the watch: a new name begins with a new baseline',
      { code: 'LISTING_VANISHED', retryable: true },
    );
  }
}

/** The rows of a watch are not what its last look left, whose pages vouch for them. */
export class KnownPackageLostError extends AppError {
  override readonly name = 'KnownPackageLostError';

  constructor(packageId: string) {
    super(
      `scanner package ${packageId} is on a page that is as before, and its row is not as the last look left it: nothing was concluded. ` +
        'The next poll compares every page',
      { code: 'KNOWN_PACKAGE_LOST', retryable: true },
    );
  }
}

/** Compares packages that a complete walk saw with those known: all of both that belong together. */
export function comparePackages(known: Fingerprints, seen: Fingerprints): Comparison {
  const changes: FoundChange[] = [];
  const next = new Map<string, PackageFingerprint>(seen);
  let gone = 0;

  for (const [packageId, now] of seen) {
    const before = known.get(packageId);
    if (before === now) continue;
    const fields = before === undefined ? [] : changedFields(before, now);
    if (before !== undefined && fields.length === 0) continue;
    changes.push({ kind: before === undefined ? 'added' : 'changed', ...subjectOf(packageId, now), fields });
  }

  for (const [packageId, before] of known) {
    if (seen.has(packageId)) continue;
    gone += 1;
    const missing = (before.missing ?? 0) + 1;
    if (missing < walksUntilRemoved) next.set(packageId, { ...before, missing });
    else changes.push({ kind: 'removed', ...subjectOf(packageId, before), fields: [] });
  }
  return { changes, next, gone };
}

/**
 * What was seen. If a package is unchanged, this is the object already known, which is neither
 * compared nor written from here on. That is nearly every package of nearly every walk.
 * @throws KnownPackageLostError
 */
export function asKnownWhereSame(known: Fingerprints, seen: ReadonlyMap<string, SeenPackage>): Fingerprints {
  const packages = new Map<string, PackageFingerprint>();
  for (const [packageId, now] of seen) {
    const before = known.get(packageId);
    if (now !== 'known') packages.set(packageId, before !== undefined && isSame(before, now) ? before : now);
    else if (before === undefined || before.missing !== undefined) throw new KnownPackageLostError(packageId);
    else packages.set(packageId, before);
  }
  return packages;
}

/**
 * Refuses to take a listing for true that has lost most of its packages.
 * @throws ListingVanishedError where more than half of many packages are missing, or all of them
 */
export function assertPlausible({ known, seen, gone }: Readonly<Record<'known' | 'seen' | 'gone', number>>): void {
  const isMassVanishing = known >= fewPackages && gone > known / 2;
  const isEmptied = known > 0 && seen === 0;
  if (isMassVanishing || isEmptied) throw new ListingVanishedError(gone, known);
}

function changedFields(before: PackageFingerprint, now: PackageFingerprint): string[] {
  const fields = new Set([...Object.keys(before.fields), ...Object.keys(now.fields)]);
  return [...fields].filter((field) => before.fields[field] !== now.fields[field]).toSorted();
}

function isSame(before: PackageFingerprint, now: PackageFingerprint): boolean {
  return (
    before.name === now.name &&
    before.direction === now.direction &&
    before.source === now.source &&
    before.missing === now.missing &&
    hasSameFields(before, now)
  );
}

/** Without making anything. */
function hasSameFields({ fields: before }: PackageFingerprint, { fields: now }: PackageFingerprint): boolean {
  let count = 0;
  for (const field in now) {
    if (before[field] !== now[field]) return false;
    count += 1;
  }
  for (const _ in before) count -= 1;
  return count === 0;
}

function subjectOf(packageId: string, fingerprint: PackageFingerprint) {
  const { name, direction, source } = fingerprint;
  return {
    packageId,
    name,
    direction,
    source,
    doesUpdateWait: doesUpdateWait(fingerprint) ? (true as const) : undefined,
  };
}
