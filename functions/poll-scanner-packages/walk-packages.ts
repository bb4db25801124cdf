import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import { AppError } from '#shared/errors/app-error.ts';
import { BadStatusError, type GatewayClient, type ScannerPackageFilters } from '#shared/gateway-client/index.ts';
import type { PackageFingerprint } from '#shared/ledger/rows/watch-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { Tick } from '../_handler/handlers.ts';
import { askGateway } from '../_watch/watched-row.ts';
import { fingerprintOf, type Fingerprints, mostPackages, WatchTooLargeError } from './known-packages.ts';

/** What a walk works with. */
export interface WalkDeps extends Pick<Tick, 'remainingMs'> {
  readonly gateway: Pick<GatewayClient, 'listScannerPackages'>;
  /** Asked before the walk and between its pages. */
  readonly gate: Gate;
  readonly reports: Pick<Tick['reports'], 'log'>;
}

/** A walk that saw the last page, or why it was cut off: then nothing is concluded from it. */
export type WalkEnd =
  | { readonly kind: 'complete'; readonly pages: number; readonly seen: Fingerprints }
  | { readonly kind: 'cut'; readonly pages: number; readonly why: string };

/** The most that the interface gives at once. */
const pageSize = 100;

/** A package that is created during a walk comes last, and moves no other to a page already seen. */
const oldestFirst = { sortBy: 'created_at', ascending: true };

/**
 * So many pages in a row without a package that earlier pages did not list: the listing has no end.
 */
const mostIdlePages = 20;

/**
 * Room for the longest request and for the writes after the walk; a third of the time if the
 * function has little of it.
 */
const reserveMs = 45_000;

type Watch = Pick<ResolvedPackageWatch, 'name' | 'filters'>;

/**
 * Walks every page of a listing. A cursor that has expired is followed by one walk from the first
 * page.
 * @throws WatchTooLargeError, AppError LISTING_ENDLESS or WALK_TOO_SLOW, and each failure of the
 *   gateway but a pause
 */
export async function walkPackages(watch: Watch, deps: WalkDeps): Promise<WalkEnd> {
  try {
    return await walkOnce(watch, deps);
  } catch (error) {
    if (!(error instanceof ExpiredCursorError)) throw error;
    const sentence = 'the gateway does not take its cursor any more: from the first page';
    deps.reports.log.warn(logEvents.walkCut, sentence, { watch: watch.name });
  }
  return walkOnce(watch, deps).catch((error: unknown) => {
    throw error instanceof ExpiredCursorError ? error.cause : error;
  });
}

async function walkOnce({ name, filters }: Watch, deps: WalkDeps): Promise<WalkEnd> {
  const mostNeededMs = Math.min(reserveMs, deps.remainingMs() / 3);
  const listed = deps.gateway.listScannerPackages({
    // Synth has checked the names and types of the filters.
    ...(filters as ScannerPackageFilters),
    limit: pageSize,
    ...oldestFirst,
  });
  const seen = new Map<string, PackageFingerprint>();
  let idlePages = 0;
  for (let pages = 0; ; pages += 1) {
    const answer = await askGateway(ledgerKeys.watch(name), () => nextPage(listed, pages), deps);
    if (answer === undefined) return cut(name, pages, 'the gateway asked for a pause', deps);
    if (answer.done === true) return { kind: 'complete', pages, seen };

    const { packages, next } = answer.value;
    const before = seen.size;
    // Of a package that moved between pages and is listed twice, what was seen last.
    for (const one of packages) seen.set(one.id, fingerprintOf(one));
    idlePages = seen.size > before ? 0 : idlePages + 1;
    if (seen.size > mostPackages) throw new WatchTooLargeError(name, `more than ${mostPackages} packages`);
    if (next === undefined) return { kind: 'complete', pages: pages + 1, seen };
    if (idlePages >= mostIdlePages) throw endless(name, pages + 1);
    if (deps.remainingMs() < mostNeededMs) throw tooSlow(name, pages + 1);
    if ((await deps.gate.waitMs(deps.remainingMs)) > 0)
      return cut(name, pages + 1, 'no worker calls the gateway at the moment', deps);
  }
}

/** The gateway does not take a cursor that it gave a moment ago. */
class ExpiredCursorError extends Error {}

/** How a gateway says that a cursor is too old. On the first page the same is about the request. */
const refusalsOfCursor: ReadonlySet<number> = new Set([400, 404, 410, 422]);

async function nextPage<Page>(listed: AsyncIterator<Page>, pages: number): Promise<IteratorResult<Page>> {
  try {
    return await listed.next();
  } catch (error) {
    const isOfGateway = error instanceof BadStatusError && error.speaker === undefined;
    const isExpired = pages > 0 && isOfGateway && refusalsOfCursor.has(error.status);
    throw isExpired ? new ExpiredCursorError(error.message, { cause: error }) : error;
  }
}

function cut(watch: string, pages: number, why: string, { reports }: WalkDeps): WalkEnd {
  reports.log.info(logEvents.walkCut, `cut off after page ${pages}: ${why}`, { watch, pages });
  return { kind: 'cut', pages, why };
}

function endless(watch: string, pages: number): AppError {
  return new AppError(
    `the listing of the watch ${watch} goes on after page ${pages}, and its last ${mostIdlePages} pages list no other package: nothing was concluded`,
    { code: 'LISTING_ENDLESS', retryable: true },
  );
}

function tooSlow(watch: string, pages: number): AppError {
  return new AppError(
    `the time of the look of ${watch} was up after page ${pages}, and the listing goes on: nothing was concluded. ` +
      'Raise gateway.requestsPerSecond.reads, or narrow the filters of the watch',
    { code: 'WALK_TOO_SLOW', retryable: true },
  );
}
