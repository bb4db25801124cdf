import type { StageCommand } from '#infra/deploy/run-command.ts';
import type { ProgramName } from './terminal/command-names.ts';

/** A command that reads its own options and takes over the process: a stage on this machine, and what calls the CDK. */
export interface Program {
  readonly summary: string;
  /** @returns the exit code; undefined if it sets that itself */
  readonly run: (argv: readonly string[], terminal: NodeJS.Process) => Promise<number | void>;
}

/** Every program, in the order of the help; each is loaded when it is asked for. */
export const programs: Readonly<Record<string, Program>> = {
  init: {
    summary: 'make the folder of a new stage',
    run: async (argv, terminal) => (await import('#create/start.ts')).run(argv, terminal),
  },
  start: {
    summary: 'run a stage on this machine',
    run: async (argv) => (await import('#local/start.ts')).run(argv),
  },
  gateway: {
    summary: 'run the embedded gateway on its own',
    run: async (argv) => (await import('#gateway/start.ts')).run(argv),
  },
  synth: { summary: 'make the templates of a stage, and judge them', run: stageCommand('synth') },
  bootstrap: { summary: 'prepare an account and a region, once', run: stageCommand('bootstrap') },
  diff: { summary: 'show what a deployment would change', run: stageCommand('diff') },
  deploy: { summary: 'deploy a stage into your account', run: stageCommand('deploy') },
  destroy: { summary: 'remove the workers of a stage', run: stageCommand('destroy') },
} satisfies Readonly<Record<ProgramName, Program>>;

/** The program that a command line asks for, and its words; undefined for the commands of the operator. */
export function programOf(
  argv: readonly string[],
): { readonly program: Program; readonly words: readonly string[] } | undefined {
  const [first = '', ...rest] = argv;
  const isHelp = first === 'help';
  const name = isHelp ? (rest[0] ?? '') : first;
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return program === undefined ? undefined : { program, words: isHelp ? ['--help'] : rest };
}

function stageCommand(word: StageCommand): Program['run'] {
  return async (argv, terminal) => (await import('#infra/deploy/run-command.ts')).runCommand(word, argv, terminal);
}
