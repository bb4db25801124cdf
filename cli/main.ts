import { inspect } from 'node:util';
import { askedStages, severalWords } from './terminal/asked-stages.ts';
import { showResult } from './terminal/go-on.ts';
import { leadingTo, type Times, timesIn } from './terminal/times.ts';
import { readCommandLine } from './command-line.ts';
import { WrongLine } from '#shared/text/program-arguments.ts';
import { personDeps, type PersonDeps, severalStage, targetOf, type Terminal } from './command-deps.ts';
import { type CommandDeps, type CommandResult, exitCodes, exitOfFailure } from './terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { failureOf } from '#operator/failures.ts';
import { pastedLine } from '#operator/pasted.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { versionStanding } from '#operator/stage/ask-stage.ts';
import { openStage } from '#operator/stage/operator-deps.ts';
import type { StageAccess } from '#operator/stage/stage-access.ts';
import type { Target } from '#operator/target.ts';

/**
 * Runs one command line; answers the exit code. Never throws.
 * @param folder - what `-C` named, if it was given
 */
export async function main(argv: readonly string[], terminal: Terminal, folder?: string): Promise<number> {
  const [isJson, isUtc] = [argv.includes('--json'), argv.includes('--utc')];
  const chosen: Chosen = {
    folder,
    isUtc,
    stageWords: [],
    stages: () => [],
    person: personDeps(terminal, { isDocument: isJson, isUtc }),
  };
  try {
    const result = await execute(argv, terminal, chosen);
    tellSkew(chosen, terminal);
    const { paint, writeLines } = createTerminalWriter(terminal.stdout);
    if (typeof result === 'string') {
      writeLines(result.split('\n'));
      return exitCodes.done;
    }
    const write = ({ render, data, exitCode = exitCodes.done, now, goesOn }: CommandResult) => {
      const times = leadingTo(timesOf(terminal.stdout, chosen), chosen, () => stageNow(chosen.deps));
      return isJson
        ? writeLines(document(Array.isArray(data) ? data : { ...data, exitCode }))
        : writeLines(
            render({ ...times(now), paint }, times),
            // A screen that is redrawn and scrolls loses its urgent top; a line is left for the cursor.
            goesOn?.isRedrawn === true && terminal.stdout.isTTY ? terminal.stdout.rows - 1 : undefined,
          );
    };
    const { person, target } = chosen;
    const { exitCode = exitCodes.done } = await showResult(result, terminal.stdout, { ...person, target, write });
    return exitCode;
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
  readonly person: PersonDeps;
  target?: Target;
  deps?: CommandDeps;
  /** The folder that `-C` named: a command that is pasted begins in the one that this one was called from. */
  readonly folder: string | undefined;
  /** The words that lead another command to the same stage; none if there are several. */
  stageWords: readonly string[];
  readonly isUtc: boolean;
  /** Those that were opened. */
  stages: () => readonly Pick<StageAccess, 'lastOutputs'>[];
}

/** By the clock of the stage, wherever the person is. */
function timesOf({ isTTY, columns }: NodeJS.WriteStream, { isUtc, stages }: Chosen): Times {
  const zones = stages().map((stage) => stage.lastOutputs()?.Timezone);
  const times = timesIn(isUtc ? 'UTC' : oneZone(zones), { isFile: !isTTY });
  return isTTY ? (now) => ({ ...times(now), width: columns }) : times;
}

/** That of all stages that were read. Stages of several zones are compared in UTC. */
function oneZone(zones: readonly (string | undefined)[]): string {
  const [zone = 'UTC', ...others] = new Set(zones.filter((one) => one !== undefined));
  return others.length === 0 ? zone : 'UTC';
}

/** The stage's time as it was last read. */
function stageNow(deps: Pick<CommandDeps, 'localClock'> | undefined): Date {
  return new Date(Date.now() + (deps?.localClock?.lastOffsetMs() ?? 0));
}

async function execute(argv: readonly string[], terminal: Terminal, chosen: Chosen): Promise<string | CommandResult> {
  const typed = await readCommandLine(argv).catch((error: unknown) => {
    // What was meant is about the stage that was typed.
    const line = error instanceof UsageError && error.cause instanceof WrongLine ? error.cause.args : undefined;
    const [asked, ...others] = line === undefined ? [] : askedStages(line, terminal.env);
    if (asked !== undefined && others.length === 0) chosen.stageWords = asked.words;
    throw error;
  });
  if (typeof typed === 'string') return typed;
  const { name, command, args } = typed;
  const [asked, ...others] = askedStages(args, terminal.env);
  if (others.length === 0) chosen.stageWords = asked.words;
  if ('needsNoStage' in command) return command.run(args);
  if (others.length > 0) {
    const stages = [asked, ...others].map((one) => severalStage(one, chosen.person, terminal));
    // With `stop --stage a --stage b`, a person who means a would stop the runs of b.
    if (command.runSeveral === undefined)
      throw new UsageError(`${severalWords(args)}, and ${name} works with one: keep the one you mean`);
    chosen.stages = () => stages.flatMap(({ opened }) => opened() ?? []);
    return command.runSeveral(args, stages, chosen.person);
  }
  chosen.target = targetOf(asked, terminal);
  chosen.deps = { ...chosen.person, ...openStage(chosen.target)() };
  const { deps } = chosen;
  // A person who waits reads times in the same way as the result has them.
  chosen.deps = { ...deps, written: (at) => timesOf(terminal.stderr, chosen)(stageNow(deps)).at(at) };
  chosen.stages = () => [deps.stage];
  const result = await command.run(args, chosen.deps);
  // The lines are in its zone; most commands have read it by now.
  if (!args.flag('json')) await deps.stage.outputs().catch(() => undefined);
  return result;
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
  if (how.isJson)
    createTerminalWriter(terminal.stdout).writeLines(
      document({ error: { code, message, command: failure.step?.command }, exitCode }),
    );
  else
    writeLines(
      failure.step?.command === undefined
        ? [`${paint('red', 'autopilot')}: ${message}`]
        : [`${paint('red', 'autopilot')}: ${failure.step.says}`, `  ${pastedLine(failure.step.command, how)}`],
    );
  if (how.isVerbose) writeLines(inspect(error).split('\n'));
  return exitCode;
}

/** The lines of a document: what the writer encodes in them are characters of its strings, in the way of JSON. */
function document(data: object): readonly string[] {
  return JSON.stringify(data, null, 2).split('\n');
}
