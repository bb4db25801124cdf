import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { PackageChangeSet, WatchRow } from '#shared/ledger/rows/watch-row.ts';
import { type ChangeCounts, countKinds, isSettled, withFound } from './change-set.ts';
import { comparePackages, startsForPackages } from './compare-packages.ts';
import type { Fingerprints } from './known-packages.ts';

/** What a look found, and what was known before it. */
export interface LookFacts {
  readonly watch: ResolvedPackageWatch;
  readonly head: WatchRow;
  readonly known: Fingerprints;
  readonly seen: Fingerprints;
  /** Of the filters that the walk had. */
  readonly filtersHash: string;
  readonly now: Date;
  /** For a change set, if this look opens one. */
  readonly newId: string;
}

/** What a look comes to: all of it is one write. */
export interface LookDecision {
  readonly head: WatchRow;
  readonly packages: Fingerprints;
  readonly isBaseline: boolean;
  /** What this look found. */
  readonly counts: ChangeCounts;
}

/**
 * Compares a complete walk with the last look. Pure.
 * @throws ListingVanishedError
 */
export function decideLook(facts: LookFacts): LookDecision {
  const { watch, head, known, seen, filtersHash, now, newId } = facts;
  const at = now.toISOString();
  const after = { ...head, filtersHash, walkedAt: at, packages: seen.size };
  if (head.baselineAt === undefined || head.filtersHash !== filtersHash) {
    // What was found with the filters of before waits for no more of it.
    const changeSet = head.changeSet && { ...head.changeSet, isClosing: true };
    const baseline = { ...after, baselineAt: at, changeSet };
    return { head: baseline, packages: seen, isBaseline: true, counts: countKinds([]) };
  }
  const { changes, next } = comparePackages(known, seen);
  const found = { changes, starts: startsForPackages(changes, watch.onChange), at };
  const set = changes.length > 0 ? withFound(head.changeSet, found, newId) : head.changeSet;
  const counts = countKinds(changes);
  return { head: set === undefined ? after : withSet(after, set, facts), packages: next, isBaseline: false, counts };
}

/** The open rows have the watch while its set waits. */
function withSet(head: WatchRow, set: PackageChangeSet, { watch, now }: LookFacts): WatchRow {
  const changeSet = { ...set, isClosing: isSettled(set, watch, now) };
  return { ...head, changeSet, openState: 'SETTLING', openSince: set.since };
}
