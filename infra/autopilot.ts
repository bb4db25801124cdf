/**
 * The whole of Gateway Autopilot as one construct, for an app that exists already. What `gateway-autopilot` exports, as the package that
 * `npm run package` makes; examples/own-cdk-app uses it.
 */
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Annotations, type Environment, type Stack, Stage } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { join } from 'node:path';
import type { AutomationDocument } from '#shared/config/automation.ts';
import { packageFolder } from '#shared/places.ts';
import { writeAssets } from './bundle/write-assets.ts';
import { configParts } from './config/config-parts.ts';
import { resolveStage } from './config/load-automation.ts';
import { featureFlags } from './config/stage-numbers.ts';
import { addStage } from './add-stage.ts';
import { ConfigurationError } from './config/configuration-error.ts';

export { defineAutomation } from '#shared/config/automation.ts';
export type * from '#shared/config/automation.ts';
export { ConfigurationError };

/** Props of the construct. */
export interface AutopilotProps {
  /** Names the stacks, the bus and everything else that has a name; `local` and `chaos` are for one machine. */
  readonly stage: string;
  /** What it does, as `automation.config.ts` has it for a stage; a file that it names is looked for from the working directory. */
  readonly automation: AutomationDocument;
  /** Account and region of both stacks. @default wherever they are deployed to */
  readonly env?: Environment;
}

/**
 * Two stacks, named after the stage as in this project's own app: what can lose data, and what can be deployed again at any hour. Their
 * templates do not depend on the feature flags of the app around them.
 * @throws ConfigurationError with every problem of the document on a line of its own
 * @example new Autopilot(app, 'Autopilot', { stage: 'prod', automation: defineAutomation({ … }) });
 */
export class Autopilot extends Construct {
  /** Ledger, bucket, token, queues and bus: retained, and protected from being deleted. */
  readonly state: Stack;
  /** Functions, schedules and alarms. */
  readonly workers: Stack;
  /** Carries what people and programs react to, for rules of your own. */
  readonly bus: IEventBus;
  /** Where alarms ring, for subscriptions of your own. */
  readonly alarms: ITopic;
  /** Lets people and pipelines put tests below `datasets/`, but for the prefixes whose rules start a run. */
  readonly datasetsWriter: IManagedPolicy;
  /** Lets people and pipelines put any test, also those that start runs. */
  readonly startingDatasetsWriter: IManagedPolicy;
  /** Lets people look at the stage with `autopilot`, and change nothing. */
  readonly reader: IManagedPolicy;
  /** Lets people run the stage with `autopilot`. */
  readonly operator: IManagedPolicy;
  /** What `autopilot doctor --deep` needs beside `operator`. */
  readonly linkTester: IManagedPolicy;

  constructor(scope: Construct, id: string, { stage, automation: document, env }: AutopilotProps) {
    super(scope, id);
    requireNode(this.node.path);
    const { automation, numbers, warnings } = resolveStage(stage, document, {
      source: this.node.path,
      folder: process.cwd(),
    });
    if (numbers.isLocal) {
      throw new ConfigurationError(
        `${this.node.path}: the stage ${stage} is for one machine, and keeps nothing when it goes`,
      );
    }
    for (const { path, message } of warnings) {
      Annotations.of(this).addWarningV2(`gateway-autopilot:${path}`, `${path}: ${message}`);
    }
    for (const [flag, value] of Object.entries(featureFlags)) this.node.setContext(flag, value);

    const { state, workers } = addStage(this, {
      automation,
      numbers,
      assets: writeAssets({
        bundlesDir: bundles,
        assetsDir: join(outdirOf(this), `gateway-autopilot-${this.node.addr}`),
        parts: configParts(automation),
      }),
      env,
    });
    this.state = state;
    this.workers = workers;
    this.bus = state.bus.bus;
    this.alarms = workers.alarms.topic;
    this.datasetsWriter = state.policies.DatasetsWriterPolicyArn;
    this.startingDatasetsWriter = state.policies.StartingDatasetsWriterPolicyArn;
    this.reader = state.policies.ReaderPolicyArn;
    this.operator = state.policies.OperatorPolicyArn;
    this.linkTester = state.policies.LinkTesterPolicyArn;
  }
}

/**
 * The folder of the bundles beside this file, in the package as in a checkout after
 * `npm run build`.
 */
const bundles = join(packageFolder, 'build', 'functions');

/** Beside what CDK makes of them. */
function outdirOf(construct: Construct): string {
  const app = Stage.of(construct);
  if (app === undefined) throw new TypeError(`${construct.node.path} is below no App`);
  return app.outdir;
}

/** What the bundles are built for. */
const oldestNode = 24;

/** An older Node would fail in the middle, by a name that it does not know. */
function requireNode(path: string): void {
  const { node } = process.versions;
  if (Number(node.split('.')[0]) >= oldestNode) return;
  const remedy = `install it ('nvm install ${oldestNode}', or from nodejs.org) and run your app with it`;
  throw new ConfigurationError(`${path}: needs Node ${oldestNode}, and this is v${node}: ${remedy}`);
}
