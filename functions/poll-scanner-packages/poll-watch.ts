import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { PackageChangeSet, WatchRow } from '#shared/ledger/rows/watch-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { Tick } from '../_handler/handlers.ts';
import { changeSetId, finishChangeSet, type ChangeSetDeps } from '../_watch/finish-change-set.ts';
import { lookOf, sentFacts, sentWords, type WatchedRow } from '../_watch/watched-row.ts';
import {
  countKinds,
  describeCounts,
  describeSetCounts,
  isOverdue,
  isSettled,
  outgoingOfPackages,
  waitsUntil,
  withFound,
} from './package-change-set.ts';
import { comparePackages, startsForPackages } from './compare-packages.ts';
import { changedRows, type Fingerprints, hashOfFilters, readWatch } from './known-packages.ts';
import { type WalkDeps, walkPackages } from './walk-packages.ts';
import { countOf } from '#shared/changes/words.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';

/** What one poll works with. */
export type PollDeps = WalkDeps & ChangeSetDeps & Pick<Tick, 'attemptId'>;

type Head = WatchedRow<WatchRow>;

/**
 * One poll of one watch: sends what a dead poll left, walks every page, compares, and acts on
 * settled changes. What the look saw, and what is to be sent for it, is one transaction. A poll
 * that dies before has seen nothing; after it, the next poll sends the same again. Every error
 * escapes. At a closed gate there is nothing to do.
 */
export async function pollWatch(watch: ResolvedPackageWatch, deps: PollDeps): Promise<TickAnswer> {
  return lookOf(watch.name, () => poll(watch, deps), deps.reports);
}

async function poll(watch: ResolvedPackageWatch, deps: PollDeps): Promise<TickAnswer> {
  const { name } = watch;
  const filtersHash = hashOfFilters(watch.filters);
  const known = await readWatch(name, filtersHash, deps.ledger);
  const { head, packages } = known;
  const leftover = await sendLeftover(head, watch, deps);
  if ((await deps.gate.waitMs(deps.remainingMs)) > 0) {
    const cut = { pages: 0, why: 'no worker calls the gateway at the moment' };
    return unfinishedAnswer(name, cut, { leftover, waiting: waitOf(head, watch) });
  }
  const walk = await walkPackages(watch, deps);
  if (walk.kind === 'cut') return unfinishedAnswer(name, walk, { leftover, waiting: waitOf(head, watch) });

  const now = deps.now();
  const before = head.current();
  const look = decideLook(watch, { head: before, packages }, { seen: walk.seen, filtersHash, now, by: deps.attemptId });
  await head.write(look.head, changedRows(name, known, look.packages));
  report(name, walk.pages, { before, look }, deps.reports);
  const sent = [...leftover, ...(await sendClosing(head, watch, deps))];
  return pollAnswer(name, { ...look, pages: walk.pages, waiting: waitOf(head, watch) }, sent);
}

/** A set that has waited for as long as any may is closed without a look. */
async function sendLeftover(head: Head, watch: ResolvedPackageWatch, deps: PollDeps) {
  const { changeSet, ...rest } = head.current();
  if (changeSet !== undefined && !changeSet.isClosing && isOverdue(changeSet, watch, deps.now()))
    await head.write({ ...rest, changeSet: { ...changeSet, isClosing: true } });
  return sendClosing(head, watch, deps);
}

async function sendClosing(head: Head, { name }: ResolvedPackageWatch, deps: PollDeps) {
  if (head.current().changeSet?.isClosing !== true) return [];
  return finishChangeSet(head, (set) => outgoingOfPackages(name, set), deps);
}

/** A change set that is open: since when, and until when it waits for more. */
interface Waiting {
  readonly since: string;
  readonly until: string;
}

function waitOf(head: Head, watch: ResolvedPackageWatch): Waiting | undefined {
  const { changeSet } = head.current();
  return changeSet && { since: changeSet.since, until: waitsUntil(changeSet, watch).toISOString() };
}

/** What a complete walk found. */
interface Walked {
  readonly seen: Fingerprints;
  /** Of the filters that the walk had. */
  readonly filtersHash: string;
  readonly now: Date;
  /** The attempt, which names the change set that it opens. */
  readonly by: string;
}

type Look = ReturnType<typeof decideLook>;

/**
 * Compares a complete walk with the last look. What it comes to is one write. Pure.
 * @throws ListingVanishedError
 */
function decideLook(
  watch: ResolvedPackageWatch,
  { head, packages: known }: { readonly head: WatchRow; readonly packages: Fingerprints },
  { seen, filtersHash, now, by }: Walked,
) {
  const at = now.toISOString();
  const after: WatchRow = { ...head, filtersHash, walkedAt: at, packages: seen.size };
  if (head.baselineAt === undefined || head.filtersHash !== filtersHash) {
    // What was found with the filters of before waits for no more of it.
    const changeSet = head.changeSet && { ...head.changeSet, isClosing: true };
    const baseline: WatchRow = { ...after, baselineAt: at, changeSet };
    return { head: baseline, packages: seen, isBaseline: true, counts: countKinds([]) };
  }
  const { changes, next } = comparePackages(known, seen);
  const found = { changes, starts: startsForPackages(changes, watch.onChange), at };
  const set = changes.length > 0 ? withFound(head.changeSet, found, changeSetId(watch.name, at, by)) : head.changeSet;
  const looked = set === undefined ? after : withSet(after, set, isSettled(set, watch, now));
  return { head: looked, packages: next, isBaseline: false, counts: countKinds(changes) };
}

/** The open rows have the watch while its set waits. */
function withSet(head: WatchRow, set: PackageChangeSet, isClosing: boolean): WatchRow {
  return { ...head, changeSet: { ...set, isClosing }, openState: 'SETTLING', openSince: set.since };
}

function report(
  watch: string,
  pages: number,
  { before, look }: { readonly before: WatchRow; readonly look: Look },
  { log }: PollDeps['reports'],
): void {
  const { head, isBaseline, counts } = look;
  const { packages = 0, changeSet } = head;
  const fields = { watch, pages, packages };
  if (isBaseline)
    return log.info(logEvents.packagesBaseline, 'first look at this listing: noted, nothing reported', fields);
  const changes = counts.changed + counts.added + counts.removed;
  log.info(logEvents.packagesWalked, `${packages} packages walked, ${changes} changed`, { ...fields, changes });
  if (changes === 0 || changeSet === undefined) return;
  const what = before.changeSet === undefined ? 'opened' : 'extended';
  const says = `change set ${what}: ${countOf(changeSet)} changes`;
  log.info(logEvents.changeSet, says, { watch, changeSet: changeSet.id });
}

/** A poll's answer: `288 packages, 1 changed: start of smoke sent`. */
function pollAnswer(
  watch: string,
  look: Look & { readonly pages: number; readonly waiting: Waiting | undefined },
  sets: readonly PackageChangeSet[],
): TickAnswer {
  const { pages, isBaseline, counts, waiting } = look;
  const { packages = 0 } = look.head;
  const news = [
    ...(sets.length > 0 ? [sentFor(sets)] : []),
    ...(waiting === undefined ? [] : [`${describeCounts(counts) || 'nothing more changed'}: ${waitingWords(waiting)}`]),
  ];
  if (news.length === 0) news.push(isBaseline ? 'nothing to compare with yet' : 'nothing changed');
  const summary = [`${packages} packages`, ...(isBaseline ? ['first look'] : []), news.join('; ')].join(', ');
  return { summary, watch, packages, pages, isBaseline, ...sentFacts(sets), waitsUntil: waiting?.until };
}

/** The answer of a poll that did not see the last page. */
function unfinishedAnswer(
  watch: string,
  { pages, why }: { readonly pages: number; readonly why: string },
  { leftover, waiting }: { readonly leftover: readonly PackageChangeSet[]; readonly waiting: Waiting | undefined },
): TickAnswer {
  const summary = [
    ...(pages === 0
      ? [why, 'a later poll looks']
      : [`cut off after page ${pages}: ${why}`, 'the next poll begins at the first page']),
    ...(leftover.length === 0 ? [] : [`from before: ${sentFor(leftover)}`]),
    ...(waiting === undefined ? [] : [waitingWords(waiting)]),
  ].join('; ');
  return { summary, watch, pages, isUnfinished: true, ...sentFacts(leftover), waitsUntil: waiting?.until };
}

function sentFor(sets: readonly PackageChangeSet[]): string {
  return `${sets.map(describeSetCounts).join(', ')}: ${sentWords(sentFacts(sets).starts)}`;
}

function waitingWords({ since, until }: Waiting): string {
  return `the change set of ${since} waits until ${until} for more`;
}
