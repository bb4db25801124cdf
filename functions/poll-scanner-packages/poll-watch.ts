import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { PackageChangeSet, WatchRow } from '#shared/ledger/rows/watch-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { Tick } from '../_handler/handlers.ts';
import { changeSetId, finishChangeSet, type ChangeSetDeps } from '../_watch/change-set.ts';
import { lookOf, sentFacts, sentWords, type WatchedRow } from '../_watch/watched-row.ts';
import {
  type ChangeCounts,
  describeCounts,
  describeSetCounts,
  isOverdue,
  outgoingOfPackages,
  waitsUntil,
} from './change-set.ts';
import { decideLook, type LookDecision } from './decide-look.ts';
import { changedRows, hashOfFilters, readWatch } from './known-packages.ts';
import { type WalkDeps, walkPackages } from './walk-packages.ts';
import { countOf } from '#shared/changes/words.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';

/** What one poll works with. */
export interface PollDeps extends WalkDeps, ChangeSetDeps, Pick<Tick, 'attemptId'> {
  readonly reports: ChangeSetDeps['reports'];
}

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
  const { ledger, now, attemptId, reports } = deps;
  const filtersHash = hashOfFilters(watch.filters);
  const known = await readWatch(watch.name, filtersHash, ledger);
  const { head } = known;
  const leftover = await sendLeftover(head, watch, deps);
  const pending = (): Pending => ({ leftover, waiting: waitOf(head.current(), watch) });

  if ((await deps.gate.waitMs(deps.remainingMs)) > 0) {
    return unfinishedAnswer(watch.name, { pages: 0, why: 'no worker calls the gateway at the moment' }, pending());
  }
  const walk = await walkPackages(watch, deps);
  if (walk.kind === 'cut') return unfinishedAnswer(watch.name, walk, pending());

  const { seen, pages } = walk;
  const at = now();
  const newId = changeSetId(watch.name, at.toISOString(), attemptId);
  const facts = { watch, head: head.current(), known: known.packages, seen, filtersHash, now: at, newId };
  const decision = decideLook(facts);
  await head.write(decision.head, changedRows(watch.name, known, decision.packages));
  report(watch.name, pages, { before: facts.head, decision }, reports);
  const closed = await sendClosing(head, watch, deps);
  const { isBaseline, counts } = decision;
  return pollAnswer(watch.name, { packages: seen.size, pages, isBaseline, counts, closed }, pending());
}

/** A set that has waited for as long as any may is closed without a look. */
async function sendLeftover(head: Head, watch: ResolvedPackageWatch, deps: PollDeps) {
  const { changeSet, ...rest } = head.current();
  if (changeSet !== undefined && !changeSet.isClosing && isOverdue(changeSet, watch, deps.now()))
    await head.write({ ...rest, changeSet: { ...changeSet, isClosing: true } });
  return sendClosing(head, watch, deps);
}

async function sendClosing(head: Head, { name }: ResolvedPackageWatch, deps: PollDeps) {
  if (head.current().changeSet?.isClosing !== true) return undefined;
  return finishChangeSet(head, (set) => outgoingOfPackages(name, set), deps);
}

function waitOf({ changeSet }: WatchRow, watch: ResolvedPackageWatch): Pending['waiting'] {
  if (changeSet === undefined) return undefined;
  return { since: changeSet.since, until: waitsUntil(changeSet, watch).toISOString() };
}

function report(
  watch: string,
  pages: number,
  { before, decision }: { readonly before: WatchRow; readonly decision: LookDecision },
  { log }: PollDeps['reports'],
): void {
  const { head, isBaseline, counts } = decision;
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

/** What one complete look at a listing came to. */
interface Look {
  readonly packages: number;
  readonly pages: number;
  readonly isBaseline: boolean;
  /** What this look found. */
  readonly counts: ChangeCounts;
  /** The change set that this look closed. */
  readonly closed: PackageChangeSet | undefined;
}

/** What a poll finds in the head row beside its own look. */
interface Pending {
  /** A change set that was sent before the look. */
  readonly leftover: PackageChangeSet | undefined;
  /** A change set that is open when the poll ends: since when, and until when it waits for more. */
  readonly waiting: { readonly since: string; readonly until: string } | undefined;
}

/** A poll's answer: `288 packages, 1 changed: start of smoke sent`. */
function pollAnswer(watch: string, look: Look, { leftover, waiting }: Pending): TickAnswer {
  const { packages, pages, isBaseline, closed } = look;
  const sets = [leftover, closed].filter((set) => set !== undefined);
  const news = [
    ...(sets.length > 0 ? [sentFor(sets)] : []),
    ...(waiting === undefined
      ? []
      : [`${describeCounts(look.counts) || 'nothing more changed'}: ${waitingWords(waiting)}`]),
  ];
  if (news.length === 0) news.push(isBaseline ? 'nothing to compare with yet' : 'nothing changed');
  const summary = [`${packages} packages`, ...(isBaseline ? ['first look'] : []), news.join('; ')].join(', ');
  return { summary, watch, packages, pages, isBaseline, ...sentFacts(sets), waitsUntil: waiting?.until };
}

/** The answer of a poll that did not see the last page. */
function unfinishedAnswer(
  watch: string,
  { pages, why }: { readonly pages: number; readonly why: string },
  { leftover, waiting }: Pending,
): TickAnswer {
  const sets = leftover === undefined ? [] : [leftover];
  const summary = [
    ...(pages === 0
      ? [why, 'a later poll looks']
      : [`cut off after page ${pages}: ${why}`, 'the next poll begins at the first page']),
    ...(leftover === undefined ? [] : [`from before: ${sentFor(sets)}`]),
    ...(waiting === undefined ? [] : [waitingWords(waiting)]),
  ].join('; ');
  return { summary, watch, pages, isUnfinished: true, ...sentFacts(sets), waitsUntil: waiting?.until };
}

function sentFor(sets: readonly PackageChangeSet[]): string {
  return `${sets.map(describeSetCounts).join(', ')}: ${sentWords(sentFacts(sets).starts)}`;
}

function waitingWords({ since, until }: NonNullable<Pending['waiting']>): string {
  return `the change set of ${since} waits until ${until} for more`;
}
