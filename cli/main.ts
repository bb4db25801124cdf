import { inspect } from 'node:util';
import { commonOptions, readArguments, splitCommand, stageWords } from './terminal/arguments.ts';
import { showUntilInterrupted } from './terminal/go-on.ts';
import { type Invocation, pasteable } from './terminal/pasteable.ts';
import { createDeps, targetOf, type Terminal } from './command-deps.ts';
import { commandList, generalHelp } from './command-list.ts';
import type { CommandDeps, CommandResult } from './command.ts';
import { failureOf, UsageError } from '#operator/errors.ts';
import { exitCodes, exitOfFailure } from './exit-codes.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { versionStanding } from '#operator/stage/stage-version.ts';
import type { Target } from '#operator/stage/target.ts';

/** Runs one command line; answers the exit code. Never throws. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const isJson = argv.includes('--json');
  const chosen: Chosen = { stageWords: [] };
  try {
    const result = await execute(argv, terminal, chosen);
    tellSkew(chosen, terminal);
    const { paint, writeLines } = createTerminalWriter(terminal.stdout);
    if (typeof result === 'string') {
      writeLines(result.split('\n'));
      return exitCodes.done;
    }
    const write = ({ render, data, exitCode }: CommandResult) =>
      isJson
        ? writeLines(document({ ...data, exitCode }))
        : writeLines(forPeople(render(paint), terminal.stdout, { env: terminal.env, ...chosen }));
    const { deps } = chosen;
    if (result.goesOn === undefined || deps === undefined) {
      write(result);
      return result.exitCode;
    }
    return (await showUntilInterrupted(result, terminal.stdout, { ...deps, write })).exitCode;
  } catch (error) {
    const exitCode = reportFailure(error, { isJson, isVerbose: argv.includes('--verbose'), ...chosen }, terminal);
    tellSkew(chosen, terminal);
    return exitCode;
  }
}

/** Says that the stage was deployed by another version, if the command asked the stage for anything. */
function tellSkew({ deps }: Chosen, terminal: Terminal): void {
  const outputs = deps?.stage.lastOutputs();
  const says = outputs === undefined ? undefined : versionStanding(outputs).says;
  if (says !== undefined) createTerminalWriter(terminal.stderr).writeLines([`autopilot: ${says}`]);
}

/** What the command line chose, as far as it was read. */
interface Chosen {
  target?: Target;
  deps?: CommandDeps;
  /** The words that lead another command to the same stage. */
  stageWords: readonly string[];
}

/** A person can paste what a terminal shows; a file keeps the plain words. */
function forPeople(lines: readonly string[], stream: NodeJS.WriteStream, invocation: Invocation): readonly string[] {
  return stream.isTTY ? lines.map((line) => pasteable(line, invocation)) : lines;
}

/** A help text, or the result of the command. */
async function execute(argv: readonly string[], terminal: Terminal, chosen: Chosen): Promise<string | CommandResult> {
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
  chosen.stageWords = stageWords(args);
  chosen.target = targetOf(args, terminal);
  chosen.deps = createDeps(chosen.target, terminal);
  return command.run(args, chosen.deps);
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
  how: Chosen & { readonly isJson: boolean; readonly isVerbose: boolean },
  terminal: Terminal,
): number {
  const failure = failureOf(error, how.target);
  const { code, message } = failure;
  const exitCode = exitOfFailure(failure);
  const { paint, writeLines } = createTerminalWriter(terminal.stderr);
  if (how.isJson) createTerminalWriter(terminal.stdout).writeLines(document({ error: { code, message }, exitCode }));
  else
    writeLines(forPeople([`${paint('red', 'autopilot')}: ${message}`], terminal.stderr, { env: terminal.env, ...how }));
  if (how.isVerbose) writeLines(inspect(error).split('\n'));
  return exitCode;
}

/** The lines of a document: what the writer encodes in them are characters of its strings, in the way of JSON. */
function document(data: object): readonly string[] {
  return JSON.stringify(data, null, 2).split('\n');
}
