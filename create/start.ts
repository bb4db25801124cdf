/** `autopilot init DIR`, and the package `create-gateway-autopilot`: the folder of a new stage. */
import { type LineArguments, type LineSpec, readLine, WrongLine } from '#shared/read-line.ts';
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

/** What the command writes to. */
type Streams = Pick<NodeJS.Process, 'stdout' | 'stderr'>;

/** Makes the folder that a command line names; answers the exit code. */
export function run(argv: readonly string[], { stdout, stderr }: Streams): number {
  try {
    const asked = lineOf(argv);
    if (typeof asked === 'string') {
      stdout.write(`${asked}\n`);
      return 0;
    }
    const [folder = ''] = asked.positionals;
    if (folder.trim() === '') throw new CreateProblem('which folder? autopilot init my-stage');
    createStageFolder(folder, asked.text('product'));
    const quoted = shellWord(folder);
    stdout.write(
      `The stage lies in ${folder}. Next:\n\n  cd ${quoted}\n  npm install\n  npx --no -- autopilot start\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof CreateProblem)) throw error;
    stderr.write(`autopilot: ${error.message}\n`);
    return 2;
  }
}

function lineOf(argv: readonly string[]): LineArguments | string {
  try {
    return readLine('autopilot init', initSpec, argv);
  } catch (error) {
    throw error instanceof WrongLine ? new CreateProblem(error.sentence, { cause: error }) : error;
  }
}
