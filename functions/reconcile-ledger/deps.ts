import type { ObjectVersions } from '#shared/aws/version-listing.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { WorkerReports } from '../_handler/worker-reports.ts';
import type { SilenceDeps } from './look-at-schedules.ts';
import type { WatchedPrefix } from './scope.ts';

/** The queues whose workers own a row for each object version. */
export type UploadQueueName = 'uploads' | 'plans';

/** What one tick works with. */
export interface ReconcileDeps {
  readonly bucket: string;
  readonly versions: ObjectVersions;
  readonly ledger: Ledger;
  readonly queues: Readonly<Record<UploadQueueName, UploadQueue>>;
  readonly watched: readonly WatchedPrefix[];
  readonly silence: Pick<SilenceDeps, 'config' | 'deployed' | 'bus'>;
  readonly reports: Pick<WorkerReports, 'log' | 'count' | 'level'>;
  readonly now: () => Date;
  readonly remainingMs: () => number;
  /** Unique for this tick: owner of its lease. */
  readonly attemptId: string;
}

/** One queue, to send to and to look at. */
export interface UploadQueue {
  readonly send: (body: string) => Promise<void>;
  /** No message waits in it, and no worker has one in hand. SQS counts approximately, a minute late at the most. */
  readonly isEmpty: () => Promise<boolean>;
}
