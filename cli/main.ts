import { inspect } from 'node:util';
import { commonOptions, readArguments, splitCommand } from './terminal/arguments.ts';
import { createDeps, targetOf, type Terminal } from './command-deps.ts';
import { commandList, generalHelp } from './command-list.ts';
import type { CommandResult } from './command.ts';
import { failureOf, UsageError } from '#operator/errors.ts';
import { exitCodes, exitOfFailure } from './exit-codes.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import type { Target } from '#operator/stage/target.ts';

/** Runs one command line; answers the exit code. Never throws. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const isJson = argv.includes('--json');
  const chosen: { target?: Target } = {};
  try {
    const result = await execute(argv, terminal, chosen);
    const { paint, writeLines } = createTerminalWriter(terminal.stdout);
    if (typeof result === 'string') {
      writeLines(result.split('\n'));
      return exitCodes.done;
    }
    writeLines(isJson ? document({ ...result.data, exitCode: result.exitCode }) : result.render(paint));
    return result.exitCode;
  } catch (error) {
    return reportFailure(error, { isJson, isVerbose: argv.includes('--verbose'), target: chosen.target }, terminal);
  }
}

/** A help text, or the result of the command. */
async function execute(
  argv: readonly string[],
  terminal: Terminal,
  chosen: { target?: Target },
): Promise<string | CommandResult> {
  const { name, rest } = splitCommand(argv);
  if (name === undefined || name === 'help') return helpOf(rest, name);
  const listed = Object.hasOwn(commandList, name) ? commandList[name] : undefined;
  if (listed === undefined) {
    const near = didYouMean(name, Object.keys(commandList), ':') || ': autopilot --help lists the commands';
    throw new UsageError(`there is no command "${name}"${near}`);
  }
  const { command } = await listed.load();
  if (rest.includes('--help') || rest.includes('-h')) return command.help;
  const args = readArguments(rest, command.options);
  chosen.target = targetOf(args, terminal);
  return command.run(args, createDeps(chosen.target, terminal));
}

async function helpOf(rest: readonly string[], name: string | undefined): Promise<string> {
  const topic = name === 'help' ? rest.find((word) => !word.startsWith('-')) : undefined;
  if (topic !== undefined && Object.hasOwn(commandList, topic)) {
    return (await commandList[topic]?.load())?.command.help ?? generalHelp;
  }
  const args = readArguments(rest, commonOptions);
  if (name === undefined && !args.flag('help')) throw new UsageError('which command? autopilot --help lists them');
  return generalHelp;
}

function reportFailure(
  error: unknown,
  how: { readonly isJson: boolean; readonly isVerbose: boolean; readonly target: Target | undefined },
  terminal: Terminal,
): number {
  const failure = failureOf(error, how.target);
  const { code, message } = failure;
  const exitCode = exitOfFailure(failure);
  const { paint, writeLines } = createTerminalWriter(terminal.stderr);
  if (how.isJson) createTerminalWriter(terminal.stdout).writeLines(document({ error: { code, message }, exitCode }));
  else writeLines([`${paint('red', 'autopilot')}: ${message}`]);
  if (how.isVerbose) writeLines(inspect(error).split('\n'));
  return exitCode;
}

/** The lines of a document: what the writer encodes in them are characters of its strings, in the way of JSON. */
function document(data: object): readonly string[] {
  return JSON.stringify(data, null, 2).split('\n');
}
