import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AskedStage } from './terminal/asked-stages.ts';
import { chooseTarget } from './terminal/choose-target.ts';
import type { CommandDeps, SeveralStage } from './terminal/command.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { openStage, type StageDeps } from '#operator/stage/operator-deps.ts';
import { createWorkingLine } from './terminal/output.ts';
import { readSecret } from './terminal/read-secret.ts';
import type { Target } from '#operator/target.ts';

/** The part of a process that the command uses. */
export type Terminal = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd' | 'once'>;

/** Chooses the stage that a command line names. */
export function targetOf({ args }: AskedStage, terminal: Terminal): Target {
  return chooseTarget({ args, env: terminal.env, cwd: terminal.cwd(), readText });
}

/** What of the dependencies belongs to the process and its person, for every stage. */
export type PersonDeps = Omit<CommandDeps, keyof StageDeps>;

/**
 * The person at the terminal.
 * @param how.isDocument - the result is one document for a program: no line is drawn for a person
 * @param how.isUtc - they want times in UTC
 */
export function personDeps(
  terminal: Terminal,
  { isDocument = false, isUtc = false }: { readonly isDocument?: boolean; readonly isUtc?: boolean } = {},
): PersonDeps {
  const working = isDocument ? undefined : createWorkingLine(terminal.stderr);
  let interruption: AbortController | undefined;
  return {
    zone: isUtc ? 'UTC' : undefined,
    interruption(...also) {
      const made = interruption ?? new AbortController();
      if (interruption === undefined) terminal.once('SIGINT', () => made.abort());
      for (const signal of also) terminal.once(signal, () => made.abort());
      interruption = made;
      return made.signal;
    },
    elapsedMs: () => performance.now(),
    wait: (milliseconds) => sleep(milliseconds),
    unique: () => randomUUID().slice(0, 8),
    operator: operatorName(terminal.env),
    readSecret: (prompt) => readSecret(prompt, terminal),
    onEnter(listener) {
      const lines = createInterface({ input: terminal.stdin });
      lines.on('line', listener);
      return () => lines.close();
    },
    progress(line) {
      working?.clear();
      createTerminalWriter(terminal.stderr).writeLines([line]);
    },
    working: working?.show,
  };
}

/** One of several stages, opened when it is first looked at; one that is not there yet is looked for again. */
export function severalStage(
  asked: AskedStage,
  person: PersonDeps,
  terminal: Terminal,
): SeveralStage & { readonly opened: () => CommandDeps['stage'] | undefined } {
  let opened: CommandDeps | undefined;
  return {
    label: asked.label,
    words: asked.words,
    opened: () => opened?.stage,
    open: () => (opened ??= { ...person, ...openStage(targetOf(asked, terminal))() }),
  };
}

function operatorName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return env['USER'] || 'operator';
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
