import { ConfigurationError } from '../config/configuration-error.ts';
import { type DeployDeps, Refusal, createDeployDeps } from './deploy-deps.ts';

/** Runs one of the two commands; what is to be told is told in one line, and the exit code is set. */
export async function runCommand(
  command: (argv: readonly string[], deps: DeployDeps) => Promise<number>,
  terminal: NodeJS.Process,
): Promise<void> {
  try {
    terminal.exitCode = await command(terminal.argv.slice(2), createDeployDeps(terminal));
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof ConfigurationError)) throw error;
    terminal.stderr.write(`${error.message}\n`);
    terminal.exitCode = error instanceof Refusal ? error.exitCode : 2;
  }
}
