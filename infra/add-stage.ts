import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import {
  CliCredentialsStackSynthesizer,
  type Environment,
  type IStackSynthesizer,
  type Stack,
  Tags,
} from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Deployment } from '#shared/config/automation.ts';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import type { AssetDirectories } from './bundle/write-assets.ts';
import type { StageNumbers } from './config/stage-numbers.ts';
import { StateStack } from './stacks/state-stack.ts';
import { WorkersStack } from './stacks/workers-stack.ts';

/** Adds the two stacks of one stage, under the same names wherever in an app; without an account and a region they fit any. */
export function addStage(
  scope: Construct,
  props: {
    readonly automation: ResolvedAutomation;
    readonly numbers: StageNumbers;
    readonly assets: AssetDirectories;
    readonly env?: Environment;
    /** Of a stage on this machine: absolute. */
    readonly stateFolder?: string | undefined;
  },
): { readonly state: StateStack; readonly workers: WorkersStack } {
  const { stage } = props.automation;
  const names = stackNames(stage);
  const { assets } = props.automation.deployment;
  const state = new StateStack(scope, names.state, {
    env: props.env,
    synthesizer: synthesizerOf(assets),
    stackName: names.state,
    stage,
    numbers: props.numbers,
    deployment: props.automation.deployment,
    datasetRules: props.automation.datasetRules,
    description: `Gateway Autopilot (${stage}): ledger, bucket, token and queues`,
  });
  const workers = new WorkersStack(scope, names.workers, {
    ...props,
    synthesizer: synthesizerOf(assets),
    stackName: names.workers,
    state,
    description: `Gateway Autopilot (${stage}): functions and schedules`,
  });
  for (const stack of [state, workers]) applyAccountRules(stack, props.automation.deployment);
  return { state, workers };
}

/** Each stack needs one of its own. `undefined`: that of the app, which is the bootstrap's if the app says nothing. */
function synthesizerOf(assets: Deployment['assets']): IStackSynthesizer | undefined {
  if (assets === undefined) return undefined;
  return new CliCredentialsStackSynthesizer({ fileAssetsBucketName: assets.bucket, bucketPrefix: assets.prefix });
}

/** Puts what an account's owners ask of everything onto a stack: the boundary on each role, the tags on each resource that takes them. */
function applyAccountRules(stack: Stack, { permissionsBoundary, tags = {} }: Deployment): void {
  if (permissionsBoundary !== undefined) {
    const policy = ManagedPolicy.fromManagedPolicyArn(stack, 'PermissionsBoundary', permissionsBoundary);
    PermissionsBoundary.of(stack).apply(policy);
  }
  for (const [name, value] of Object.entries(tags)) Tags.of(stack).add(name, value);
}
