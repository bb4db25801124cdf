/** The command lines of all programs: their words and options are data, which commander reads and prints as help. */
import { Command, type CommanderError, Help, Option } from 'commander';
import { printedLine } from './printed-line.ts';
import { didYouMean } from './did-you-mean.ts';

/** An option that needs more than a sentence. */
export interface LineOption {
  readonly says: string;
  readonly choices?: readonly string[];
  /** Options that it cannot be beside, as properties: `dryRun`. */
  readonly conflicts?: readonly string[];
  /** It may be there several times. */
  readonly isRepeated?: boolean;
  /** The help of another command has it. */
  readonly isHidden?: boolean;
  /** Its heading in the help. */
  readonly group?: string;
}

/** What one command takes. */
export interface LineSpec {
  /** One sentence. */
  readonly says: string;
  /** What a person has to know beyond that. */
  readonly more?: string;
  /** By name, as commander writes it: `<RUN>`, `[UUID...]`. */
  readonly words?: Readonly<Record<string, string>>;
  /** By name and value: `--since <TIME>`. */
  readonly options?: Readonly<Record<string, string | LineOption>>;
  /** Words of the command that take words and options of their own. */
  readonly verbs?: Readonly<Record<string, LineSpec>>;
  /** The verb that is meant if there is none. */
  readonly usualVerb?: string;
  readonly examples?: readonly string[];
  /** Text below all other: what a program's page has alone. */
  readonly notes?: string;
  readonly version?: string;
  /** The sentence of each mistake, if what was typed may be a secret and must not be repeated. */
  readonly refusal?: string;
  /** What a person means by one word too many. */
  readonly meant?: (word: string, args: LineArguments) => Omit<Meant, 'args'>;
}

/** What helps instead of a line that cannot be read. */
interface Meant {
  readonly command: readonly string[];
  /** The end of the sentence. @default none */
  readonly says?: string;
  readonly args: LineArguments;
}

/** A command whose words are loaded once it is asked for. */
export interface ListedLine {
  readonly summary: string;
  /** Its heading in the help of the program. */
  readonly group: string;
  readonly load: () => Promise<LineSpec>;
}

/** A command line that was read. */
export interface LineArguments {
  /** `resolve` of `parked resolve`. */
  readonly verb?: string;
  readonly positionals: readonly string[];
  /** The value of an option; the first of one that may be given several times. */
  readonly text: (name: string) => string | undefined;
  /** The values of an option that may be given several times, in order. */
  readonly texts: (name: string) => readonly string[];
  /** Whether a switch was given. */
  readonly flag: (name: string) => boolean;
}

/** A command line that cannot be read; nothing was done. */
export class WrongLine extends Error {
  override readonly name = 'WrongLine';
  /** The command that helps: `autopilot parked list --help`, or what was meant. */
  readonly command: readonly string[];
  /** The line, if all but one word of it could be read. */
  readonly args: LineArguments | undefined;

  constructor(
    says: string,
    path: readonly string[],
    {
      command = [...path, '--help'],
      args,
    }: { readonly command?: readonly string[]; readonly args?: LineArguments } = {},
  ) {
    super(says);
    this.command = command;
    this.args = args;
  }

  /** With the command, for a program that prints one sentence. */
  get sentence(): string {
    const [program = '', ...words] = this.command;
    return `${this.message}: ${printedLine([...program.split(' ').slice(1), ...words])}`;
  }
}

/** Thrown through commander, which ends a process when its help was asked for. */
class TextAsked extends Error {}

/**
 * Reads a command line strictly.
 * @returns a text if help or the version was asked for
 * @throws WrongLine
 */
export function readLine(name: string, spec: LineSpec, argv: readonly string[]): LineArguments | string {
  const read: LineArguments[] = [];
  const line = fillLine(new Command(name), spec, (args) => void read.push(args));
  try {
    line.parse(argv, { from: 'user' });
  } catch (error) {
    return textAsked(error);
  }
  return read[0] ?? line.helpInformation();
}

/** Reads the line of a program of many commands, each with its own words; else as {@link readLine}. */
export async function readProgramLine(
  name: string,
  { listed, ...spec }: LineSpec & { readonly listed: Readonly<Record<string, ListedLine>> },
  argv: readonly string[],
): Promise<{ readonly command: string; readonly args: LineArguments } | string> {
  const read: { command: string; args: LineArguments }[] = [];
  const root = fillLine(new Command(name), spec);
  for (const [command, { summary, group }] of Object.entries(listed))
    root.command(command).summary(summary).helpGroup(group);
  root.hook('preSubcommand', async (_, line) => {
    const command = line.name();
    const loaded = await listed[command]?.load();
    if (loaded !== undefined) fillLine(line, loaded, (args) => void read.push({ command, args }));
  });
  try {
    await root.parseAsync(argv, { from: 'user' });
  } catch (error) {
    return textAsked(error);
  }
  return read[0] ?? root.helpInformation();
}

function textAsked(error: unknown): string {
  if (error instanceof TextAsked) return error.message;
  throw error;
}

/** Gives a command what it takes; `onRead` gets the words that were typed. */
function fillLine(line: Command, spec: LineSpec, onRead?: (args: LineArguments) => void): Command {
  const { says, more, words = {}, options = {}, verbs = {}, usualVerb, version } = spec;
  if (version !== undefined) line.version(version, '--version', 'the version of this command');
  line
    .description([says, ...(more === undefined ? [] : [more])].join('\n'))
    .helpCommand(false)
    .addHelpOption(new Option('-h, --help').hideHelp())
    .exitOverride((error) => failWith(error, line, spec))
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .configureHelp({ helpWidth, formatHelp: (command, helper) => helpText(command, helper, spec) });
  for (const [word, meaning] of Object.entries(words)) line.argument(word, meaning);
  for (const [flags, option] of Object.entries(options)) line.addOption(optionOf(flags, option, line));
  for (const [verb, its] of Object.entries(verbs))
    fillLine(line.command(verb, { isDefault: verb === usualVerb }), its, (args) => onRead?.({ ...args, verb }));
  return spec.verbs !== undefined || onRead === undefined ? line : line.action(() => onRead(argumentsOf(line)));
}

/** A page fits a terminal, and is the same in a file. */
const helpWidth = 80;

function helpText(command: Command, helper: Help, { examples = [], notes }: LineSpec): string {
  const text = new Help().formatHelp.call(helper, command, helper).trimEnd();
  const shown = examples.length === 0 ? [] : ['', 'Examples:', ...examples.map((example) => `  ${example}`)];
  return [text, ...shown, ...(notes === undefined ? [] : ['', notes])].join('\n');
}

function optionOf(flags: string, spec: string | LineOption, line: Command): Option {
  const {
    says,
    choices,
    conflicts = [],
    isRepeated,
    isHidden,
    group,
  }: LineOption = typeof spec === 'string' ? { says: spec } : spec;
  const option = new Option(flags, says).hideHelp(isHidden === true).conflicts([...conflicts]);
  if (choices !== undefined) option.choices(choices);
  if (group !== undefined) option.helpGroup(group);
  const { parseArg } = option;
  if (!option.required) return option;
  const wrong = (problem: string) => new WrongLine(problem, pathOf(line));
  const [, blank] = /<(.+)>/.exec(flags) ?? [];
  return option.argParser<unknown>((value, previous) => {
    // An option in its place: the value was forgotten.
    if (value.trim() === '' || /^-(?:-|[a-zA-Z]$)/.test(value)) throw wrong(`--${option.name()} needs a value`);
    if (value === blank) throw wrong(`--${option.name()} ${value}: put your own in the place of ${value}`);
    if (previous !== undefined && isRepeated !== true)
      throw wrong(
        `${repeated(option.name(), [typeof previous === 'string' ? previous : value, value])}: it takes one value`,
      );
    const read = parseArg === undefined ? value : parseArg<unknown>(value, undefined);
    return isRepeated === true ? [...(Array.isArray(previous) ? previous : []), read] : read;
  });
}

/** The beginning of a sentence about an option that is there too often. */
export function repeated(name: string, given: readonly string[]): string {
  return `--${name} is there ${given.length} times (${given.join(' and ')})`;
}

function argumentsOf(leaf: Command): LineArguments {
  const values = new Map<string, unknown>();
  for (let line: Command | null = leaf; line !== null; line = line.parent) {
    for (const option of line.options) {
      const value: unknown = line.getOptionValue(option.attributeName());
      values.set(option.name(), option.negate ? value === false : value);
    }
  }
  const texts = (name: string) => [values.get(name)].flat().filter((value) => typeof value === 'string');
  return {
    positionals: leaf.args,
    text: (name) => texts(name)[0],
    texts,
    flag: (name) => values.get(name) === true,
  };
}

function pathOf(line: Command): readonly string[] {
  return line.parent === null ? [line.name()] : [...pathOf(line.parent), line.name()];
}

/** Commander's sentences, but for those in which it counts words or would print a page instead. */
function failWith({ code, message }: CommanderError, line: Command, spec: LineSpec): never {
  const path = pathOf(line);
  if (spec.refusal !== undefined && !/[hH]elp|version/.test(code)) throw new WrongLine(spec.refusal, path);
  const [first = ''] = line.args;
  switch (code) {
    case 'commander.version':
      throw new TextAsked(message);
    case 'commander.helpDisplayed':
      throw helpAsked(first, line);
    case 'commander.help':
      throw new WrongLine(path.length === 1 ? 'which command?' : `${path.slice(1).join(' ')} needs a command`, path);
    case 'commander.unknownCommand':
      throw wrongWord('unknown command', first, line);
    case 'commander.excessArguments':
      throw unexpected(line, spec);
    case 'commander.unknownOption':
      throw verbAfterWord(line) ?? new WrongLine(sentenceOf(message), path);
    default:
      throw new WrongLine(sentenceOf(message), path);
  }
}

/** `autopilot uplaod --help` is about no command. */
function helpAsked(first: string, line: Command): WrongLine | TextAsked {
  if (/^[^-]/.test(first) && line.commands.length > 0) return wrongWord('unknown command', first, line);
  return new TextAsked(line.helpInformation());
}

function sentenceOf(message: string): string {
  return message.replace(/^error: /, '').replace('\n(Did', ' (did');
}

/** `send nightly start`: the words of a usual verb, one of which is another verb. */
function verbAfterWord(line: Command): WrongLine | undefined {
  const { parent, args } = line;
  const verb = args.find((word) => parent?.commands.some((command) => command.name() === word));
  if (verb === undefined || parent === null || parent.parent === null) return undefined;
  const [first = '', ...rest] = args.filter((word) => word !== verb);
  const command = [...pathOf(parent), verb, first, ...rest];
  return new WrongLine(`${verb} comes before "${first}"`, pathOf(parent), { command, args: argumentsOf(line) });
}

function unexpected(line: Command, { meant }: LineSpec): WrongLine {
  const swapped = verbAfterWord(line);
  if (swapped !== undefined) return swapped;
  const extra = line.args[line.registeredArguments.length] ?? '';
  // A verb that was misspelt is a word too many of the usual one.
  const at = line.parent?.parent ? line.parent : line;
  const args = argumentsOf(line);
  return wrongWord('unexpected argument', extra, at, meant && { ...meant(extra, args), args });
}

/** @param instead - the command that helps, if no word of `at` is similar */
function wrongWord(problem: string, word: string, at: Command, instead?: Meant): WrongLine {
  const names = at.commands.map((command) => command.name());
  const similar = didYouMean(word, names, ':');
  const meant = similar === '' ? instead : undefined;
  return new WrongLine(`${problem} "${word}"${similar}${meant?.says ?? ''}`, pathOf(at), meant);
}
