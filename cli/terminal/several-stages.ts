import type { CommandResult, SeveralStage } from '../command.ts';
import { type ExitCode, exitCodes, exitOfFailure, gravestExit } from '../exit-codes.ts';
import { pasteable } from './pasteable.ts';
import { localInstants } from './people-lines.ts';
import type { When } from './times.ts';
import type { Seen } from '#operator/status/several-stages.ts';

/** One of several stages as it was seen: what a command of one stage would print, or why it could not be looked at. */
export type SeenStage<Found extends Printed = Printed> = SeveralStage & Seen<Found>;

/** What of a stage goes into its entry of the list. */
export type Printed = Pick<CommandResult, 'data' | 'exitCode'>;

/** What `--json` prints of several stages, in the order in which they were asked for, and the gravest of their exit codes. Pure. */
export function listOf(seen: readonly SeenStage[]): { readonly exitCode: ExitCode; readonly data: readonly object[] } {
  const data = seen.map((stage) => ({
    asked: stage.label,
    ...('failure' in stage ? { error: stage.failure } : stage.found.data),
    exitCode: exitOf(stage),
  }));
  return { exitCode: gravestExit(seen.map(exitOf)), data };
}

function exitOf(stage: SeenStage): ExitCode {
  return 'failure' in stage ? exitOfFailure(stage.failure) : stage.found.exitCode;
}

/** The gravest first; the others as they were asked for. */
export function gravestFirst<Stage extends SeenStage>(seen: readonly Stage[]): readonly Stage[] {
  const isFirst = (stage: Stage) => ('failure' in stage ? 2 : stage.found.exitCode === exitCodes.done ? 0 : 1);
  return seen.toSorted((a, b) => isFirst(b) - isFirst(a));
}

/**
 * Lines about one of several stages. Each command in them names its stage: a line that is pasted must not meet another one.
 * @param when - the stage's time: two local runs may have moved their clocks apart
 */
export function linesAbout(
  { words }: Pick<SeveralStage, 'words'>,
  lines: readonly string[],
  when?: When,
): readonly string[] {
  const local = when === undefined ? lines : lines.map((line) => localInstants(line, when));
  return local.map((line) => `  ${pasteable(line, { env: {}, stageWords: words })}`);
}
