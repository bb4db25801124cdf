import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { OutcomeBus } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { WorkerReports } from '../_handler/worker-reports.ts';
import type { ListedPackage } from './walk/listed-package.ts';

/**
 * The pages of one listing to the last; an error ends it early. It begins at `from.cursor`, where an earlier walk with the same filters was
 * cut off after `from.pages`, else at the first page.
 */
export type Listing = (
  filters: ResolvedPackageWatch['filters'],
  from: { readonly cursor: string | undefined; readonly pages: number },
) => AsyncIterable<ListedPage>;

/** One page of a listing. */
export interface ListedPage {
  readonly packages: readonly ListedPackage[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: string | undefined;
  /** Two pages with one digest hold the same. @default it is taken for different from any other */
  readonly digest?: string | undefined;
}

/** What one poll works with. */
export interface PollDeps {
  readonly listing: Listing;
  /** Of the stage's mode: what is seen while it only observes is news again once it acts. */
  readonly ledger: Ledger;
  /** Takes the line for `autopilot status`, whatever the mode. */
  readonly recent: Ledger;
  /** Asked before the walk and between its pages. */
  readonly gate: Gate;
  readonly commands: Pick<Queue, 'send'>;
  readonly bus: OutcomeBus;
  readonly reports: Pick<WorkerReports, 'log' | 'count'>;
  readonly now: () => Date;
  readonly remainingMs: () => number;
  /** Unique for this poll: owner of its lease. */
  readonly attemptId: string;
}
