/**
 * Passes over the versions in the bucket: which versions a pass looks at, and what it leaves for
 * the next. Pure.
 *
 * A listing is in the order of keys, so every pass lists every version (1,000 a request). What
 * costs is the read of a row for each version, and most versions are old and known. So a pass reads
 * the rows of those only whose instant lies between
 *
 *     from  = the start of the last pass − grace (15 min) − look-back (1 h)        and
 *     until = its own start − grace (15 min).
 *
 * The last pass checked everything up to its own `until`; any later upload has a later instant. The
 * look-back covers clocks that differ and uploads in parts, whose instant is their beginning. If
 * one took less than an hour, the next pass sees it. A daily full pass, whose `from` is 30 days
 * back, sees longer ones and rows that a restore of the table removed. With 100,000 versions and
 * 500 new ones a day, a pass makes 100 listing requests. At 12 passes an hour it makes about 23 row
 * reads; 15,000 once a day.
 *
 * If a version has no row and its message may still be queued, it holds the next `from` back until
 * it has a row.
 */
import type { ListedVersion, ObjectVersions } from '#shared/aws/version-listing.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { ReconcileRow } from '#shared/ledger/rows/reconcile-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { linkTestInObject } from '#shared/messages/link-test.ts';
import { isFolderMarker } from '#shared/uploads/object-key.ts';
import type { WorkerReports } from '../_handler/worker-reports.ts';
import type { SilenceDeps } from './look-at-schedules.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** S3 notifies within seconds, as a rule; after this no notification is still on the way. */
const graceMs = 15 * minuteMs;
const lookBackMs = 60 * minuteMs;
const fullPassEveryMs = dayMs;
/**
 * Older uploads are not looked for: their notification and its queue are long gone, and a person
 * has missed them.
 */
const oldestMs = 30 * dayMs;

/** A pass under way. */
export type ReconcilePass = NonNullable<ReconcileRow['pass']>;

/** Goes on with the pass that was interrupted, or begins the next. */
export function passToWalk(
  { pass, lastPass, fullPassAt }: Pick<ReconcileRow, 'pass' | 'lastPass' | 'fullPassAt'>,
  now: Date,
): ReconcilePass {
  if (pass !== undefined) return pass;
  const startedAt = now.toISOString();
  const isFull = lastPass === undefined || fullPassAt === undefined || isOver(fullPassAt, fullPassEveryMs, now);
  if (isFull) return { startedAt, isFull, from: before(startedAt, oldestMs) };
  const checkedUntil = lastPass.oldestWaiting ?? before(lastPass.startedAt, graceMs);
  return { startedAt, isFull, from: before(checkedUntil, lookBackMs) };
}

/**
 * Whether the row of a version is to be read in this pass. Weak versions (`null`) have no row that
 * could be found. Marks that a killed doctor left are no uploads.
 */
export function isToCheck(version: ListedVersion, pass: ReconcilePass, scope: SinceByPrefix): boolean {
  const since = sinceOf(scope, version.key);
  if (since === undefined || version.versionId === 'null' || isFolderMarker(version)) return false;
  if (linkTestInObject(version) !== undefined) return false;
  const at = version.lastModified.getTime();
  const from = Math.max(Date.parse(pass.from), wholeSecond(since), Date.parse(before(pass.startedAt, oldestMs)));
  return at >= from && at <= Date.parse(before(pass.startedAt, graceMs));
}

/** The pass with one more version that may still wait in its queue. */
export function withWaiting(pass: ReconcilePass, { lastModified }: ListedVersion): ReconcilePass {
  const at = lastModified.toISOString();
  return pass.oldestWaiting !== undefined && pass.oldestWaiting <= at ? pass : { ...pass, oldestWaiting: at };
}

/** What a pass that saw the last page leaves behind. */
export function endOfPass(pass: ReconcilePass): Pick<ReconcileRow, 'lastPass' | 'fullPassAt'> {
  const { startedAt, oldestWaiting, isFull } = pass;
  return {
    lastPass: { startedAt, oldestWaiting },
    ...(isFull ? { fullPassAt: startedAt } : {}),
  };
}

/**
 * S3 lists `LastModified` in whole seconds: an upload of the second in which a prefix was first
 * seen seems to be older than that.
 */
function wholeSecond(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000) * 1000;
}

function isOver(since: string, milliseconds: number, now: Date): boolean {
  return Date.parse(since) + milliseconds <= now.getTime();
}

function before(instant: string, milliseconds: number): string {
  return new Date(Date.parse(instant) - milliseconds).toISOString();
}

/** What one tick works with. */
export interface ReconcileDeps {
  readonly bucket: string;
  readonly versions: ObjectVersions;
  readonly ledger: Ledger;
  readonly queue: UploadQueue;
  readonly watched: readonly WatchedPrefix[];
  readonly silence: Pick<SilenceDeps, 'config' | 'deployed' | 'bus'>;
  readonly reports: Pick<WorkerReports, 'log' | 'count' | 'level'>;
  readonly now: () => Date;
  readonly remainingMs: () => number;
  /** Unique for this tick: owner of its lease. */
  readonly attemptId: string;
}

/** The uploads queue, to send to and to look at. */
export interface UploadQueue {
  readonly send: (body: string) => Promise<void>;
  /**
   * No message waits in it, and no worker has one in hand. SQS counts approximately, a minute late
   * at the most.
   */
  readonly isEmpty: () => Promise<boolean>;
}

/** After the platform has cut the tick that holds it, and its clock may differ. */
const leaseMarginMs = 30_000;

/** What the row remembers from tick to tick. */
export type Progress = Omit<ReconcileRow, 'pk' | 'kind' | 'lease'>;

/** The reconciler's row, held under a lease. */
export interface ReconcileHead {
  /** What the last tick left. */
  readonly progress: Progress;
  /**
   * Writes the progress and gives the lease back; false: another tick has taken the row, and its
   * progress holds.
   */
  readonly release: (progress: Progress) => Promise<boolean>;
}

/** Takes the row until this tick is certainly over; `undefined` while another tick holds it. */
export async function takeReconcileHead(options: {
  readonly ledger: Ledger;
  readonly owner: string;
  readonly now: Date;
  readonly remainingMs: number;
}): Promise<ReconcileHead | undefined> {
  const { ledger, owner, now, remainingMs } = options;
  const pk = ledgerKeys.reconcile();
  const found = await ledger.read<ReconcileRow>(pk);
  if (isHeldByOther(found, owner, now)) return undefined;
  const lease = { owner, until: new Date(now.getTime() + remainingMs + leaseMarginMs).toISOString() };
  const taken = await ledger.write<ReconcileRow>(found, { pk, kind: 'reconcile', ...progressOf(found), lease });
  if (taken === undefined) return undefined;
  return {
    progress: progressOf(taken),
    release: async (progress) =>
      (await ledger.write<ReconcileRow>(taken, { pk, kind: 'reconcile', ...progress })) !== undefined,
  };
}

function progressOf(item: Stored<ReconcileRow> | undefined): Progress {
  if (item === undefined) return { since: {} };
  const { pk: _pk, kind: _kind, lease: _lease, version: _version, writer: _writer, ...progress } = item;
  return progress;
}

function isHeldByOther(item: ReconcileRow | undefined, owner: string, now: Date): boolean {
  const lease = item?.lease;
  return lease !== undefined && lease.owner !== owner && Date.parse(lease.until) > now.getTime();
}

const hourMs = 60 * 60_000;

/**
 * Work of which nothing is heard is asked for again once in this time. Each time is one more
 * message, which its worker may find done.
 */
const askEveryMs = 6 * hourMs;

/**
 * Nothing has been heard of some work since an instant, and for how long that is as it should be.
 */
export interface Silence {
  readonly since: Date;
  readonly patienceMs: number;
}

/**
 * Whether silent work is to be asked for: once when its patience is over, and again every 6 hours.
 * Judged by the instants alone: of all looks at it, this is the first after such a turn. So the
 * reconciler need not remember what it sent, and sends no row at every look.
 * @param lastLook - the look before this one; `undefined`: there was none
 */
export function isAskDue({ since, patienceMs }: Silence, lastLook: Date | undefined, now: Date): boolean {
  const firstAt = since.getTime() + patienceMs;
  const turnsUntil = (at: number) => (at < firstAt ? 0 : 1 + Math.floor((at - firstAt) / askEveryMs));
  return turnsUntil(now.getTime()) > turnsUntil(lastLook?.getTime() ?? Number.NEGATIVE_INFINITY);
}

/** Where uploads are looked for. */
export interface WatchedPrefix {
  readonly prefix: string;
  /**
   * Uploads before this instant are not looked for, RFC 3339. @default when the prefix was first
   * seen
   */
  readonly since?: string;
}

/**
 * For each watched prefix, since when uploads below it are looked for: an instant of the
 * configuration, or its first deployment.
 */
export type SinceByPrefix = Readonly<Record<string, string>>;

/**
 * A prefix without `since` in the configuration keeps the instant at which it was first seen, or a
 * wider one. A prefix that the configuration no longer names is forgotten.
 */
export function sinceByPrefix(watched: readonly WatchedPrefix[], seen: SinceByPrefix, now: Date): SinceByPrefix {
  return Object.fromEntries(
    watched
      .map(({ prefix, since }) => [prefix, since ?? sinceOf(seen, prefix) ?? now.toISOString()] as const)
      .toSorted(byPrefix),
  );
}

/** Whether two of them say the same. */
export function isSameScope(a: SinceByPrefix, b: SinceByPrefix): boolean {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return left.length === right.length && left.every(([prefix, since]) => b[prefix] === since);
}

/** The prefixes to list: those that lie below no other one, in order. */
export function rootsOf(scope: SinceByPrefix): readonly string[] {
  const prefixes = Object.keys(scope).toSorted();
  return prefixes.filter((prefix) => !prefixes.some((other) => other !== prefix && prefix.startsWith(other)));
}

/**
 * Since when uploads of this key are looked for, by the longest prefix that it has; nothing: it is
 * not watched.
 */
export function sinceOf(scope: SinceByPrefix, key: string): string | undefined {
  const [longest] = Object.keys(scope)
    .filter((prefix) => key.startsWith(prefix))
    .toSorted((a, b) => b.length - a.length);
  return longest === undefined ? undefined : scope[longest];
}

function byPrefix([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}
