import type { ResolvedPackageWatch } from '../../shared/config/resolved-automation.ts';
import type { OutcomeBus } from '../../shared/aws/outcome-bus.ts';
import type { Queue } from '../../shared/aws/queue.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
import type { WorkerReports } from '../_runtime/worker-reports.ts';
import type { ListedPackage } from './listed-package.ts';

/** The pages of one listing, from the first to the last; an error ends it early. */
export type Listing = (
  filters: ResolvedPackageWatch['filters'],
) => AsyncIterable<{ readonly packages: readonly ListedPackage[] }>;

/** What one poll works with. */
export interface PollDeps {
  readonly listing: Listing;
  readonly ledger: Ledger;
  readonly commands: Pick<Queue, 'send'>;
  readonly bus: OutcomeBus;
  readonly reports: Pick<WorkerReports, 'log' | 'count'>;
  readonly now: () => Date;
  readonly remainingMs: () => number;
  /** Unique for this poll: owner of its lease. */
  readonly attemptId: string;
}
