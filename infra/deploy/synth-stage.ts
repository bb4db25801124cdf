import { relative } from 'node:path';
import type { DeployDeps } from './deploy-deps.ts';
import { openStage } from './open-stage.ts';
import { readStageOptions } from './stage-options.ts';

const synthHelp = `autopilot synth --stage NAME

Synthesizes a stage of automation.config.ts and judges its templates. It needs no AWS account, and reaches nothing.
`;

const diffHelp = `autopilot diff --stage NAME [--profile NAME] [--region NAME]

Synthesizes a stage, judges it, and shows what a deployment would change in your account. It changes nothing.
`;

/**
 * Synthesizes a stage and says where its assembly lies. Answers the exit code.
 * @throws Refusal, ConfigurationError
 */
export async function synthStage(argv: readonly string[], deps: DeployDeps): Promise<number> {
  const options = readStageOptions(argv, { switches: [] });
  if (options === 'help') return show(synthHelp, deps);
  const stage = await openStage(options, deps);
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
  const stage = await openStage(options, deps);
  await stage.synthesize({ validates: true });
  await stage.cdk('diff', '--no-fail');
  return 0;
}

function show(help: string, { stdout }: DeployDeps): number {
  stdout.write(help);
  return 0;
}
