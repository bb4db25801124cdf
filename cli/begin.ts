import { resolve } from 'node:path';
import { callersFolder } from '#shared/places.ts';
import { exitCodes } from './terminal/command.ts';
import { programOf } from './programs.ts';

/** Runs one command line, in the folder that `-C DIR` names, and sets the exit code of the process. */
export async function begin(argv: readonly string[], terminal: NodeJS.Process): Promise<void> {
  const words = goToFolder(argv, terminal);
  if (words === undefined) return;
  const asked = programOf(words);
  if (asked !== undefined) {
    const exitCode = await asked.program.run(asked.words, terminal);
    if (exitCode !== undefined) terminal.exitCode = exitCode;
    return;
  }
  const { main } = await import('./main.ts');
  terminal.exitCode = await main(words, terminal, argv[0] === '-C' ? terminal.cwd() : undefined);
}

/** @returns the words after `-C DIR`; undefined if there is no such folder, which is printed */
function goToFolder(argv: readonly string[], terminal: NodeJS.Process): readonly string[] | undefined {
  if (argv[0] !== '-C') return argv;
  const [, folder = '', ...rest] = argv;
  try {
    if (folder.trim() === '') throw new Error('-C needs the folder of a stage: autopilot -C my-stage status');
    terminal.chdir(resolve(callersFolder, folder));
    return rest;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error;
    const message = isMissing ? `-C ${folder} is no folder that can be entered` : String(error).replace(/^Error: /, '');
    terminal.stderr.write(`autopilot: ${message}\n`);
    terminal.exitCode = exitCodes.usage;
    return undefined;
  }
}
