import type { ListedVersion } from '#shared/aws/version-listing.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { objectCreatedMessage } from '#shared/uploads/object-key.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import {
  isAskDue,
  isToCheck,
  type ReconcilePass,
  type ReconcileDeps,
  rootsOf,
  type SinceByPrefix,
  withWaiting,
} from './pass.ts';
/**
 * Rows read at once: a page of a thousand new versions is checked in seconds, and no burst of reads
 * is throttled.
 */
const readsAtOnce = 20;

/**
 * An upload without a row whose message may wait behind others, or at a closed gate, is sent all
 * the same when this is over.
 */
const patienceInQueueMs = 6 * 60 * 60_000;

/** What one tick works on. */
export interface BucketWalk {
  readonly pass: ReconcilePass;
  readonly scope: SinceByPrefix;
  /** When the pass before this one began. */
  readonly lastPassAt: Date | undefined;
  readonly hasTime: () => boolean;
  /** Called after each page, so that an error costs that page and no more. */
  readonly onProgress: (pass: ReconcilePass) => void;
}

/** How far a walk came. */
export interface Walked {
  readonly pass: ReconcilePass;
  /** It saw the last page. */
  readonly isComplete: boolean;
  readonly listed: number;
  readonly found: number;
  /** Uploads that were sent again while their message may wait. */
  readonly askedAgain: number;
}

/**
 * Lists versions from the pass's position on, until its end or until no time is left. An upload
 * without a row is sent to its queue as S3 would have sent it: its worker was not notified.
 *
 * An absent row proves a missed notification only if its message cannot be waiting: the queue was
 * seen empty *before* the row was read. Otherwise the upload is looked at again by the next pass,
 * and sent all the same every six hours. Then it is not called found: after an outage of the
 * gateway thousands of messages wait, and no notification is broken.
 */
export async function walkBucket(deps: ReconcileDeps, walk: BucketWalk): Promise<Walked> {
  const roots = rootsOf(walk.scope);
  const mayWait = !(await deps.queue.isEmpty());
  let { pass } = walk;
  let listed = 0;
  let found = 0;
  let askedAgain = 0;
  const walked = (at: ReconcilePass, isComplete: boolean): Walked => ({
    pass: at,
    isComplete,
    listed,
    found,
    askedAgain,
  });
  for (;;) {
    const root = pass.root ?? roots[0];
    if (root === undefined) return walked(pass, true);
    if (!walk.hasTime()) return walked(pass, false);

    const page = await deps.versions.list({ prefix: root, after: pass.after });
    const checked = await checkPage(deps, { ...walk, pass }, page.versions, mayWait);
    listed += page.versions.length;
    found += checked.found;
    askedAgain += checked.askedAgain;
    if (checked.isCut) return walked(pass, false);

    const { after: _after, root: _root, ...rest } = checked.pass;
    const next = page.next === undefined ? roots[roots.indexOf(root) + 1] : root;
    if (next === undefined) return walked(rest, true);
    pass = { ...rest, root: next, after: page.next };
    walk.onProgress(pass);
  }
}

/**
 * What one page came to; one that was cut is listed again, and what was sent of it has its row by
 * then.
 */
interface CheckedPage {
  readonly pass: ReconcilePass;
  readonly found: number;
  readonly askedAgain: number;
  readonly isCut: boolean;
}

async function checkPage(
  deps: ReconcileDeps,
  walk: BucketWalk,
  versions: readonly ListedVersion[],
  mayWait: boolean,
): Promise<CheckedPage> {
  const toCheck = versions.filter((version) => isToCheck(version, walk.pass, walk.scope));
  let { pass } = walk;
  let found = 0;
  let askedAgain = 0;
  for (const version of await withoutRow(deps, toCheck)) {
    if (mayWait) pass = withWaiting(pass, version);
    if (mayWait && !isTurn(version, walk)) continue;
    if (!walk.hasTime()) return { pass, found, askedAgain, isCut: true };
    await announce(deps, version, mayWait);
    if (mayWait) askedAgain += 1;
    else found += 1;
  }
  return { pass, found, askedAgain, isCut: false };
}

async function withoutRow(deps: ReconcileDeps, versions: readonly ListedVersion[]): Promise<ListedVersion[]> {
  const unknown: ListedVersion[] = [];
  for (let at = 0; at < versions.length; at += readsAtOnce) {
    const group = versions.slice(at, at + readsAtOnce);
    const rows = await Promise.all(group.map(async (version) => deps.ledger.read(keyOf(deps.bucket, version))));
    unknown.push(...group.filter((_version, index) => rows[index] === undefined));
  }
  return unknown;
}

function keyOf(bucket: string, { key, versionId }: ListedVersion): string {
  return ledgerKeys.upload(bucket, key, versionId);
}

function isTurn({ lastModified }: ListedVersion, { pass, lastPassAt }: BucketWalk): boolean {
  return isAskDue({ since: lastModified, patienceMs: patienceInQueueMs }, lastPassAt, new Date(pass.startedAt));
}

async function announce(deps: ReconcileDeps, version: ListedVersion, mayWait: boolean): Promise<void> {
  const { key, versionId, etag, sizeBytes, lastModified } = version;
  const eventTime = lastModified.toISOString();
  const body = objectCreatedMessage({ bucket: deps.bucket, key, versionId, etag, sizeBytes, eventTime });
  await deps.queue.send(body);
  const { log, count } = deps.reports;
  const fields = { key, versionId, eventTime, ledgerKey: keyOf(deps.bucket, version) };
  count(mayWait ? metricNames.reconcilerAskedAgain : metricNames.reconcilerFound, 1);
  if (mayWait) {
    log.warn(
      logEvents.uploadAskedAgain,
      `${key} has no row after six hours: its message waits in the queue, or is lost`,
      fields,
    );
    return;
  }
  const sentence = `no message came for ${key}: the way from the bucket to its queue is broken`;
  log.error(logEvents.uploadFound, sentence, fields);
}
