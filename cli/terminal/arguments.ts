import { UsageError } from '#operator/errors.ts';
import type { WaitLimit } from '#operator/outcomes/outcome-report.ts';
import type { LineArguments, LineOption, LineSpec } from '#shared/text/program-arguments.ts';
import { type Duration, typedDuration } from '#shared/schedule/duration.ts';

/** The command line of one command, read. */
export type CommandArguments = LineArguments;

/** Options that every command takes. */
export const commonOptions = {
  '--local': where('the run on this machine (the default, unless AUTOPILOT_TARGET is aws)'),
  '--aws': where('a deployed stage, with your usual AWS credentials'),
  '--stage <NAME>': {
    ...where('which; NAME@REGION:PROFILE says all in one word (several for status, console)'),
    isRepeated: true,
  },
  '--profile <NAME>': where('as in the AWS CLI'),
  '--region <NAME>': where('as in the AWS CLI'),
  '--data <DIR>': {
    ...where('the folder of the local run (AUTOPILOT_DATA; default .autopilot)'),
    isRepeated: true,
  },
  '--as <POLICY>': where(
    'in the local run: with one policy for people (Reader, Operator, LinkTester, DatasetsWriter, StartingDatasetsWriter)',
  ),
  '--json': 'one JSON document on stdout; progress and errors for people stay on stderr',
  '--utc': 'times in UTC, and not by the clock of the stage',
  '--verbose': 'more of each item, and of an error all that is known',
} satisfies LineSpec['options'];

function where(says: string): LineOption {
  return { says, group: 'Where:' };
}

/** Reads a number of things, from 1 up. */
export function countArgument(option: string, text: string, most = 999_999): number {
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} ${text}: give a whole number from 1 to ${most}`);
}

/** Reads a duration of the command line: `90s`, `1h30m`, `8 hours`, `PT8H`. */
export function durationArgument(option: string, text: string): Duration {
  const duration = typedDuration(text);
  if (duration !== undefined) return duration;
  throw new UsageError(`${option}: "${text}" is not a duration, for example 90s, 2h or 3d`);
}

/** Options of every command that waits. */
export const waitingOptions = {
  '--timeout <D>': 'how long to wait for the outcome (default 60s)',
  '--no-wait': 'do not wait for it',
} satisfies LineSpec['options'];

/** The option of every command whose reason is kept. */
export const reasonOption = { '--reason <TEXT>': 'why, kept in the history' } satisfies LineSpec['options'];

/** The reason of a command that needs one. */
export function requiredReason(args: CommandArguments): string {
  const reason = args.text('reason');
  if (reason === undefined) throw new UsageError('--reason is required (kept in the history)');
  return reason;
}

const defaultTimeout = '60s';

/** Reads `--timeout` and `--no-wait`. */
export function patienceOf(args: CommandArguments): WaitLimit {
  const { milliseconds } = durationArgument('--timeout', args.text('timeout') ?? defaultTimeout);
  return args.flag('no-wait') ? undefined : { timeoutMs: milliseconds };
}
