import { createHash } from 'node:crypto';
import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { ChangeSet, WatchRow } from '#shared/ledger/rows/watch-row.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { withoutLease } from '../_watch/leased-row.ts';
import {
  type ChangeCounts,
  closeChangeSet,
  countKinds,
  packageChanges,
  countOfKinds,
  describeCounts,
  describeSetCounts,
  openChangeSet,
} from './change-set.ts';
import { assertPlausible } from './compare-packages.ts';
import { chunkGroups, isSettled, type PollDeps, type WatchHead } from './poll-state.ts';
import { surveyWalk, writeGroups } from './walk/compare-walk.ts';
import type { CompleteWalk } from './walk/walk-packages.ts';
import { forgetPages, vouchForPages } from './walk/walk-rows.ts';
import { groupAsBefore, sawTheSame } from './walk/walk.ts';

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
 * Compares a walk with the last look and notes the differences, then closes the open change set if
 * it has settled.
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
 * Keeps every change, once. A set with a fixed id is in the ledger before any fingerprint. A fingerprint and the change that it shows are one write,
 * which names the set. The set is closed to further changes before anything is sent for it. While rows and pages
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

/** What one complete look at a listing came to. */
export interface Look {
  readonly packages: number;
  readonly pages: number;
  readonly isBaseline: boolean;
  /** What this look found. */
  readonly counts: ChangeCounts;
  /** The change set that this look closed. */
  readonly closed: ChangeSet | undefined;
}

/** A change set that is open when a poll ends: since when, and until when it waits for more. Instants. */
export interface Waiting {
  readonly since: string;
  readonly until: string;
}

/** What a poll finds in the head row beside its own look. */
export interface Pending {
  /** A change set that it closed before it looked. */
  readonly leftover: ChangeSet | undefined;
  readonly waiting: Waiting | undefined;
}

/** A poll's answer: `288 packages, 1 changed: start of smoke sent`. */
export function pollAnswer(watch: string, look: Look, { leftover, waiting }: Pending): TickAnswer {
  const { packages, pages, isBaseline, closed } = look;
  const sets = [leftover, closed].filter((set) => set !== undefined);
  const starts = startsOf(sets);
  const changes = sets.reduce((sum, set) => sum + packageChanges(set), 0);
  const news = [
    ...(sets.length > 0 ? [sentFor(sets)] : []),
    ...(waiting === undefined
      ? []
      : [`${describeCounts(look.counts) || 'nothing more changed'}: ${waitingWords(waiting)}`]),
  ];
  if (news.length === 0) news.push(isBaseline ? 'nothing to compare with yet' : 'nothing changed');
  const summary = [`${packages} packages`, ...(isBaseline ? ['first look'] : []), news.join('; ')].join(', ');
  return { summary, watch, packages, pages, changes, isBaseline, starts, waitsUntil: waiting?.until };
}

/** The answer of a poll that found another one at work on its watch. */
export function underWayAnswer(watch: string): TickAnswer {
  return { summary: `another poll of ${watch} is under way; this one has nothing to do`, watch };
}

/** The answer of a poll that found the gate closed. */
export function gateAnswer(watch: string, pending: Pending): TickAnswer {
  return unfinished(watch, 0, ['no worker calls the gateway at the moment', 'a later poll looks'], pending);
}

/** The answer of a poll whose walk was cut off. */
export function cutAnswer(
  watch: string,
  { pages, why }: { readonly pages: number; readonly why: string },
  pending: Pending,
): TickAnswer {
  return unfinished(watch, pages, [`cut off after page ${pages}: ${why}`, 'the next poll goes on from there'], pending);
}

function unfinished(
  watch: string,
  pages: number,
  sentences: readonly string[],
  { leftover, waiting }: Pending,
): TickAnswer {
  const sets = leftover === undefined ? [] : [leftover];
  const summary = [
    ...sentences,
    ...(leftover === undefined ? [] : [`from before: ${sentFor(sets)}`]),
    ...(waiting === undefined ? [] : [waitingWords(waiting)]),
  ].join('; ');
  const changes = leftover === undefined ? 0 : packageChanges(leftover);
  return { summary, watch, pages, changes, isUnfinished: true, starts: startsOf(sets), waitsUntil: waiting?.until };
}

function sentFor(sets: readonly ChangeSet[]): string {
  const starts = startsOf(sets);
  const sent = starts.length === 0 ? 'no rule starts a run for that' : `start of ${starts.join(', ')} sent`;
  return `${sets.map(describeSetCounts).join(', ')}: ${sent}`;
}

function startsOf(sets: readonly ChangeSet[]): readonly string[] {
  return [...new Set(sets.flatMap((set) => set.starts))];
}

function waitingWords({ since, until }: Waiting): string {
  return `the change set of ${since} waits until ${until} for more`;
}
