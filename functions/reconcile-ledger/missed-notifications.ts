/**
 * Missed notifications: object versions in the bucket that no worker has a row for.
 *
 * A listing is in the order of keys, so every pass lists every version, 1,000 a request. It reads
 * the rows of versions younger than a day and older than 15 minutes. Until then a notification may
 * be on its way. Once a day a full pass reads the rows of 30 days. It finds uploads in parts, whose
 * time is their beginning, and rows that a restore of the table removed.
 */
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import type { ReconcileRow } from '#shared/ledger/rows/reconcile-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { linkTestInObject } from '#shared/messages/link-test.ts';
import { isFolderMarker, objectCreatedMessage } from '#shared/uploads/object-key.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { isAskDue, type ReconcileTick } from './tick.ts';
import { rootsOf, type SinceByPrefix, sinceOf } from './watched-prefixes.ts';
import { dayMs, hourMs, minuteMs } from '#shared/schedule/duration.ts';

/** S3 notifies within seconds, as a rule; after this no notification is still on the way. */
const graceMs = 15 * minuteMs;

/** Older uploads are not looked for: their notification is long gone, and a person has missed them. */
const oldestMs = 30 * dayMs;

/**
 * An upload without a row whose message may wait behind others, or at a closed gate, is sent all
 * the same when this is over.
 */
const patienceInQueueMs = 6 * hourMs;

/** Versions with a row that an environment remembers, to read each once between two full passes. */
const mostKnown = 100_000;

/** A pass over the bucket, and how far it is. */
type ReconcilePass = NonNullable<ReconcileRow['pass']>;

/** What is left of the passes before. */
type Passes = Pick<ReconcileRow, 'pass' | 'lastPassAt' | 'fullPassAt'>;

/** What a tick needs to look for missed notifications. */
export interface NotificationSearch extends ReconcileTick {
  readonly scope: SinceByPrefix;
  /** Keys of rows that this environment has seen. */
  readonly known: Set<string>;
  readonly hasTime: () => boolean;
  /** Called after each page, so that an error costs that page and no more. */
  readonly remember: (passes: Passes) => void;
}

/** What a tick found. */
export interface FoundVersions {
  /** It saw the last page. */
  readonly isComplete: boolean;
  readonly listed: number;
  readonly found: number;
  /** Uploads that were sent again while their message may wait. */
  readonly askedAgain: number;
}

/**
 * Goes on with the pass that was interrupted, or begins the next, until its end or until no time is
 * left. An upload without a row is sent to its queue as S3 would have sent it.
 *
 * An absent row proves a missed notification only if its message cannot be waiting: the queue was
 * seen empty *before* the row was read. Otherwise the upload is looked at again by the next pass,
 * and sent all the same every six hours. Then it is not called found: after an outage of the
 * gateway thousands of messages wait, and no notification is broken.
 */
export async function findMissedNotifications(search: NotificationSearch, before: Passes): Promise<FoundVersions> {
  const { queue, scope, remember } = search;
  const roots = rootsOf(scope);
  const isEmpty = await queue.isEmpty();
  const counts = { listed: 0, found: 0, askedAgain: 0 };
  let pass = before.pass ?? nextPass(before, search.now());
  for (;;) {
    const root = pass.root ?? roots[0];
    if (root === undefined) break;
    if (!search.hasTime()) return { ...counts, isComplete: false };
    const page = await search.versions.list({ prefix: root, after: pass.after });
    const checked = await checkPage(search, page.versions, { pass, lastPassAt: before.lastPassAt, isEmpty });
    counts.listed += page.versions.length;
    counts.found += checked.found;
    counts.askedAgain += checked.askedAgain;
    if (checked.isCut) return { ...counts, isComplete: false };
    const next = page.next === undefined ? roots[roots.indexOf(root) + 1] : root;
    if (next === undefined) break;
    pass = { startedAt: pass.startedAt, isFull: pass.isFull, root: next, after: page.next };
    remember({ ...before, pass });
  }
  const { startedAt, isFull } = pass;
  remember({ pass: undefined, lastPassAt: startedAt, fullPassAt: isFull ? startedAt : before.fullPassAt });
  return { ...counts, isComplete: true };
}

function nextPass({ fullPassAt }: Passes, now: Date): ReconcilePass {
  const isFull = fullPassAt === undefined || now.getTime() - Date.parse(fullPassAt) >= dayMs;
  return { startedAt: now.toISOString(), isFull };
}

/** How a page is looked at. */
interface Look {
  readonly pass: ReconcilePass;
  readonly lastPassAt: string | undefined;
  /** Of the queue, before the pass. */
  readonly isEmpty: boolean;
}

/** A page that was cut is listed again, and what was sent of it has its row by then. */
async function checkPage(search: NotificationSearch, versions: readonly ListedVersion[], look: Look) {
  const toCheck = versions.filter((version) => isToCheck(version, look.pass, search.scope));
  const mayWait = !look.isEmpty;
  const startedAt = new Date(look.pass.startedAt);
  let found = 0;
  let askedAgain = 0;
  for (const version of await withoutRow(search, toCheck, look.pass)) {
    const silence = { since: version.lastModified, patienceMs: patienceInQueueMs };
    if (mayWait && !isAskDue(silence, look.lastPassAt, startedAt)) continue;
    if (!search.hasTime()) return { found, askedAgain, isCut: true };
    await announce(search, version, mayWait);
    if (mayWait) askedAgain += 1;
    else found += 1;
  }
  return { found, askedAgain, isCut: false };
}

/**
 * Whether the row of a version is to be read in this pass. Weak versions (`null`) have no row that
 * could be found. Marks that a killed doctor left are no uploads.
 */
function isToCheck(version: ListedVersion, { startedAt, isFull }: ReconcilePass, scope: SinceByPrefix): boolean {
  const since = sinceOf(scope, version.key);
  if (since === undefined || version.versionId === 'null' || isFolderMarker(version)) return false;
  if (linkTestInObject(version) !== undefined) return false;
  const at = version.lastModified.getTime();
  const startedMs = Date.parse(startedAt);
  const from = Math.max(wholeSecond(since), startedMs - (isFull ? oldestMs : dayMs));
  return at >= from && at <= startedMs - graceMs;
}

/**
 * S3 lists `LastModified` in whole seconds: an upload of the second in which a prefix was first
 * seen seems to be older than that.
 */
function wholeSecond(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000) * 1000;
}

async function withoutRow(
  { ledger, bucket, known }: NotificationSearch,
  versions: readonly ListedVersion[],
  { isFull }: ReconcilePass,
): Promise<readonly ListedVersion[]> {
  const toRead = isFull ? versions : versions.filter((version) => !known.has(keyOf(bucket, version)));
  const rows = await ledger.readMany(toRead.map((version) => keyOf(bucket, version)));
  if (known.size + rows.size > mostKnown) known.clear();
  for (const pk of rows.keys()) known.add(pk);
  return toRead.filter((version) => !rows.has(keyOf(bucket, version)));
}

function keyOf(bucket: string, { key, versionId }: ListedVersion): string {
  return ledgerKeys.upload(bucket, key, versionId);
}

async function announce({ bucket, queue, reports }: ReconcileTick, version: ListedVersion, mayWait: boolean) {
  const { key, versionId, etag, sizeBytes, lastModified } = version;
  const eventTime = lastModified.toISOString();
  await queue.send(objectCreatedMessage({ bucket, key, versionId, etag, sizeBytes, eventTime }));
  const { log, count } = reports;
  const fields = { key, versionId, eventTime, ledgerKey: keyOf(bucket, version) };
  count(mayWait ? metricNames.reconcilerAskedAgain : metricNames.reconcilerFound, 1);
  const waits = `${key} has no row after six hours: its message waits in the queue, or is lost`;
  const isBroken = `no message came for ${key}: the way from the bucket to its queue is broken`;
  if (mayWait) log.warn(logEvents.uploadAskedAgain, waits, fields);
  else log.error(logEvents.uploadFound, isBroken, fields);
}
