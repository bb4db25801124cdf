import type { Construct } from 'constructs';
import type { ResolvedAutomation } from '../../shared/config/resolved-automation.ts';
import { stackNames } from '../../shared/vocabulary/stack-outputs.ts';
import type { AssetDirectories } from '../bundle/write-assets.ts';
import type { StageNumbers } from '../config/stage-numbers.ts';
import { StateStack } from './state-stack.ts';
import { WorkersStack } from './workers-stack.ts';

/** Adds the two stacks of one stage; without an account and a region they fit any. */
export function addStage(
  scope: Construct,
  props: {
    readonly automation: ResolvedAutomation;
    readonly numbers: StageNumbers;
    readonly assets: AssetDirectories;
  },
): { readonly state: StateStack; readonly workers: WorkersStack } {
  const { stage } = props.automation;
  const names = stackNames(stage);
  const state = new StateStack(scope, names.state, {
    stage,
    numbers: props.numbers,
    description: `Gateway Autopilot (${stage}): ledger, bucket, token and queues`,
  });
  const workers = new WorkersStack(scope, names.workers, {
    ...props,
    state,
    description: `Gateway Autopilot (${stage}): functions and schedules`,
  });
  return { state, workers };
}
