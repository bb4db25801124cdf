import { commandList } from '#cli/command-list.ts';
import { readCommandLine } from '#cli/command-line.ts';
import { programs } from '#cli/programs.ts';
import { commonOptions } from '#cli/terminal/arguments.ts';
import { type LineSpec, readLine } from '#shared/text/program-arguments.ts';

/** The words of a command, and what it takes. */
export interface CommandSpec {
  readonly path: readonly string[];
  readonly spec: LineSpec;
}

/** Every command of the operator and every program, each with its verbs. */
export async function everySpec(): Promise<readonly CommandSpec[]> {
  const ofPrograms = Object.entries(programs).map(async ([name, { line }]) => [name, await line()] as const);
  const ofCommands = Object.entries(commandList).map(async ([name, { load }]) => {
    return [name, (await load()).command.line] as const;
  });
  return (await Promise.all([...ofPrograms, ...ofCommands])).flatMap(([name, spec]) => [
    { path: [name], spec },
    ...Object.entries(spec.verbs ?? {}).map(([verb, its]) => ({ path: [name, verb], spec: its })),
  ]);
}

/** The help of each, and that of all. */
export async function everyHelp(): Promise<readonly (readonly [path: string, help: string])[]> {
  const texts: (readonly [string, string])[] = [['', await helpOf([])]];
  for (const { path } of await everySpec()) texts.push([path.join(' '), await helpOf(path)]);
  return texts;
}

async function helpOf(path: readonly string[]): Promise<string> {
  const [name = ''] = path;
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  const read =
    program === undefined
      ? await readCommandLine([...path, '--help'])
      : readLine(`autopilot ${name}`, await program.line(), ['--help']);
  if (typeof read !== 'string') throw new Error(`${path.join(' ')} --help prints no help`);
  return read;
}

/** Options that a command takes, with their dashes; undefined if there is no such command. */
export async function optionsOf(path: readonly string[]): Promise<readonly string[] | undefined> {
  const [name = ''] = path;
  const all = await everySpec();
  const usual = all.find((one) => one.path.join(' ') === name)?.spec.usualVerb;
  const verb = all.some((one) => one.path.join(' ') === path.join(' ')) ? path[1] : usual;
  const found = all.filter((one) => one.path[0] === name && (one.path[1] ?? verb) === verb);
  if (name !== '' && found.length === 0) return undefined;
  const common = Object.hasOwn(programs, name) ? {} : commonOptions;
  const taken = Object.keys({ ...common, ...Object.assign({}, ...found.map(({ spec }) => spec.options ?? {})) });
  return [
    ...taken.flatMap((flags) => flags.match(/--[\w-]+/g) ?? []),
    '--help',
    ...(name in programs ? [] : ['--version']),
  ];
}
