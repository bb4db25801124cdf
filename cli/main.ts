import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { commonOptions, readArguments, splitCommand } from './arguments.ts';
import type { CommandArguments } from './arguments.ts';
import type { CommandResult } from './command.ts';
import { commandList, generalHelp } from './command-list.ts';
import type { CommandDeps } from './deps.ts';
import { UnreachableError, UsageError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { failureOf } from './failures.ts';
import { createLocalClock } from './local-clock.ts';
import { didYouMean } from './nearest.ts';
import { paintFor } from './output.ts';
import { readSecret } from './read-secret.ts';
import { createStageAccess } from './stage-access.ts';
import { chooseTarget, clientEnvironment, type Target } from './target.ts';

/** The part of a process that the command uses. */
export type Terminal = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd' | 'once'>;

/** Runs one command line; answers the exit code. Never throws. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const isJson = argv.includes('--json');
  const chosen: { target?: Target } = {};
  try {
    const result = await execute(argv, terminal, chosen);
    if (typeof result === 'string') {
      terminal.stdout.write(`${result}\n`);
      return exitCodes.done;
    }
    const paint = paintFor(terminal.stdout);
    const text = isJson ? document({ ...result.data, exitCode: result.exitCode }) : result.render(paint).join('\n');
    terminal.stdout.write(`${text}\n`);
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
    const near = didYouMean(name, Object.keys(commandList)) || ': autopilot --help lists the commands';
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

const projectDir = resolve(import.meta.dirname, '..');

function targetOf(args: CommandArguments, terminal: Terminal): Target {
  const target = chooseTarget({ args, env: terminal.env, cwd: terminal.cwd(), projectDir, readText });
  const wanted = clientEnvironment(target, terminal.env);
  for (const name of Object.keys(terminal.env)) if (!(name in wanted)) delete terminal.env[name];
  Object.assign(terminal.env, wanted);
  return target;
}

function createDeps(target: Target, terminal: Terminal): CommandDeps {
  const localClock = target.kind === 'local' ? createLocalClock(target.endpoint) : undefined;
  let aheadMs: Promise<number> | undefined;
  let interruption: AbortController | undefined;
  return {
    target,
    stage: createStageAccess(target.stage),
    ...(localClock === undefined ? {} : { localClock }),
    async now() {
      aheadMs ??= (async () => (await localClock?.read())?.offsetMs ?? 0)();
      return new Date(Date.now() + (await aheadMs));
    },
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
    progress: (line) => {
      terminal.stderr.write(`${line}\n`);
    },
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

function reportFailure(
  error: unknown,
  how: { readonly isJson: boolean; readonly isVerbose: boolean; readonly target: Target | undefined },
  terminal: Terminal,
): number {
  const { exitCode, code, message } = failureOf(error, how.target);
  if (how.isJson) terminal.stdout.write(`${document({ error: { code, message }, exitCode })}\n`);
  else terminal.stderr.write(`${paintFor(terminal.stderr)('red', 'autopilot')}: ${message}\n`);
  if (how.isVerbose) terminal.stderr.write(`${inspect(error)}\n`);
  return exitCode;
}

function document(data: object): string {
  return JSON.stringify(data, null, 2);
}
