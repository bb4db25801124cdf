import { createHash } from 'node:crypto';
import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { ChangeSet, WatchRow } from '#shared/ledger/rows/watch-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { withoutLease } from '../_watch/leased-row.ts';
import { countKinds, countOfKinds, openChangeSet } from './change-set.ts';
import { assertPlausible } from './compare-packages.ts';
import { surveyWalk, writeGroups } from './walk/compare-walk.ts';
import type { PollDeps } from './deps.ts';
import { closeChangeSet } from './finish-change-set.ts';
import { forgetPages, vouchForPages } from './walk/known-pages.ts';
import type { Look } from './poll-answer.ts';
import { isSettled } from './settle.ts';
import { groupAsBefore, sawTheSame } from './walk/walk.ts';
import type { CompleteWalk } from './walk/walk-packages.ts';
import { chunkGroups } from './watch-chunks.ts';
import type { WatchHead } from './watch-head.ts';

/** What the differences of a walk come to, once they are written. */
interface Noted extends Pick<Look, 'packages' | 'counts'> {
  /** For the head row. */
  readonly vouching: Pick<WatchRow, 'pages'>;
}

/** The first look, or the first with other filters: what is there is noted, nothing is reported. */
export async function takeBaseline(
  walk: CompleteWalk,
  head: WatchHead,
  filtersHash: string,
  deps: PollDeps,
): Promise<Look> {
  const { name: watch } = head.current();
  const work = { walk, watch, ledger: deps.ledger };

  // First the head: a baseline that is cut is a baseline again, also when the filters are changed back in between.
  const { baselineAt: _baselineAt, pages: _pages, ...rest } = head.current();
  await head.write({ ...rest, filtersHash });
  // What was found with the filters of before waits for no more of it.
  const closed = await closeChangeSet(head, deps);
  const packages = await writeGroups(chunkGroups, work, head);

  const vouching = await vouchForPages(walk, { seen: packages, gone: 0 }, head, deps);
  const baselineAt = deps.now().toISOString();
  await head.write(withoutLease(afterLook({ ...head.current(), ...vouching, baselineAt }, packages, deps)));
  const { pages } = walk;
  deps.reports.log.info(logEvents.packagesBaseline, 'first look at this listing: noted, nothing reported', {
    watch,
    pages,
    packages,
  });
  return { packages, pages, isBaseline: true, counts: countKinds([]), closed };
}

/**
 * Holds a walk against the last look and notes the differences, then closes the change set that is open, where it has settled.
 * @throws ListingVanishedError, with no fingerprint written
 */
export async function reportChanges(
  walk: CompleteWalk,
  head: WatchHead,
  watch: ResolvedPackageWatch,
  deps: PollDeps,
): Promise<Look> {
  const { packages, counts, vouching } = sawTheSame(walk)
    ? { packages: walk.listed, counts: countKinds([]), vouching: {} }
    : await noteDifferences(walk, head, watch, deps);
  const { changeSet } = head.current();
  const isClosed = changeSet !== undefined && isSettled(changeSet, watch, deps.now());
  const closed = isClosed ? await closeChangeSet(head, deps) : undefined;

  await head.write(withoutLease(afterLook({ ...head.current(), ...vouching }, packages, deps)));
  const { pages } = walk;
  const changes = countOfKinds(counts);
  deps.reports.log.info(logEvents.packagesWalked, `${packages} packages walked, ${changes} changed`, {
    watch: watch.name,
    pages,
    packages,
    changes,
  });
  return { packages, pages, isBaseline: false, counts, closed };
}

/**
 * What keeps every change, and keeps it single: a set with a fixed id is in the ledger before any fingerprint; a fingerprint and the change that
 * it makes known are one write, which names the set; and the set is closed to further changes before anything is sent for it. While rows and pages
 * may not belong together, no page vouches for anything.
 */
async function noteDifferences(
  walk: CompleteWalk,
  head: WatchHead,
  watch: ResolvedPackageWatch,
  deps: PollDeps,
): Promise<Noted> {
  await forgetPages(head);
  groupAsBefore(walk);
  const { changeSet: set = openChangeSet(newIdentity(watch.name, deps)) } = head.current();
  const work = { walk, watch: watch.name, ledger: deps.ledger, report: { set, rules: watch.onChange } };
  const survey = await surveyWalk(work, head);
  assertPlausible(survey);

  if (countOfKinds(survey.counts) > 0) await keepOpen(set, head, deps);
  await writeGroups(survey.groups, work, head);
  const vouching = await vouchForPages(walk, survey, head, deps);
  return { packages: survey.seen, counts: survey.counts, vouching };
}

/** Opens the set, or has it wait longer: before the fingerprints, so that it never seems to have been quiet while they came. */
async function keepOpen(set: ChangeSet, head: WatchHead, deps: PollDeps): Promise<void> {
  const what = head.current().changeSet === undefined ? 'opened' : 'extended';
  const changeSet = { ...set, changedAt: deps.now().toISOString() };
  await head.write({ ...head.current(), changeSet, openState: 'SETTLING', openSince: set.since });
  const { name: watch } = head.current();
  deps.reports.log.info(logEvents.changeSet, `change set ${what}`, { watch, changeSet: set.id });
}

function newIdentity(watch: string, { now, attemptId }: PollDeps): Pick<ChangeSet, 'id' | 'since'> {
  const since = now().toISOString();
  const unique = createHash('sha256').update(`${watch} ${since} ${attemptId}`).digest('hex').slice(0, 8);
  return { id: `${since}-${unique}`, since };
}

/** The row at the end of a look: its pages are of this one. */
function afterLook(item: WatchRow, packages: number, { now }: PollDeps): WatchRow {
  const walkedAt = now().toISOString();
  const { pages, ...rest } = item;
  return { ...rest, walkedAt, packages, pages: pages && { ...pages, walkedAt } };
}
