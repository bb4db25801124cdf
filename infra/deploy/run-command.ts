import { ConfigurationError } from '../config/configuration-error.ts';
import { createDeployDeps, Refusal } from './deploy-deps.ts';
import { deployStage } from './deploy-stage.ts';
import { destroyStage } from './destroy-stage.ts';
import { diffStage, synthStage } from './synth-stage.ts';

const commands = { synth: synthStage, diff: diffStage, deploy: deployStage, destroy: destroyStage };

/** Runs a command about a stage for an account; answers the exit code. A refusal is printed in one line. */
export async function runCommand(
  word: keyof typeof commands,
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
