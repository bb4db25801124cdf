import { parseArgs } from 'node:util';
import { UsageError } from '#operator/errors.ts';
import type { WaitLimit } from '#operator/outcomes/outcome-report.ts';
import { type Duration, typedDuration } from '#shared/schedule/duration.ts';
import { shellWord } from '#shared/text/command-line.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';

/** Options by name, as node:util's parseArgs takes them. */
export type OptionsConfig = Readonly<
  Record<string, { readonly type: 'string' | 'boolean'; readonly short?: string; readonly multiple?: boolean }>
>;

/** The command line of one command, read. */
export interface CommandArguments {
  readonly positionals: readonly string[];
  /** The value of an option; the first of one that may be given several times. */
  readonly text: (name: string) => string | undefined;
  /** The values of an option that may be given several times, in order. */
  readonly texts: (name: string) => readonly string[];
  /** Whether a switch was given. */
  readonly flag: (name: string) => boolean;
}

/** Options that every command takes. */
export const commonOptions = {
  local: { type: 'boolean' },
  aws: { type: 'boolean' },
  stage: { type: 'string', multiple: true },
  data: { type: 'string', multiple: true },
  as: { type: 'string' },
  profile: { type: 'string' },
  region: { type: 'string' },
  json: { type: 'boolean' },
  verbose: { type: 'boolean' },
  utc: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies OptionsConfig;

/** Splits the command's word from the rest; common options may stand before it. */
export function splitCommand(argv: readonly string[]): { readonly name?: string; readonly rest: readonly string[] } {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (!word.startsWith('-')) return { name: word, rest: argv.toSpliced(index, 1) };
    if (takesValue(word)) index += 1;
  }
  return { rest: argv };
}

function takesValue(word: string): boolean {
  return Object.entries(commonOptions).some(([name, { type }]) => type === 'string' && word === `--${name}`);
}

/**
 * Reads a command line strictly.
 * @throws UsageError for an unknown option (with the nearest one) or a missing or empty value. Also
 *   for an option that is there twice and has one value
 */
export function readArguments(argv: readonly string[], options: OptionsConfig): CommandArguments {
  const known: OptionsConfig = { ...commonOptions, ...options };
  const { values, positionals, tokens } = parseStrictly(argv, known);
  refuseRepeated(tokens, known);
  const empty = Object.entries(values).find(([, value]) =>
    [value].flat().some((one) => typeof one === 'string' && one.trim() === ''),
  );
  if (empty !== undefined) throw new UsageError(`--${empty[0]} needs a value and got an empty one`);
  return {
    positionals,
    text: (name) => [values[name]].flat().find((value) => typeof value === 'string'),
    texts: (name) => [values[name]].flat().filter((value) => typeof value === 'string'),
    flag: (name) => values[name] === true,
  };
}

function parseStrictly(argv: readonly string[], options: OptionsConfig) {
  try {
    return parseArgs({ args: [...argv], options: { ...options }, allowPositionals: true, strict: true, tokens: true });
  } catch (error) {
    throw new UsageError(sentenceFor(error, argv, Object.keys(options)), { cause: error });
  }
}

/** The last value would win in silence. */
function refuseRepeated(
  tokens: readonly { readonly kind: string; readonly name?: string; readonly value?: unknown }[],
  options: OptionsConfig,
): void {
  const values = Map.groupBy(
    tokens.filter(({ kind, name = '' }) => kind === 'option' && options[name]?.type === 'string'),
    ({ name = '' }) => name,
  );
  for (const [name, given] of values) {
    if (given.length < 2 || options[name]?.multiple === true) continue;
    const texts = given.map(({ value }) => String(value));
    throw new UsageError(`${repeated(name, texts)}: it takes one value; keep the one you mean`);
  }
}

/** parseArgs explains at length; a person needs the option and what is wrong with it. */
function sentenceFor(error: unknown, argv: readonly string[], known: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const option = /'(?:-\w, )?(--?[^\s'=]+)/.exec(message)?.[1] ?? argv[0] ?? '';
  if (/Unknown option/.test(message)) {
    // parseArgs names one letter of a word that begins with one dash.
    const word = argv.find((typed) => typed.startsWith(option)) ?? option;
    if (/^-\d/.test(word)) return `nothing takes less than zero, like ${word}; the clock only moves forward`;
    if (/^-[^-].*\.\w+$/.test(word)) return `there is no option ${option}; a file ${word} is ${shellWord(`./${word}`)}`;
    const near = didYouMean(option.replace(/^-+/, ''), known, ':').replace('"', '"--');
    return `there is no option ${option}${near}`;
  }
  if (/argument missing|ambiguous/.test(message)) return missingValue(option, argv);
  if (/does not take an argument/.test(message)) return `${option} takes no value`;
  return message.split('\n')[0] ?? message;
}

/** A value that begins with a dash is taken for an option. */
function missingValue(option: string, argv: readonly string[]): string {
  const next = argv[argv.indexOf(option) + 1] ?? '';
  return /^-\d/.test(next) ? `${option} ${next}: nothing takes less than zero` : `${option} needs a value`;
}

/** The beginning of a sentence about an option that is there too often. */
export function repeated(name: string, given: readonly string[]): string {
  return `--${name} is there ${given.length} times (${given.join(' and ')})`;
}

// Values of options: a count, a duration, how long to wait.

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

/** Options of every command that waits. */
export const waitingOptions = { timeout: { type: 'string' }, 'no-wait': { type: 'boolean' } } as const;

const defaultTimeout = '60s';

/** Reads `--timeout` and `--no-wait`. */
export function patienceOf(args: CommandArguments): WaitLimit {
  const { milliseconds } = durationArgument('--timeout', args.text('timeout') ?? defaultTimeout);
  return args.flag('no-wait') ? undefined : { timeoutMs: milliseconds };
}
