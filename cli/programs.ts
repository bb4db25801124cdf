import type { LineSpec } from '#shared/text/program-arguments.ts';
import type { StageCommand } from '#infra/deploy/run-command.ts';

/** A command that reads its own options and takes over the process: a stage on this machine, and what calls the CDK. */
export interface Program {
  readonly summary: string;
  readonly line: () => Promise<LineSpec>;
  /** @returns the exit code; undefined if it sets that itself */
  readonly run: (argv: readonly string[], terminal: NodeJS.Process) => Promise<number | void>;
}

/** Every program, in the order of the help; each is loaded when it is asked for. */
export const programs: Readonly<Record<string, Program>> = {
  init: {
    summary: 'make the folder of a new stage',
    line: async () => (await import('#create/start.ts')).initSpec,
    run: async (argv, terminal) => (await import('#create/start.ts')).run(argv, terminal),
  },
  start: {
    summary: 'run a stage on this machine',
    line: async () => (await import('#local/stage/start-options.ts')).startSpec,
    run: async (argv) => (await import('#local/start.ts')).run(argv),
  },
  gateway: {
    summary: 'run the embedded gateway on its own',
    line: async () => (await import('#gateway/start-options.ts')).gatewaySpec,
    run: async (argv) => (await import('#gateway/start.ts')).run(argv),
  },
  synth: stageCommand('synth', 'make the templates of a stage, and judge them'),
  bootstrap: stageCommand('bootstrap', 'prepare an account and a region, once'),
  diff: stageCommand('diff', 'show what a deployment would change'),
  deploy: stageCommand('deploy', 'deploy a stage into your account'),
  destroy: stageCommand('destroy', 'remove the workers of a stage'),
};

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

const loadStageCommands = async () => import('#infra/deploy/run-command.ts');

function stageCommand(word: StageCommand, summary: string): Program {
  return {
    summary,
    line: async () => (await loadStageCommands()).stageSpecs[word],
    run: async (argv, terminal) => (await loadStageCommands()).runCommand(word, argv, terminal),
  };
}
