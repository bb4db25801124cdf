import type { OutcomeBus } from '../constructs/compute/outcome-bus.ts';
import type { FunctionSurroundings } from '../constructs/compute/worker-function.ts';
import type { StateStack } from '../stacks/state-stack.ts';

/** What every worker is connected to. */
export interface WorkerProps extends FunctionSurroundings {
  readonly state: StateStack;
  readonly bus: OutcomeBus;
}
