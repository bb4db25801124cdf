import type { OutcomeBus } from '../constructs/monitoring/outcome-notices.ts';
import type { FunctionSurroundings } from '../constructs/compute/worker-function.ts';
import type { StateStack } from '../constructs/state-stack.ts';

/** What every worker is connected to. */
export interface WorkerProps extends FunctionSurroundings {
  readonly state: StateStack;
  readonly bus: OutcomeBus;
}
