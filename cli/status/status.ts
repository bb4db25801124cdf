import type { Command, CommandDeps, CommandResult } from '../command.ts';
import type { CommandArguments } from '../terminal/arguments.ts';
import { refuseDocument } from '../terminal/go-on.ts';
import { UsageError } from '#operator/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { severalStatuses } from './several-stages.ts';
import { statusLines } from './status-lines.ts';
import { readStageStatus } from '#operator/status/stage-status.ts';

const help = `autopilot status [--watch]

One look at a stage: whether it acts or only observes, what is frozen or paused,
whether its workers may call the gateway, queues and dead letters, schedules
with their next times, what is parked and why, what is in flight or put off,
commands and uploads that were tried and have no outcome yet, the last outcomes.
Times are in your zone on a terminal (TZ sets it), and in UTC in a file.

Of several stages, a line each: those that cannot be read first, then those that
need a person, and beneath them what to do. --json is then a list.

  --watch                   again every two seconds, until Ctrl-C

Examples
  autopilot status
  autopilot status --watch
  autopilot status --aws --stage prod
  autopilot status --stage prod@eu-west-1:ops --stage dr@eu-west-2:ops
  autopilot status --json | jq '.queues[] | select(.isDeadLetter)'`;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  return watchable(args, async () => screen(deps));
}

async function runSeveral(...[args, stages]: Parameters<NonNullable<Command['runSeveral']>>): Promise<CommandResult> {
  return watchable(args, async () => severalStatuses(stages));
}

/** One look, or one after the other. */
async function watchable(args: CommandArguments, look: () => Promise<CommandResult>): Promise<CommandResult> {
  const [word] = args.positionals;
  if (word !== undefined)
    throw new UsageError(`status takes no words, and "${word}" is one: name a stage with --stage`);
  if (!args.flag('watch')) return look();
  refuseDocument('watch', args.flag('json'));
  const watched = async (): Promise<CommandResult> => ({
    ...(await look()),
    goesOn: { isRedrawn: true, next: watched },
  });
  return watched();
}

async function screen(deps: CommandDeps): Promise<CommandResult> {
  const status = await readStageStatus(deps);
  const where = deps.target.kind === 'local' ? `local run at ${deps.target.endpoint}` : 'AWS';
  return {
    exitCode: exitCodes.done,
    data: status,
    render: (paint, times) => statusLines(status, where, { paint, ...times(new Date(status.now)) }),
  };
}

/** `autopilot status`. */
export const command: Command = { help, options: { watch: { type: 'boolean' } }, run, runSeveral };
