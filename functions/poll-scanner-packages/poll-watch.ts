import { createHash } from 'node:crypto';
import { toError } from '#shared/errors/app-error.ts';
import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { chunkCount, isOverdue, type PollDeps, takeWatch, waitsUntil, type WatchHead } from './poll-state.ts';
import { closeChangeSet } from './change-set.ts';
import {
  cutAnswer,
  gateAnswer,
  pollAnswer,
  reportChanges,
  takeBaseline,
  underWayAnswer,
  type Waiting,
} from './look.ts';
import { walkPackages } from './walk/walk-packages.ts';

/**
 * One poll of one watch. It takes its lease, finishes what a dead poll left, walks every page,
 * compares, and acts on settled changes. Every error escapes. A walk that did not see the last page
 * changes nothing; the next poll goes on with it. At a closed gate there is nothing to do.
 */
export async function pollWatch(watch: ResolvedPackageWatch, deps: PollDeps): Promise<TickAnswer> {
  const { ledger, now, attemptId: owner } = deps;
  const { log } = deps.reports;
  const filtersHash = hashOfFilters(watch.filters);

  const head = await takeWatch({ ledger, watch: watch.name, filtersHash, owner, now });
  if (head === undefined) {
    log.info(logEvents.packagesWalked, 'another poll of this watch is under way; this one has nothing to do', {
      watch: watch.name,
    });
    return underWayAnswer(watch.name);
  }

  try {
    const { changeSet } = head.current();
    const isLeftover = changeSet !== undefined && (changeSet.isClosing || isOverdue(changeSet, watch, now()));
    const leftover = isLeftover ? await closeChangeSet(head, deps) : undefined;
    const waiting = () => waitOf(head, watch);
    if ((await deps.gate.waitMs(deps.remainingMs)) > 0) return gateAnswer(watch.name, { leftover, waiting: waiting() });
    const end = await walkPackages({ filters: watch.filters, filtersHash, head, deps });
    if (end.kind === 'cut') return cutAnswer(watch.name, end, { leftover, waiting: waiting() });

    const { walk } = end;
    const isBaseline = head.current().baselineAt === undefined || head.current().filtersHash !== filtersHash;
    const look = await (isBaseline
      ? takeBaseline(walk, head, filtersHash, deps)
      : reportChanges(walk, head, watch, deps));
    return pollAnswer(watch.name, look, { leftover, waiting: waiting() });
  } finally {
    await head.release().catch((error: unknown) => {
      log.warn(logEvents.failed, 'the lease could not be given back; it ends by itself', { error: toError(error) });
    });
  }
}

function waitOf(head: WatchHead, watch: ResolvedPackageWatch): Waiting | undefined {
  const { changeSet } = head.current();
  return changeSet === undefined
    ? undefined
    : { since: changeSet.since, until: waitsUntil(changeSet, watch).toISOString() };
}

/** What is known is of no use with other filters, nor in rows that are laid out otherwise. */
function hashOfFilters(filters: ResolvedPackageWatch['filters']): string {
  const sorted = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([chunkCount, sorted]))
    .digest('hex')
    .slice(0, 16);
}
