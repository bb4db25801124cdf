import { createHash } from 'node:crypto';
import { AppError, toError } from '../../shared/errors/app-error.ts';
import type { ResolvedPackageWatch } from '../../shared/config/resolved-automation.ts';
import type { TickAnswer } from '../../shared/messages/tick-answer.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import type { PollDeps } from './deps.ts';
import { finishChangeSet } from './finish-change-set.ts';
import { reportChanges, takeBaseline } from './look.ts';
import { pollAnswer, underWayAnswer } from './poll-answer.ts';
import { walkPackages } from './walk-packages.ts';
import { takeWatch, type WatchHead } from './watch-head.ts';

/** Room for the longest request and for the writes after the walk; a third of the time where the function has little of it. */
const reserveMs = 45_000;

/**
 * One poll of one watch: takes its lease, finishes what a dead poll left, walks every page, compares, and acts on what changed. Whatever goes
 * wrong escapes; a walk that did not see the last page changes nothing, and the next poll begins it anew.
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
    const leftover = head.item().changeSet?.isClosing === true ? await finishChangeSet(head, deps) : undefined;
    const walk = await walkPackages(deps.listing(watch.filters), mayGoOn(head, deps));
    const isBaseline = head.item().baselineAt === undefined || head.item().filtersHash !== filtersHash;
    const look = await (isBaseline
      ? takeBaseline(walk, head, filtersHash, deps)
      : reportChanges(walk, head, watch.onChange, deps));
    return pollAnswer(watch.name, look, leftover);
  } finally {
    await head.release().catch((error: unknown) => {
      log.warn(logEvents.failed, 'the lease could not be given back; it ends by itself', { error: toError(error) });
    });
  }
}

/** Called between two pages. */
function mayGoOn(head: WatchHead, deps: PollDeps): () => Promise<void> {
  const neededMs = Math.min(reserveMs, deps.remainingMs() / 3);
  return async () => {
    if (deps.remainingMs() < neededMs) {
      throw new AppError(
        `the walk of ${head.item().name} takes longer than the function has; nothing was concluded from it`,
        {
          code: 'OUT_OF_TIME',
          retryable: true,
        },
      );
    }
    await head.renewLease();
  };
}

function hashOfFilters(filters: ResolvedPackageWatch['filters']): string {
  const sorted = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
}
