import type { OutcomeBus } from '../constructs/monitoring/outcome-notices.ts';
import type { FunctionSurroundings } from '../constructs/compute/worker-function.ts';
import type { LedgerTable } from '../constructs/storage/ledger-table.ts';
import type { StateStack } from '../constructs/state-stack.ts';

/** What every worker is connected to. */
export interface WorkerProps extends FunctionSurroundings {
  readonly state: StateStack;
  /** The table of the stage's mode. */
  readonly ledger: LedgerTable;
  /** In a stage that observes: the table of what was done for real. */
  readonly acting?: LedgerTable | undefined;
  readonly bus: OutcomeBus;
}
