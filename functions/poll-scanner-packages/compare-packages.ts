import { AppError } from '#shared/errors/app-error.ts';
import { isLike } from '#shared/changes/words.ts';
import type { PackageChangeRuleDocument } from '#shared/config/automation.ts';
import type { PackageChange, PackageFingerprint } from '#shared/ledger/rows/watch-row.ts';
import { doesUpdateWait, type Fingerprints } from './known-packages.ts';

/** A difference, with what rules match on beside it. */
export interface FoundChange extends PackageChange {
  readonly direction?: string;
  readonly source?: string;
  /** The package says that an update waits for it. */
  readonly doesUpdateWait?: boolean;
}

/** What two looks differ in, and the fingerprints to keep. */
export interface Comparison {
  readonly changes: readonly FoundChange[];
  readonly next: Fingerprints;
}

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

/**
 * Compares the packages that a complete walk saw with those known.
 * @throws ListingVanishedError if more than half of many packages are missing, or all of them
 */
export function comparePackages(known: Fingerprints, seen: Fingerprints): Comparison {
  const changes: FoundChange[] = [];
  const next = new Map(seen);
  let gone = 0;

  for (const [packageId, now] of seen) {
    const before = known.get(packageId);
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
  assertPlausible({ known: known.size, seen: seen.size, gone });
  return { changes, next };
}

/** Refuses to take a listing for true that has lost most of its packages. */
function assertPlausible({ known, seen, gone }: Readonly<Record<'known' | 'seen' | 'gone', number>>): void {
  const isMassVanishing = known >= fewPackages && gone > known / 2;
  const isEmptied = known > 0 && seen === 0;
  if (isMassVanishing || isEmptied) throw new ListingVanishedError(gone, known);
}

function changedFields(before: PackageFingerprint, now: PackageFingerprint): string[] {
  const fields = new Set([...Object.keys(before.fields), ...Object.keys(now.fields)]);
  return [...fields].filter((field) => before.fields[field] !== now.fields[field]).toSorted();
}

function subjectOf(packageId: string, fingerprint: PackageFingerprint) {
  const { name, direction, source } = fingerprint;
  return { packageId, name, direction, source, doesUpdateWait: doesUpdateWait(fingerprint) };
}

/** The runs that the rules name for these changes: each once, in the order of the rules. */
export function startsForPackages(
  changes: readonly FoundChange[],
  rules: readonly PackageChangeRuleDocument[],
): readonly string[] {
  const matching = rules.filter((rule) => changes.some((change) => isMatch(change, rule.match)));
  return [...new Set(matching.map((rule) => rule.start))];
}

/** Every pattern that the rule gives must match. */
function isMatch(change: FoundChange, match: PackageChangeRuleDocument['match']): boolean {
  return (
    (match.kind === undefined || match.kind === change.kind) &&
    isLike(change.name, match.name) &&
    isLike(change.packageId, match.id) &&
    isLike(change.direction, match.direction) &&
    isLike(change.source, match.source) &&
    (match.field === undefined || isFieldMatch(change, match.field))
  );
}

/**
 * The field is one that changed, so it never matches an added or a removed package.
 * `availableUpdate` says more: that an update waits now.
 */
function isFieldMatch(change: FoundChange, pattern: string): boolean {
  const asksForUpdate = pattern.toLowerCase() === 'availableupdate';
  if (asksForUpdate && change.doesUpdateWait !== true) return false;
  return change.fields.some((field) => isLike(field, pattern));
}
