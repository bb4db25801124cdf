import { toError } from '#shared/errors/app-error.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import {
  endOfPass,
  isSameScope,
  passToWalk,
  type Progress,
  type ReconcileDeps,
  type ReconcileHead,
  sinceByPrefix,
  takeReconcileHead,
} from './pass.ts';
import { closeCorrected } from './close-corrected.ts';
import { lookAtSchedules } from './look-at-schedules.ts';
import { type OpenSweep, sweepOpenRows } from './sweep-open-rows.ts';
import { walkBucket, type Walked } from './walk-bucket.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { isParkReason, type ParkReason } from '#shared/vocabulary/reason-codes.ts';

/**
 * Kept for the last page, its rows and the row of the reconciler; a third of the time if the
 * function has little of it.
 */
const reserveMs = 15_000;

/**
 * One tick: looks at what is open, counts what is parked and closes what was corrected, and goes on with its pass over the bucket. What it finds it
 * sends to the queue of the worker that decides. Errors escape; what was done until then is remembered.
 */
export async function reconcile(deps: ReconcileDeps): Promise<TickAnswer> {
  const { ledger, attemptId: owner, reports } = deps;
  const startedAt = deps.now();
  const head = await takeReconcileHead({ ledger, owner, now: startedAt, remainingMs: deps.remainingMs() });
  if (head === undefined) return { summary: 'another reconciler is under way; this one has nothing to do' };

  const neededMs = Math.min(reserveMs, deps.remainingMs() / 3);
  const hasTime = () => deps.remainingMs() > neededMs;
  let progress = inScope(head.progress, deps.watched, startedAt);
  const remember = (next: Progress) => void (progress = next);
  try {
    const swept = await sweep(deps, progress.sweptAt, startedAt, hasTime);
    remember({ ...progress, sweptAt: startedAt.toISOString() });
    const parked = await lookAtParked(deps, hasTime);
    // A bus that takes no notice must not keep lost uploads from being found.
    const [looked] = await Promise.allSettled([lookAtSchedules({ ...deps.silence, ledger, reports, now: deps.now })]);
    const walked = await walk(deps, progress, hasTime, remember);
    if (looked.status === 'rejected') throw toError(looked.reason);
    reports.count(metricNames.reconcilerHeartbeat, 1);
    return answer({ swept, look: parked, walked, silent: looked.value }, deps);
  } finally {
    await release(head, progress, deps);
  }
}

/** A scope that changed may reach further back: the pass under way and the last one say nothing about it. */
function inScope(progress: Progress, watched: ReconcileDeps['watched'], now: Date): Progress {
  const since = sinceByPrefix(watched, progress.since, now);
  if (isSameScope(since, progress.since)) return progress;
  return { since, sweptAt: progress.sweptAt };
}

async function sweep(
  deps: ReconcileDeps,
  sweptAt: string | undefined,
  now: Date,
  hasTime: () => boolean,
): Promise<OpenSweep> {
  const looks = { last: sweptAt === undefined ? undefined : new Date(sweptAt), now };
  const swept = await sweepOpenRows(deps, looks, hasTime);
  const oldestMs = swept.oldestSince === undefined ? 0 : now.getTime() - Date.parse(swept.oldestSince);
  deps.reports.level(metricNames.oldestOpenSeconds, Math.max(0, Math.round(oldestMs / 1000)));
  return swept;
}

/** What waits for a person, and what no longer has to. */
interface ParkedLook {
  readonly parked: number;
  readonly corrected: number;
}

async function lookAtParked(deps: ReconcileDeps, hasTime: () => boolean): Promise<ParkedLook> {
  const { counts, failed } = await listParked(deps.ledger, hasTime);
  const corrected = await closeCorrected(deps, failed, hasTime);
  if (corrected > 0) counts.set('CHECK_FAILED', (counts.get('CHECK_FAILED') ?? 0) - corrected);
  const parked = [...counts.values()].reduce((sum, count) => sum + count, 0);
  deps.reports.level(metricNames.parkedOpen, parked);
  for (const [reason, count] of counts) if (count > 0) deps.reports.level(metricNames.parkedOpen, count, reason);
  return { parked, corrected };
}

async function walk(
  deps: ReconcileDeps,
  progress: Progress,
  hasTime: () => boolean,
  remember: (progress: Progress) => void,
): Promise<Walked> {
  const { pass: _pass, ...before } = progress;
  const { since: scope, lastPass } = before;
  // If the reconciler does not look, there is no value at all.
  deps.reports.count(metricNames.reconcilerFound, 0);
  const walked = await walkBucket(deps, {
    pass: passToWalk(progress, deps.now()),
    scope,
    lastPassAt: lastPass === undefined ? undefined : new Date(lastPass.startedAt),
    hasTime,
    onProgress: (pass) => remember({ ...before, pass }),
  });
  remember({ ...before, ...(walked.isComplete ? endOfPass(walked.pass) : { pass: walked.pass }) });
  return walked;
}

/** What the parts of a tick came to. */
interface Looked {
  readonly swept: OpenSweep;
  readonly look: ParkedLook;
  readonly walked: Walked;
  readonly silent: readonly string[];
}

function answer({ swept, look, walked, silent }: Looked, { reports }: ReconcileDeps): TickAnswer {
  const { parked, corrected } = look;
  const { listed, found, isComplete } = walked;
  const askedAgain = swept.asked + walked.askedAgain;
  const facts = { listed, found, askedAgain, parked, corrected, silent, isComplete };
  const summary = [
    `${listed} ${listed === 1 ? 'version' : 'versions'} listed${isComplete ? '' : ' of a pass that goes on'}`,
    found === 0 ? 'all known' : `${found} without a notification`,
    ...(askedAgain === 0 ? [] : [`${askedAgain} silent for too long and sent again`]),
    ...(corrected === 0 ? [] : [`${corrected} closed by a corrected upload`]),
    `${parked} parked`,
    ...(silent.length === 0 ? [] : [`silent: ${silent.join(', ')}`]),
  ].join(', ');
  reports.log.info(logEvents.ledgerReconciled, summary, facts);
  return { summary, ...facts };
}

async function release(head: ReconcileHead, progress: Progress, { reports }: ReconcileDeps): Promise<void> {
  try {
    if (await head.release(progress)) return;
    reports.log.warn(logEvents.failed, 'another tick took the row of the reconciler; what this one did is done again');
  } catch (error) {
    const what = 'the progress could not be written; the lease ends by itself, and what was done is done again';
    reports.log.warn(logEvents.failed, what, { error: toError(error) });
  }
}

/** 5,000 rows: of more, no person needs the exact number. */
const mostPages = 50;

/** How many rows wait for a person, by reason, and the uploads among them that failed their check; some thousands are looked at. */
async function listParked(ledger: Ledger, hasTime: () => boolean) {
  const counts = new Map<ParkReason, number>();
  const failed: Stored<UploadRow>[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && hasTime(); page += 1) {
    const parked = await ledger.listOpen('PARKED', { cursor });
    for (const row of parked.items) {
      const reason = reasonOf(row);
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      if (row.kind === 'upload' && reason === 'CHECK_FAILED') failed.push(row);
    }
    cursor = parked.next;
    if (cursor === undefined) break;
  }
  return { counts, failed };
}

function reasonOf(row: Stored): ParkReason | undefined {
  const reason = 'outcome' in row ? row.outcome?.reason : undefined;
  return reason !== undefined && isParkReason(reason) ? reason : undefined;
}
