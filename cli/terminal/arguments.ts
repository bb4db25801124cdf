import { UsageError } from '#operator/errors.ts';
import type { WaitLimit } from '#operator/outcomes/outcome-report.ts';
import type { LineArguments, LineOption, LineSpec } from '#shared/read-line.ts';
import { type Duration, typedDuration } from '#shared/schedule/duration.ts';

/** The command line of one command, read. */
export type CommandArguments = LineArguments;

/** Options that every command takes. */
export const commonOptions = {
  '--local': where('the run on this machine (the default, unless AUTOPILOT_TARGET is aws)'),
  '--aws': where('a deployed stage, with your usual AWS credentials'),
  '--stage <NAME>': {
    ...where('which; NAME@REGION:PROFILE says all in one word (several for status, doctor, console)'),
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
  '--verbose': 'more of each item, and of an error all that is known',
} satisfies LineSpec['options'];

function where(says: string): LineOption {
  return { says, group: 'Where:' };
}

// Values of options: a count, a duration, an instant, how long to wait.

/**
 * Reads a number of things, from 1 up.
 * @throws UsageError naming the option
 */
export function countArgument(option: string, text: string, most = 999_999): number {
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} ${text}: give a whole number from 1 to ${most}`);
}

/**
 * Reads a duration of the command line: `90s`, `1h30m`, `8 hours`, `PT8H`.
 * @throws UsageError naming the option
 */
export function durationArgument(option: string, text: string): Duration {
  const duration = typedDuration(text);
  if (duration !== undefined) return duration;
  throw new UsageError(`${option}: "${text}" is not a duration, for example 90s, 2h or 3d`);
}

const withOffset = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:?\d\d)$/i;

/** An RFC 3339 instant with its offset; undefined for any other text. */
export function instantIn(text: string): Date | undefined {
  const at = new Date(text);
  return withOffset.test(text) && !Number.isNaN(at.getTime()) && beginsWithDate(text) ? at : undefined;
}

/** The error for a text that {@link instantIn} finds no instant in: a day that no calendar has, or another form. */
export function noInstant(option: string, text: string, example: string): UsageError {
  const isSlip = /^\d{4}-\d\d-\d\d/.test(text) && !beginsWithDate(text);
  return new UsageError(
    isSlip
      ? `${option}: there is no such date as ${text.slice(0, 10)}`
      : `${option}: "${text}" is no instant: write it with its offset, like ${example}`,
  );
}

/** The 30th of February is read as the second of March. */
function beginsWithDate(text: string): boolean {
  const date = text.slice(0, 10);
  const at = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date);
}

/**
 * Reads an instant that is over: `2026-11-20T22:00:00Z`, or a duration ago (`2h`).
 * @throws UsageError naming the option, also for an instant to come
 */
function pastArgument(option: string, text: string, now: Date): PastInstant {
  const at = instantIn(text.trim());
  if (at === undefined) {
    if (/^\d{4}-/.test(text.trim())) throw noInstant(option, text.trim(), '2026-11-20T22:00:00Z');
    if (!/\d/.test(text))
      throw new UsageError(`${option}: "${text}" is no instant and no time ago: write 2026-11-20T22:00:00Z, or 2h`);
    return { at: new Date(now.getTime() - durationArgument(option, text).milliseconds), isFixed: false };
  }
  if (at.getTime() <= now.getTime()) return { at, isFixed: true };
  throw new UsageError(`${option}: ${text} is still to come: it is ${now.toISOString()}`);
}

/** An instant that is over, and whether it was given as one: a duration ago is another instant each time it is read. */
interface PastInstant {
  readonly at: Date;
  readonly isFixed: boolean;
}

/**
 * Reads `--since` and `--before`.
 * @throws UsageError also if nothing lies between them
 */
export function pastRange(
  args: Pick<CommandArguments, 'text'>,
  now: Date,
): { readonly since?: PastInstant; readonly before?: PastInstant } {
  const [since, before] = (['since', 'before'] as const).map((name) => {
    const text = args.text(name);
    return text === undefined ? undefined : pastArgument(`--${name}`, text, now);
  });
  if (since !== undefined && before !== undefined && since.at >= before.at) {
    throw new UsageError(
      `nothing lies between --since ${since.at.toISOString()} and --before ${before.at.toISOString()}: the first must be the earlier one`,
    );
  }
  return { since, before };
}

/** Options of every command that waits. */
export const waitingOptions = {
  '--timeout <D>': 'how long to wait for the outcome (default 60s)',
  '--no-wait': 'do not wait for it',
} satisfies LineSpec['options'];

/** The option of every command whose reason is kept. */
export const reasonOption = { '--reason <TEXT>': 'why, kept in the history' } satisfies LineSpec['options'];

/** @throws UsageError if there is none */
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
