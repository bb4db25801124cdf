/** `autopilot init DIR`, and the package `create-gateway-autopilot`: the folder of a new stage. */
import { parseArgs } from 'node:util';
import { CreateProblem, createStageFolder } from './stage-folder.ts';

/** The text of `autopilot init --help`. */
export const initHelp = `autopilot init DIR [--product ARCHIVE], or npm create gateway-autopilot@latest DIR

Makes the folder of a new stage: a configuration with its comments, examples, a workflow that deploys, and one dependency.
The folder is new or empty. --product takes the product from a file, for those who have no registry.
`;

/** What the command writes to. */
type Streams = Pick<NodeJS.Process, 'stdout' | 'stderr'>;

/** Makes the folder that a command line names; answers the exit code. */
export function run(argv: readonly string[], { stdout, stderr }: Streams): number {
  try {
    const asked = readArguments(argv);
    if (asked === 'help') {
      stdout.write(initHelp);
      return 0;
    }
    createStageFolder(asked.folder, asked.archive);
    const quoted = /^[\w./-]+$/.test(asked.folder)
      ? asked.folder
      : `'${asked.folder.replaceAll("'", String.raw`'\''`)}'`;
    stdout.write(`The stage lies in ${asked.folder}. Next:\n\n  cd ${quoted}\n  npm install\n  npx autopilot start\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof CreateProblem)) throw error;
    stderr.write(`autopilot: ${error.message}\n`);
    return 2;
  }
}

function readArguments(
  argv: readonly string[],
): { readonly folder: string; readonly archive?: string | undefined } | 'help' {
  const { values, positionals } = parsed(argv);
  if (values.help === true) return 'help';
  const [folder = '', ...more] = positionals;
  if (folder.trim() === '') throw new CreateProblem('which folder? autopilot init my-stage');
  if (more.length > 0) throw new CreateProblem(`one folder at a time: ${positionals.join(', ')}`);
  return { folder, archive: values.product };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: { product: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (error) {
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new CreateProblem(`${sentence}; autopilot init --help`, { cause: error });
  }
}
