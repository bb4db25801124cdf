import { clearScreenDown, cursorTo } from 'node:readline';
import type { CommandDeps, CommandResult } from './command.ts';
import { UsageError } from '#operator/errors.ts';
import { failureOf } from '#operator/failures.ts';
import type { Target } from '#operator/target.ts';

/**
 * How often it is read again: a person who waits for a freeze sees it at once. The ledger answers
 * at most 30 readings a minute.
 */
const everyMs = 2_000;

/**
 * Shows a result; one that goes on, every two seconds, until Ctrl-C. A screen that is redrawn takes the place of
 * the one before, if it is on a terminal.
 */
export async function showResult(
  first: CommandResult,
  stdout: NodeJS.WriteStream,
  {
    write,
    ...deps
  }: Pick<CommandDeps, 'interruption' | 'wait' | 'progress'> & {
    readonly target?: Target | undefined;
    readonly write: (result: CommandResult) => void;
  },
): Promise<CommandResult> {
  const show = (result: CommandResult): void => {
    if (result.goesOn?.isRedrawn === true && stdout.isTTY) {
      cursorTo(stdout, 0, 0);
      clearScreenDown(stdout);
    }
    write(result);
  };
  let shown = first;
  show(shown);
  if (shown.goesOn === undefined) return shown;
  const interruption = deps.interruption();
  while (shown.goesOn !== undefined) {
    await deps.wait(everyMs);
    if (interruption.aborted) break;
    try {
      shown = await shown.goesOn.next();
    } catch (error) {
      // A stage that does not answer for a moment is no reason to end.
      deps.progress(`not read: ${failureOf(error, deps.target).message}`);
      continue;
    }
    show(shown);
  }
  return shown;
}

/** @throws UsageError if a result that goes on is wanted as one document */
export function refuseDocument(option: string, isJson: boolean): void {
  if (isJson)
    throw new UsageError(`--${option} is for people and never ends, and --json is one document: give one of them`);
}
