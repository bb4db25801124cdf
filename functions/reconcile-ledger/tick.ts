import type { ObjectVersions } from '#shared/aws/version-listing.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { WorkerReports } from '../_handler/worker-reports.ts';
import { hourMs } from '#shared/schedule/duration.ts';

/** The uploads queue, to send to and to look at. */
export interface UploadQueue {
  readonly send: (body: string) => Promise<void>;
  /**
   * No message waits in it, and no worker has one in hand. SQS counts approximately, a minute late
   * at the most.
   */
  readonly isEmpty: () => Promise<boolean>;
}

/** What each part of a tick works with. */
export interface ReconcileTick {
  readonly bucket: string;
  readonly versions: ObjectVersions;
  readonly ledger: Ledger;
  readonly queue: UploadQueue;
  readonly reports: Pick<WorkerReports, 'log' | 'count' | 'level'>;
  readonly now: () => Date;
}

/**
 * Work of which nothing is heard is asked for again once in this time. Each time is one more
 * message, which its worker may find done.
 */
const askEveryMs = 6 * hourMs;

/** Nothing has been heard of some work since an instant, and for how long that is as it should be. */
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
export function isAskDue({ since, patienceMs }: Silence, lastLook: string | undefined, now: Date): boolean {
  const firstAt = since.getTime() + patienceMs;
  const turnsUntil = (at: number) => (at < firstAt ? 0 : 1 + Math.floor((at - firstAt) / askEveryMs));
  return turnsUntil(now.getTime()) > (lastLook === undefined ? 0 : turnsUntil(Date.parse(lastLook)));
}
