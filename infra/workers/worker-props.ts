import type { AssetDirectories } from '../bundle/write-assets.ts';
import type { StageNumbers } from '../config/stage-numbers.ts';
import type { OutcomeBus } from '../constructs/outcome-bus.ts';
import type { StateStack } from '../stacks/state-stack.ts';

/** What every worker is connected to. */
export interface WorkerProps {
  readonly stage: string;
  readonly numbers: StageNumbers;
  readonly assets: AssetDirectories;
  readonly state: StateStack;
  readonly bus: OutcomeBus;
}
