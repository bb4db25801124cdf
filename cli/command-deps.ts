import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandArguments } from './terminal/arguments.ts';
import { chooseTarget } from './terminal/choose-target.ts';
import type { CommandDeps } from './command.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';
import { UnreachableError } from '#operator/errors.ts';
import { readSecret } from './terminal/read-secret.ts';
import { openStage } from '#operator/stage/open-stage.ts';
import type { Target } from '#operator/stage/target.ts';

/** The part of a process that the command uses. */
export type Terminal = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd' | 'once'>;

const projectDir = resolve(import.meta.dirname, '..');

/** Chooses the stage of a command line. */
export function targetOf(args: CommandArguments, terminal: Terminal): Target {
  return chooseTarget({ args, env: terminal.env, cwd: terminal.cwd(), projectDir, readText });
}

/** What a command may touch: the stage, and the person at the terminal. */
export function createDeps(target: Target, terminal: Terminal): CommandDeps {
  let interruption: AbortController | undefined;
  return {
    ...openStage(target)(),
    interruption() {
      if (interruption === undefined) {
        const made = (interruption = new AbortController());
        terminal.once('SIGINT', () => made.abort());
      }
      return interruption.signal;
    },
    elapsedMs: () => performance.now(),
    wait: (milliseconds) => sleep(milliseconds),
    unique: () => randomUUID().slice(0, 8),
    operator: operatorName(terminal.env),
    readSecret: (prompt) => readSecret(prompt, terminal),
    progress: (line) => createTerminalWriter(terminal.stderr).writeLines([line]),
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
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw new UnreachableError(`${path} cannot be read`, error);
  }
}
