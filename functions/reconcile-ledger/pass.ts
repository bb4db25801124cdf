/**
 * Passes over the versions in the bucket: which versions a pass looks at, and what it leaves for the next. Pure.
 *
 * A listing is in the order of keys, so every pass lists every version (1,000 a request). What costs is the read of a row for each version,
 * and most versions are old and known. So a pass reads the rows of those only whose instant lies between
 *
 *     from  = the start of the last pass − grace (15 min) − look-back (1 h)        and
 *     until = its own start − grace (15 min).
 *
 * The last pass checked everything up to its own `until`; whatever was put later has a later instant. The look-back covers clocks that differ
 * and uploads in parts, whose instant is that of their beginning: one that took less than an hour is seen by the next pass. Longer ones, and
 * rows that a restore of the table took away, are seen once a day by a full pass, whose `from` is 30 days back. With 100,000 versions in the
 * bucket and 500 new ones a day that is 100 listing requests a pass and, at 12 passes an hour, about 23 row reads; 15,000 once a day.
 *
 * A version without a row whose message may still wait in its queue holds the next `from` back: it is looked at until it has a row.
 */
import type { ReconcileRow } from '#shared/ledger/rows/reconcile-row.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import { linkTestInObject } from '#shared/messages/link-test.ts';
import { isFolderMarker } from '#shared/uploads/object-key.ts';
import { type SinceByPrefix, sinceOf } from './scope.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** S3 notifies within seconds, as a rule; after this nobody is still on the way. */
const graceMs = 15 * minuteMs;
const lookBackMs = 60 * minuteMs;
const fullPassEveryMs = dayMs;
/** Older uploads are not looked for: their notification and its queue are long gone, and somebody has missed them. */
const oldestMs = 30 * dayMs;

/** A pass under way. */
export type Pass = NonNullable<ReconcileRow['pass']>;

/** Goes on with the pass that was interrupted, or begins the next. */
export function passToWalk(
  { pass, lastPass, fullPassAt }: Pick<ReconcileRow, 'pass' | 'lastPass' | 'fullPassAt'>,
  now: Date,
): Pass {
  if (pass !== undefined) return pass;
  const startedAt = now.toISOString();
  const isFull = lastPass === undefined || fullPassAt === undefined || isOver(fullPassAt, fullPassEveryMs, now);
  if (isFull) return { startedAt, isFull, from: before(startedAt, oldestMs) };
  const checkedUntil = lastPass.oldestWaiting ?? before(lastPass.startedAt, graceMs);
  return { startedAt, isFull, from: before(checkedUntil, lookBackMs) };
}

/**
 * Whether the row of a version is to be read in this pass. Weak versions (`null`) have no row of their own that could be found, and marks that a
 * doctor left behind when it was killed are no uploads.
 */
export function isToCheck(version: ListedVersion, pass: Pass, scope: SinceByPrefix): boolean {
  const since = sinceOf(scope, version.key);
  if (since === undefined || version.versionId === 'null' || isFolderMarker(version)) return false;
  if (linkTestInObject(version) !== undefined) return false;
  const at = version.lastModified.getTime();
  const from = Math.max(Date.parse(pass.from), wholeSecond(since), Date.parse(before(pass.startedAt, oldestMs)));
  return at >= from && at <= Date.parse(before(pass.startedAt, graceMs));
}

/** The pass with one more version that may still wait in its queue. */
export function withWaiting(pass: Pass, { lastModified }: ListedVersion): Pass {
  const at = lastModified.toISOString();
  return pass.oldestWaiting !== undefined && pass.oldestWaiting <= at ? pass : { ...pass, oldestWaiting: at };
}

/** What a pass that saw the last page leaves behind. */
export function endOfPass(pass: Pass): Pick<ReconcileRow, 'lastPass' | 'fullPassAt'> {
  const { startedAt, oldestWaiting, isFull } = pass;
  return {
    lastPass: { startedAt, oldestWaiting },
    ...(isFull ? { fullPassAt: startedAt } : {}),
  };
}

/** S3 lists `LastModified` in whole seconds: an upload of the second in which a prefix was first seen seems to be older than that. */
function wholeSecond(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000) * 1000;
}

function isOver(since: string, milliseconds: number, now: Date): boolean {
  return Date.parse(since) + milliseconds <= now.getTime();
}

function before(instant: string, milliseconds: number): string {
  return new Date(Date.parse(instant) - milliseconds).toISOString();
}
