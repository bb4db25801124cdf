import { commandList } from './command-list.ts';
import { programs } from './programs.ts';
import { type CommandArguments, commonOptions } from './terminal/arguments.ts';
import type { Command, CommandWithoutStage } from './terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { type LineSpec, type ListedLine, readProgramLine, WrongLine } from '#shared/text/program-arguments.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';

const notes = `Exit codes:
  0  done or applied; a duplicate upload whose dataset is named
  1  an error that none of the others names
  2  the command line is wrong; nothing was done
  3  nothing answers, or the stage, its credentials or a permission are missing
  4  it needs you: parked, or a problem that doctor or token names
  5  passed over on purpose: skipped by a guard, superseded, ignored
  6  no outcome within --timeout`;

const spec: LineSpec = {
  says: "Gateway Autopilot: stages on this machine or in AWS, and the operator's commands for both.",
  more: 'COMMAND --help has the words of each. -C DIR as the first words of all: work in that folder.',
  version: `gateway-autopilot ${productVersion}`,
  options: commonOptions,
  notes,
};

/** A command of the operator as a person typed it. */
export interface TypedCommand {
  readonly name: string;
  readonly command: Command | CommandWithoutStage;
  readonly args: CommandArguments;
}

/** Reads the command line of an operator. */
export async function readCommandLine(argv: readonly string[]): Promise<TypedCommand | string> {
  const [first, ...rest] = argv;
  const words = first === 'help' ? [...rest.filter((word) => word !== 'help'), '--help'] : argv;
  const ofPrograms = Object.entries(programs).map(([name, { summary }]): [string, ListedLine] => {
    return [name, { summary, group: 'A stage:', load: async () => notFirst(name) }];
  });
  const ofCommands = Object.entries(commandList).map(([name, { summary, load }]): [string, ListedLine] => {
    return [name, { summary, group: 'Commands:', load: async () => (await load()).command.line }];
  });
  const listed = Object.fromEntries([...ofPrograms, ...ofCommands]);
  try {
    const read = await readProgramLine('autopilot', { ...spec, listed }, words);
    if (typeof read === 'string') return read;
    const found = await commandList[read.command]?.load();
    if (found === undefined) return notFirst(read.command);
    return { name: read.command, command: found.command, args: read.args };
  } catch (error) {
    throw usageOf(error);
  }
}

/** A line that cannot be read, as the error of an operator; any other error as it is. */
export function usageOf(error: unknown): unknown {
  if (!(error instanceof WrongLine)) return error;
  return new UsageError(error.message, { command: error.command, cause: error });
}

function notFirst(name: string): never {
  throw new UsageError(`${name} takes its own options: nothing can be before it`, {
    command: ['autopilot', name, '--help'],
  });
}
