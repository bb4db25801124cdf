import { BadStatusError, classifyFailure, GatewayError } from '#shared/gateway-client/index.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { Listing, PollDeps, WatchHead } from '../poll-state.ts';
import { addPage, newWalk, type Walk } from './walk.ts';
import { forgetWalk, isStuck, resumeWalk, saveWalk } from './walk-rows.ts';
/**
 * A walk that saw the last page, or why it was cut off. Nothing is concluded from a walk that was
 * cut off, and the next poll continues it.
 */
export type WalkEnd =
  | { readonly kind: 'complete'; readonly walk: CompleteWalk }
  | { readonly kind: 'cut'; readonly pages: number; readonly why: string };

/** A walk that saw the last page. */
export type CompleteWalk = Omit<Walk, 'cursor'>;

/** What the walk of one watch works with. */
export interface WalkWork {
  readonly filters: Parameters<Listing>[0];
  readonly filtersHash: string;
  readonly head: WatchHead;
  readonly deps: PollDeps;
}

/**
 * Room for the longest request and for the writes after the walk; a third of the time if the
 * function has little of it.
 */
const reserveMs = 45_000;

/** For each row that a long walk has saved: it is read twice, compared and written. */
const reservePerRowMs = 200;

/** A poll that is killed loses this much of its walk at most. Most walks are shorter, and write nothing on their way. */
const saveEveryMs = 60_000;

/** Packages that are held in memory at most, beside those of one page: about 10 MB. */
const mostUnsaved = 10_000;

/**
 * Walks every page of a listing, or the rest of it after an earlier poll was cut off. A cursor that
 * the gateway does not take any more is followed by one walk from the first page.
 * @throws any other error of the gateway. The pages walked until then are kept for the next poll,
 *   unless it would fail there again, or has failed there for an hour
 */
export async function walkPackages(work: WalkWork): Promise<WalkEnd> {
  const { head, deps, filtersHash } = work;
  const walk = await resumeWalk(head, filtersHash, deps);
  try {
    return await walkOn(walk, work);
  } catch (error) {
    if (!isRefusedCursor(error, walk)) throw error;
    const { name } = head.current();
    deps.reports.log.warn(logEvents.walkCut, 'the gateway does not take its cursor any more: from the first page', {
      watch: name,
    });
    await forgetWalk(head);
    return walkOn(newWalk(`${deps.attemptId}-again`, filtersHash, walk.known), work);
  }
}

async function walkOn(walk: Walk, work: WalkWork): Promise<WalkEnd> {
  try {
    return await walkPages(walk, work);
  } catch (error) {
    if (!(error instanceof GatewayError) || isRefusedCursor(error, walk)) throw error;
    return afterFailure(walk, work, error);
  }
}

async function walkPages(walk: Walk, work: WalkWork): Promise<WalkEnd> {
  const { head, deps, filters } = work;
  const { cursor, pages } = walk;
  const mostNeededMs = deps.remainingMs() / 3;
  let savedAtMs = deps.now().getTime();

  for await (const page of deps.listing(filters, { cursor, pages })) {
    addPage(walk, page);
    await deps.gate.answered();
    if (page.next === undefined) continue;
    await head.renewLease();
    const neededMs = reserveMs + walk.parts.length * reservePerRowMs;
    if (deps.remainingMs() < Math.min(neededMs, mostNeededMs)) return cut(walk, work, 'the time of this poll is up');
    if ((await deps.gate.waitMs(deps.remainingMs)) > 0)
      return cut(walk, work, 'no worker calls the gateway at the moment');
    if (walk.unsavedCount < mostUnsaved && deps.now().getTime() - savedAtMs < saveEveryMs) continue;
    await saveWalk(walk, head, deps);
    savedAtMs = deps.now().getTime();
  }
  // Before anything is concluded: the end of one walk must not be counted as two.
  await forgetWalk(head);
  return { kind: 'complete', walk };
}

/** A pause that the gateway asks for is no error of the poll. */
async function afterFailure(walk: Walk, work: WalkWork, error: GatewayError): Promise<WalkEnd> {
  const { head, deps } = work;
  const verdict = classifyFailure('get', error);
  await deps.gate.failed(verdict, head.current().pk);
  if (verdict.pauseMs !== undefined) return cut(walk, work, error.message);
  if (verdict.next === 'park' || isStuck(walk, head, deps.now())) await forgetWalk(head);
  else await saveWalk(walk, head, deps);
  throw error;
}

async function cut(walk: Walk, { head, deps }: WalkWork, why: string): Promise<WalkEnd> {
  await saveWalk(walk, head, deps);
  const { pages } = walk;
  deps.reports.log.info(logEvents.walkCut, `cut off after page ${pages}: ${why}`, {
    watch: head.current().name,
    pages,
  });
  return { kind: 'cut', pages, why };
}

/** How a gateway says that a cursor is none of its own, or is too old. On the first page the same is about the request. */
const refusalsOfCursor: ReadonlySet<number> = new Set([400, 404, 410, 422]);

function isRefusedCursor(error: unknown, { cursor }: Walk): boolean {
  return cursor !== undefined && error instanceof BadStatusError && refusalsOfCursor.has(error.status);
}
