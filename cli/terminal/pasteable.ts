import { commandLine } from '#operator/readable.ts';
import { commandList } from '../command-list.ts';

/** How this command line was called, and the words that led it to its stage. */
export interface Invocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stageWords: readonly string[];
}

/**
 * Rewrites each command in a line for people, so that it can be pasted as it stands: with `npx` if this one was called so, and with the words
 * that name the same stage.
 * @example `autopilot parked list` becomes `npx autopilot --aws --stage prod parked list`
 */
export function pasteable(line: string, { env, stageWords }: Invocation): string {
  // npm sets it for what npx runs (npm, "exec").
  const called = env['npm_command'] === 'exec' ? 'npx autopilot' : 'autopilot';
  return line.replaceAll(hint, (whole, name: string, at: number) =>
    isQuoted(line, at) ? whole : `${called} ${commandLine([...stageWords, name])}`,
  );
}

/** A command of ours, but not one that names its stage or its `npx` already. */
const hint = new RegExp(`(?<!npx )\\bautopilot (${Object.keys(commandList).join('|')})\\b(?!.*--aws)`, 'g');

/** A word in quotes is a key or a reason of other people, to paste as it is. */
function isQuoted(line: string, at: number): boolean {
  return (line.slice(0, at).split("'").length - 1) % 2 === 1;
}
