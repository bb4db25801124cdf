import { relative } from 'node:path';
import { ConfigurationError } from '../config/configuration-error.ts';
import type { LineSpec } from '#shared/text/program-arguments.ts';
import { docPage } from '#shared/places.ts';
import { deploySpec, deployStage } from './deploy-stage.ts';
import { destroySpec, destroyStage } from './destroy-stage.ts';
import { saySettings } from './changed-settings.ts';
import { releasePlace, writeRelease } from './write-release.ts';
import { openAssembly } from './open-stage.ts';
import { createDeployDeps, Refusal, stageCommand, stageOfLine } from './stage-options.ts';

const synthSpec: LineSpec = {
  says: 'Checks a stage of automation.config.ts and makes its templates. It needs no AWS account, and reaches nothing.',
  more: '--out writes what others deploy (StackSets, Service Catalog, Terraform): two templates, the archives under names by content, SHA256SUMS, and the two lines that put and deploy them. It needs deployment.assets.',
  options: { ...stageOfLine, '--out <DIR>': 'write it there; a new folder' },
  examples: ['autopilot synth --stage prod', 'autopilot synth --stage prod --out release'],
};

const diffSpec: LineSpec = {
  says: 'Synthesizes a stage, and shows what a deployment would change in your account. It changes nothing.',
  options: stageOfLine,
  examples: ['autopilot diff --stage prod'],
};

const bootstrapSpec: LineSpec = {
  says: 'Prepares account and region of a stage for the CDK, once for each: the stack CDKToolkit, with a bucket and roles.',
  more: `CloudFormation acts with the policy that you name, for all apps of the CDK in this account and region; without one with AdministratorAccess. ${docPage('deploying.md')} has a policy that is enough.`,
  options: {
    '--execution-policy <ARN>': { says: 'what CloudFormation may do (several)', isRepeated: true },
    ...stageOfLine,
  },
  examples: ['autopilot bootstrap --stage prod'],
};

/** Synthesizes a stage and prints the folder of its assembly. */
export const synthStage = stageCommand('synth', synthSpec, async (options, deps) => {
  const stage = await openAssembly(options, deps);
  const out = options.line.text('out');
  const place = out === undefined ? undefined : releasePlace(out, stage.automation);
  const directory = await stage.synthesize({ validates: true });
  if (out !== undefined && place !== undefined) {
    const lines = writeRelease({ assembly: directory, stage: options.stage }, out, place);
    deps.stderr.write(`Written to ${out}. These two lines put and deploy it:\n`);
    deps.stdout.write(`${lines.join('\n')}\n`);
    return 0;
  }
  deps.stderr.write(`The templates of ${options.stage} lie in ${relative('', directory)}\n`);
  return 0;
});

/** Shows what a deployment of a stage would change. */
export const diffStage = stageCommand('diff', diffSpec, async (options, deps) => {
  const stage = await openAssembly(options, deps);
  await stage.synthesize({ validates: true });
  await stage.cdk('diff', '--no-fail');
  await saySettings(stage.automation, options, deps);
  return 0;
});

/** Prepares account and region of a stage for the CDK. */
export const bootstrapStage = stageCommand('bootstrap', bootstrapSpec, async (options, deps) => {
  const stage = await openAssembly(options, deps);
  await stage.synthesize({ validates: false }); // the CDK reads the target of the stage from it
  const policies = options.line.texts('execution-policy');
  if (policies.length === 0) deps.stderr.write(`${administratorWarning}\n`);
  await stage.cdk('bootstrap', ...policies.flatMap((arn) => ['--cloudformation-execution-policies', arn]));
  return 0;
});

const administratorWarning = `CloudFormation gets AdministratorAccess here: --execution-policy ARN gives it less, and ${docPage('deploying.md')} has a policy that is enough`;

const commands = {
  bootstrap: bootstrapStage,
  synth: synthStage,
  diff: diffStage,
  deploy: deployStage,
  destroy: destroyStage,
};

/** What each of them takes. */
export const stageSpecs: Readonly<Record<StageCommand, LineSpec>> = {
  bootstrap: bootstrapSpec,
  synth: synthSpec,
  diff: diffSpec,
  deploy: deploySpec,
  destroy: destroySpec,
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
