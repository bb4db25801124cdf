import { createHash } from 'node:crypto';
import type { ResolvedChangeRule } from '../../shared/config/resolved-automation.ts';
import type { ChangeSet, FoundInChunk, WatchItem } from '../../shared/ledger/items.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { withoutLease } from '../_runtime/leased-row.ts';
import { addFound, closingChangeSet, openChangeSet } from './change-set.ts';
import { comparePackages, type FoundChange } from './compare-packages.ts';
import type { PollDeps } from './deps.ts';
import { finishChangeSet } from './finish-change-set.ts';
import type { Look } from './poll-answer.ts';
import { selectStarts } from './select-starts.ts';
import type { CompleteWalk } from './walk-packages.ts';
import { chunkOf, foundAfter, packagesOf, planChunkWrites, readChunks, writeChunks } from './watch-chunks.ts';
import type { WatchHead } from './watch-head.ts';

/** The first look, or the first with other filters: what is there is noted, nothing is reported. */
export async function takeBaseline(
  walk: CompleteWalk,
  head: WatchHead,
  filtersHash: string,
  deps: PollDeps,
): Promise<Look> {
  const { name: watch } = head.item();
  const chunks = await readChunks(deps.ledger, watch);
  const writes = planChunkWrites({ watch, chunks, next: walk.seen, foundIn: () => undefined });

  // First the head: a baseline that is cut is a baseline again, also when the filters are changed back in between.
  const { baselineAt: _, changeSet, ...rest } = head.item();
  const found = changeSet === undefined ? {} : { changeSet: closingChangeSet(changeSet, foundAfter(chunks, [])) };
  await head.write({ ...rest, filtersHash, ...found });
  const closed = await finishChangeSet(head, deps);
  await writeChunks(deps.ledger, writes, head.renewLease);

  await head.write(withoutLease({ ...head.item(), baselineAt: deps.now().toISOString(), ...walkedNow(walk, deps) }));
  deps.reports.log.info(logEvents.packagesBaseline, 'first look at this listing: noted, nothing reported', {
    watch,
    pages: walk.pages,
    packages: walk.seen.size,
  });
  return { packages: walk.seen.size, pages: walk.pages, isBaseline: true, closed };
}

/**
 * Compares a walk with the last look and acts on the differences. What keeps every change, and keeps it single: a set with a fixed id is in
 * the ledger before any fingerprint; a fingerprint and the change that it makes known are one write, which names the set; and the set is
 * closed to further changes before anything is sent for it.
 */
export async function reportChanges(
  walk: CompleteWalk,
  head: WatchHead,
  rules: readonly ResolvedChangeRule[],
  deps: PollDeps,
): Promise<Look> {
  const { ledger } = deps;
  const { name: watch } = head.item();
  const chunks = await readChunks(ledger, watch);
  const { changes, next } = comparePackages(packagesOf(chunks), walk.seen);
  const changeSet = head.item().changeSet ?? (changes.length > 0 ? openChangeSet(newIdentity(watch, deps)) : undefined);
  const writes = planChunkWrites({ watch, chunks, next, foundIn: foundFor(changeSet, changes, rules) });

  if (changeSet !== undefined && head.item().changeSet === undefined) {
    await head.write({ ...head.item(), changeSet });
    deps.reports.log.info(logEvents.changeSet, 'change set opened', { watch, changeSet: changeSet.id });
  }
  await writeChunks(ledger, writes, head.renewLease);
  if (changeSet !== undefined) {
    await head.write({ ...head.item(), changeSet: closingChangeSet(changeSet, foundAfter(chunks, writes)) });
  }
  const closed = await finishChangeSet(head, deps);

  await head.write(withoutLease({ ...head.item(), ...walkedNow(walk, deps) }));
  deps.reports.log.info(logEvents.packagesWalked, `${walk.seen.size} packages walked, ${changes.length} changed`, {
    watch,
    pages: walk.pages,
    packages: walk.seen.size,
    changes: changes.length,
  });
  return { packages: walk.seen.size, pages: walk.pages, isBaseline: false, closed };
}

/** What each chunk's row has to say for the set. */
function foundFor(set: ChangeSet | undefined, changes: readonly FoundChange[], rules: readonly ResolvedChangeRule[]) {
  const byChunk = Map.groupBy(changes, ({ packageId }) => chunkOf(packageId));
  return (chunk: number, before: FoundInChunk | undefined): FoundInChunk | undefined => {
    if (set === undefined) return undefined;
    const inChunk = byChunk.get(chunk) ?? [];
    const bare = inChunk.map(({ kind, packageId, name, fields }) => ({ kind, packageId, name, fields }));
    return addFound(before, { changeSet: set.id, changes: bare, starts: selectStarts(inChunk, rules) });
  };
}

function newIdentity(watch: string, { now, attemptId }: PollDeps): Pick<ChangeSet, 'id' | 'since'> {
  const since = now().toISOString();
  const unique = createHash('sha256').update(`${watch} ${since} ${attemptId}`).digest('hex').slice(0, 8);
  return { id: `${since}-${unique}`, since };
}

function walkedNow(walk: CompleteWalk, { now }: PollDeps): Pick<WatchItem, 'walkedAt' | 'packages'> {
  return { walkedAt: now().toISOString(), packages: walk.seen.size };
}
