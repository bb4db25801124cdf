import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { objectCreatedMessage } from '#shared/uploads/object-key.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { isAskDue, type Silence, type ReconcileTick } from './tick.ts';
import { minuteMs } from '#shared/schedule/duration.ts';

/**
 * After a worker died, its message returns within the visibility timeout (12 minutes), shortly
 * before its lease ends. This is twice that timeout, with a margin.
 */
const patienceAfterLeaseMs = 30 * minuteMs;

/**
 * A message that waits for its next try is back within an hour (back-off), and may then wait for
 * its turn.
 */
const patienceAfterWaitMs = 120 * minuteMs;

/**
 * 20,000 rows a sweep, the oldest first. If there are more, the youngest wait for the next sweep.
 */
const mostPages = 200;

/**
 * Looks at every upload under way. One that has been silent for too long has lost its worker and
 * its message. It is announced again, and `register-datasets` decides about it as about any
 * delivery. A SENDING one becomes UNKNOWN and is parked. One past its day is parked
 * HORIZON_EXCEEDED. A needless message does no harm.
 * @returns how many were announced again
 */
export async function findSilentUploads(
  deps: ReconcileTick,
  looks: { readonly last: string | undefined; readonly now: Date },
  hasTime: () => boolean,
): Promise<number> {
  let asked = 0;
  let oldestSince: string | undefined;
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && hasTime(); page += 1) {
    const open = await deps.ledger.listOpen('IN_FLIGHT', { cursor });
    for (const row of open.items) {
      if (row.kind !== 'upload') continue;
      oldestSince ??= row.openSince;
      if (!isAskDue(silenceOf(row), looks.last, looks.now) || !hasTime()) continue;
      await askAgain(deps, row);
      asked += 1;
    }
    cursor = open.next;
    if (cursor === undefined) break;
  }
  const oldestMs = oldestSince === undefined ? 0 : looks.now.getTime() - Date.parse(oldestSince);
  deps.reports.level(metricNames.oldestOpenSeconds, Math.max(0, Math.round(oldestMs / 1000)));
  return asked;
}

/** Returns how long no worker has touched the row. An ordered repeat has no `notBefore`. */
function silenceOf(row: Stored<UploadRow>): Silence {
  const { state, leaseUntil, notBefore, sentAt, openSince } = row;
  const since = (instant: string | undefined) => new Date(instant ?? openSince ?? 0);
  if (state === 'READY' && notBefore !== undefined) return { since: since(notBefore), patienceMs: patienceAfterWaitMs };
  const lastSeen = state === 'CLAIMED' || state === 'SENDING' ? leaseUntil : state === 'UNKNOWN' ? sentAt : openSince;
  return { since: since(lastSeen), patienceMs: patienceAfterLeaseMs };
}

async function askAgain(deps: ReconcileTick, row: Stored<UploadRow>): Promise<void> {
  const { pk: ledgerKey, bucket, key, versionId, eventTime, state, openSince } = row;
  const { log, count } = deps.reports;
  if (versionId === undefined) {
    const says = `${state} for too long, and without a version the object is not known`;
    log.warn(logEvents.uploadAskedAgain, says, { key, ledgerKey });
    return;
  }
  // Its worker asks the bucket for etag and size. Until then it is taken for a large file.
  const version = { bucket, key, versionId, etag: '', sizeBytes: Number.MAX_SAFE_INTEGER, eventTime };
  await deps.queue.send(objectCreatedMessage(version));
  count(metricNames.reconcilerAskedAgain, 1);
  const says = `${state} for too long: its worker died, or its message is lost`;
  log.warn(logEvents.uploadAskedAgain, says, { key, versionId, state, ledgerKey, openSince });
}
