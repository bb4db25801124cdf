/** `autopilot init DIR`, and the package `create-gateway-autopilot`: the folder of a new stage. */
import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { type LineArguments, type LineSpec, readLine, WrongLine } from '#shared/text/program-arguments.ts';
import { shellWord } from '#shared/text/command-line.ts';
import { CreateProblem, createStageFolder } from './stage-folder.ts';

/** What `autopilot init` takes. */
export const initSpec: LineSpec = {
  says: 'Makes the folder of a new stage: a configuration with its comments, examples, a workflow that deploys, and one dependency.',
  more: 'The folder is new or empty. npm create gateway-autopilot@latest DIR does the same.',
  words: { '<DIR>': '' },
  options: { '--product <ARCHIVE>': 'take the product from a file, for those who have no registry' },
  examples: ['autopilot init my-stage'],
};

/** What the command writes to, and the environment of the shell, whose Node it asks for. */
type Surroundings = Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>;

const required = 24;

/** Makes the folder that a command line names; answers the exit code. */
export function run(argv: readonly string[], { stdout, stderr, env }: Surroundings): number {
  try {
    const asked = lineOf(argv);
    if (typeof asked === 'string') {
      stdout.write(`${asked}\n`);
      return 0;
    }
    const [folder = ''] = asked.positionals;
    if (folder.trim() === '') throw new CreateProblem('which folder? autopilot init my-stage');
    createStageFolder(folder, asked.text('product'));
    const node = nodeOfShell(env);
    const isOld = node !== undefined && Number(node.split('.')[0]) < required;
    const needs = isOld
      ? ` It needs Node ${required}, and yours is v${node}: nvm takes the one of .nvmrc, and nodejs.org has it too.`
      : '';
    const steps = [
      `cd ${shellWord(folder)}`,
      ...(isOld ? ['nvm install'] : []),
      'npm install',
      'npx --no -- autopilot start',
    ];
    stdout.write(`The stage lies in ${folder}.${needs} Next:\n\n${steps.map((step) => `  ${step}\n`).join('')}`);
    return 0;
  } catch (error) {
    if (!(error instanceof CreateProblem)) throw error;
    stderr.write(`autopilot: ${error.message}\n`);
    return 2;
  }
}

/** A checkout brings a Node along for npm scripts and npx, and the new folder has only that of the shell. */
function nodeOfShell(env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const { stdout } = spawnSync('node', ['--version'], {
    env: { ...env, PATH: folders.join(delimiter) },
    encoding: 'utf8',
  });
  return /^v(\d+\.\S+)/.exec(stdout ?? '')?.[1];
}

function lineOf(argv: readonly string[]): LineArguments | string {
  try {
    return readLine('autopilot init', initSpec, argv);
  } catch (error) {
    throw error instanceof WrongLine ? new CreateProblem(error.sentence, { cause: error }) : error;
  }
}
