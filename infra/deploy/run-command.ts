import { relative } from 'node:path';
import { ConfigurationError } from '../config/configuration-error.ts';
import { docPage } from '#shared/places.ts';
import { deployHelp, deployStage } from './deploy-stage.ts';
import { destroyHelp, destroyStage } from './destroy-stage.ts';
import { saySettings } from './changed-settings.ts';
import { openAssembly } from './open-stage.ts';
import { createDeployDeps, type DeployDeps, readStageOptions, Refusal } from './stage-options.ts';

const synthHelp = `autopilot synth --stage NAME

Synthesizes a stage of automation.config.ts and judges its templates. It needs no AWS account, and reaches nothing.
`;

const diffHelp = `autopilot diff --stage NAME [--profile NAME] [--region NAME]

Synthesizes a stage, judges it, and shows what a deployment would change in your account. It changes nothing.
`;

const bootstrapHelp = `autopilot bootstrap --stage NAME [--execution-policy ARN] [--profile NAME] [--region NAME]

Prepares account and region of a stage for the CDK, once for each: the stack CDKToolkit, with a bucket and roles. A stage is deployed by these.
CloudFormation acts with the policy that you name, for all apps of the CDK in this account and region; without one with AdministratorAccess.
${docPage('deploying.md')} has a policy that is enough for a stage.
With options of the CDK's own: npx cdk bootstrap aws://ACCOUNT/REGION --help.
`;

/**
 * Synthesizes a stage and prints the folder of its assembly. Answers the exit code.
 * @throws Refusal, ConfigurationError
 */
export async function synthStage(argv: readonly string[], deps: DeployDeps): Promise<number> {
  const options = readStageOptions(argv, { switches: [] });
  if (options === 'help') return show(synthHelp, deps);
  const stage = await openAssembly(options, deps);
  const directory = await stage.synthesize({ validates: true });
  deps.stderr.write(`The templates of ${options.stage} lie in ${relative('', directory)}\n`);
  return 0;
}

/**
 * Shows what a deployment of a stage would change. Answers the exit code.
 * @throws Refusal, ConfigurationError
 */
export async function diffStage(argv: readonly string[], deps: DeployDeps): Promise<number> {
  const options = readStageOptions(argv, { switches: [] });
  if (options === 'help') return show(diffHelp, deps);
  const stage = await openAssembly(options, deps);
  await stage.synthesize({ validates: true });
  await stage.cdk('diff', '--no-fail');
  await saySettings(stage.automation, options, deps);
  return 0;
}

/**
 * Prepares account and region of a stage for the CDK. Answers the exit code.
 * @throws Refusal, ConfigurationError
 */
export async function bootstrapStage(argv: readonly string[], deps: DeployDeps): Promise<number> {
  const options = readStageOptions(argv, { switches: [], lists: ['execution-policy'] });
  if (options === 'help') return show(bootstrapHelp, deps);
  const stage = await openAssembly(options, deps);
  await stage.synthesize({ validates: false }); // the CDK reads the target of the stage from it
  const policies = options.valuesOf('execution-policy');
  if (policies.length === 0) deps.stderr.write(`${administratorWarning}\n`);
  await stage.cdk('bootstrap', ...policies.flatMap((arn) => ['--cloudformation-execution-policies', arn]));
  return 0;
}

const administratorWarning = `CloudFormation gets AdministratorAccess here: --execution-policy ARN gives it less, and ${docPage('deploying.md')} has a policy that is enough`;

function show(help: string, { stdout }: DeployDeps): number {
  stdout.write(help);
  return 0;
}

const commands = {
  bootstrap: bootstrapStage,
  synth: synthStage,
  diff: diffStage,
  deploy: deployStage,
  destroy: destroyStage,
};

/** Their texts for `--help`. */
export const stageHelps: Readonly<Record<StageCommand, string>> = {
  bootstrap: bootstrapHelp,
  synth: synthHelp,
  diff: diffHelp,
  deploy: deployHelp,
  destroy: destroyHelp,
};

/** The word of a command about a stage for an account. */
export type StageCommand = keyof typeof commands;

/** Runs a command about a stage for an account; answers the exit code. A refusal is printed in one line. */
export async function runCommand(
  word: StageCommand,
  argv: readonly string[],
  terminal: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>,
): Promise<number> {
  try {
    return await commands[word](argv, createDeployDeps(terminal));
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof ConfigurationError)) throw error;
    terminal.stderr.write(`${error.message}\n`);
    return error instanceof Refusal ? error.exitCode : 2;
  }
}
