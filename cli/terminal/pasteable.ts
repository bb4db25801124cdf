import { commandLine } from '#operator/readable.ts';
import { commandList } from '../command-list.ts';
import { programs } from '../programs.ts';

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
  return line.replaceAll(hint, (whole, name: string | undefined, at: number) => {
    if (isQuoted(line, at)) return whole;
    if (name === undefined) return `${called} `;
    if (Object.hasOwn(programs, name) || name === 'runbook') return `${called} ${name}`;
    return `${called} ${commandLine([...(namesStage.test(line.slice(at)) ? [] : stageWords), name])}`;
  });
}

/** A command of ours, its stage before or after its name; not one that has its `npx` already. */
const hint = new RegExp(
  String.raw`(?<!npx )\bautopilot (?:(?=--(?:aws|local|stage|data) )|(${[...Object.keys(programs), ...Object.keys(commandList)].join('|')})\b)`,
  'g',
);

/** A second `--data` would name a second stage. */
const namesStage = / --(?:aws|local|stage|data)\b/;

/** A word in quotes is a key or a reason of other people, to paste as it is. */
function isQuoted(line: string, at: number): boolean {
  return (line.slice(0, at).split("'").length - 1) % 2 === 1;
}
