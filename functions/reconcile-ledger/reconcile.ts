import { isDeepStrictEqual } from 'node:util';
import { toError } from '#shared/errors/app-error.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { openRows } from '#shared/ledger/open-rows.ts';
import type { ReconcileRow } from '#shared/ledger/rows/reconcile-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { isParkReason, type ParkReason } from '#shared/vocabulary/reason-codes.ts';
import { findMissedNotifications, type FoundVersions } from './missed-notifications.ts';
import { findSilentSchedules, type SilenceDeps } from './silent-schedules.ts';
import { findSilentUploads } from './silent-uploads.ts';
import type { ReconcileTick } from './tick.ts';
import { sinceByPrefix, type WatchedPrefix } from './watched-prefixes.ts';

/** What one tick works with. */
export interface ReconcileDeps extends ReconcileTick {
  readonly watched: readonly WatchedPrefix[];
  /** Keys of rows that this environment has seen. */
  readonly known: Set<string>;
  readonly silence: Pick<SilenceDeps, 'config' | 'deployed' | 'bus' | 'stageWords'>;
  readonly remainingMs: () => number;
  /** Unique for this tick: owner of its lease. */
  readonly attemptId: string;
}

/** What the row remembers from tick to tick. */
type Progress = Omit<ReconcileRow, 'pk' | 'kind' | 'lease'>;

/**
 * Kept for the last page, its rows and the row of the reconciler; a third of the time if the
 * function has little of it.
 */
const reserveMs = 15_000;

/**
 * One tick: looks at uploads under way, counts what is parked, judges the schedules, and goes on
 * with its pass over the bucket. What it finds it sends to the queue of the worker that decides.
 * Errors escape; what was done until then is remembered.
 */
export async function reconcile(deps: ReconcileDeps): Promise<TickAnswer> {
  const { ledger, reports } = deps;
  const startedAt = deps.now();
  const taken = await takeRow(deps, startedAt);
  if (taken === undefined) return { summary: 'another reconciler is under way; this one has nothing to do' };

  const neededMs = Math.min(reserveMs, deps.remainingMs() / 3);
  const hasTime = () => deps.remainingMs() > neededMs;
  const { sweptAt } = taken;
  let progress = progressOf(taken);
  const remember = (next: Partial<Progress>) => void (progress = { ...progress, ...next });
  try {
    const silentUploads = await findSilentUploads(deps, { last: sweptAt, now: startedAt }, hasTime);
    remember({ sweptAt: startedAt.toISOString() });
    const parked = await countParked(ledger, reports, hasTime);
    // A bus that takes no notice must not keep lost uploads from being found.
    const [looked] = await Promise.allSettled([findSilentSchedules({ ...deps, ...deps.silence }, progress)]);
    if (looked.status === 'fulfilled') remember(looked.value);
    // If the reconciler does not look, there is no value at all.
    reports.count(metricNames.reconcilerFound, 0);
    const search = { ...deps, scope: progress.since, hasTime, remember };
    const versions = await findMissedNotifications(search, progress);
    if (looked.status === 'rejected') throw toError(looked.reason);
    reports.count(metricNames.reconcilerHeartbeat, 1);
    const askedAgain = silentUploads + versions.askedAgain;
    return answer({ ...versions, askedAgain, parked, silent: Object.keys(looked.value.silent ?? {}) }, deps);
  } finally {
    await release(taken, progress, deps);
  }
}

/** After the platform has cut the tick that holds it, and its clock may differ. */
const leaseMarginMs = 30_000;

/**
 * Takes the row until this tick certainly has ended; `undefined` while another tick holds it. The
 * row has the scope from now on: if nothing else can be written, the next tick looks as far back.
 */
async function takeRow(deps: ReconcileDeps, now: Date): Promise<Stored<ReconcileRow> | undefined> {
  const { ledger, attemptId: owner } = deps;
  const pk = ledgerKeys.reconcile();
  const found = await ledger.read<ReconcileRow>(pk);
  const held = found?.lease;
  if (held !== undefined && held.owner !== owner && Date.parse(held.until) > now.getTime()) return undefined;
  const until = new Date(now.getTime() + deps.remainingMs() + leaseMarginMs).toISOString();
  const progress = inScope(progressOf(found), deps.watched, now);
  return ledger.write<ReconcileRow>(found, { pk, kind: 'reconcile', ...progress, lease: { owner, until } });
}

function progressOf(row: Stored<ReconcileRow> | undefined): Progress {
  if (row === undefined) return { since: {} };
  const { pk: _pk, kind: _kind, lease: _lease, version: _version, writer: _writer, ...progress } = row;
  return progress;
}

async function release(taken: Stored<ReconcileRow>, progress: Progress, { ledger, reports }: ReconcileDeps) {
  const { pk, kind } = taken;
  try {
    if ((await ledger.write<ReconcileRow>(taken, { pk, kind, ...progress })) !== undefined) return;
    reports.log.warn(logEvents.failed, 'another tick took the row of the reconciler; what this one did is done again');
  } catch (error) {
    const what = 'the progress could not be written; the lease ends by itself, and what was done is done again';
    reports.log.warn(logEvents.failed, what, { error: toError(error) });
  }
}

/** A scope that changed may reach further back: the pass under way and the last one say nothing about it. */
function inScope(progress: Progress, watched: ReconcileDeps['watched'], now: Date): Progress {
  const since = sinceByPrefix(watched, progress.since, now);
  if (isDeepStrictEqual(since, progress.since)) return progress;
  return { ...progress, since, pass: undefined, lastPassAt: undefined, fullPassAt: undefined };
}

/** Of more rows, you need not know the exact number. */
const mostParked = 5000;

/** Counts the parked rows, by reason. */
async function countParked(ledger: Ledger, reports: ReconcileTick['reports'], hasTime: () => boolean): Promise<number> {
  const counts = new Map<ParkReason, number>();
  let parked = 0;
  for await (const row of openRows(ledger, 'PARKED')) {
    const reason = 'outcome' in row ? row.outcome?.reason : undefined;
    if (reason === undefined || !isParkReason(reason)) continue;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    parked += 1;
    if (parked === mostParked || !hasTime()) break;
  }
  reports.level(metricNames.parkedOpen, parked);
  for (const [reason, count] of counts) reports.level(metricNames.parkedOpen, count, reason);
  return parked;
}

/** What the parts of a tick came to. */
interface Looked extends FoundVersions {
  readonly parked: number;
  readonly silent: readonly string[];
}

function answer(facts: Looked, { reports }: ReconcileDeps): TickAnswer {
  const { listed, found, askedAgain, parked, silent, isComplete } = facts;
  const summary = [
    `${listed} ${listed === 1 ? 'version' : 'versions'} listed${isComplete ? '' : ' of a pass that goes on'}`,
    found === 0 ? 'all known' : `${found} without a notification`,
    ...(askedAgain === 0 ? [] : [`${askedAgain} silent for too long and sent again`]),
    `${parked} parked`,
    ...(silent.length === 0 ? [] : [`silent: ${silent.join(', ')}`]),
  ].join(', ');
  reports.log.info(logEvents.ledgerReconciled, summary, { ...facts });
  return { summary, ...facts };
}
