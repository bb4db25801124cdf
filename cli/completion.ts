import { type CommandResult, type CommandWithoutStage, exitCodes, type ListedCommand } from './terminal/command.ts';
import { optionsOf, programs } from './programs.ts';
import { runbookPages } from './runbook.ts';
import { commonOptions } from './terminal/arguments.ts';
import { UsageError } from '#operator/errors.ts';
import { guardNames } from '#shared/vocabulary/reason-codes.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

const help = `autopilot completion bash|zsh|fish

Prints a script that completes the words and options of autopilot at the Tab
key. It completes autopilot itself: if you call it by npx, give your shell an
alias first, such as alias autopilot='npx autopilot'.

Examples
  source <(autopilot completion bash)
  autopilot completion zsh > ~/.zfunc/_autopilot
  autopilot completion fish > ~/.config/fish/completions/autopilot.fish`;

/** What can follow a command. */
interface Completed {
  readonly name: string;
  readonly summary: string;
  /** Words of the command itself, such as `list` of `parked`. */
  readonly words: readonly string[];
  /** Options with their dashes. */
  readonly options: readonly string[];
  /** Those of them that take a value. */
  readonly withValue: readonly string[];
}

/** Values of options, if they are a few words; those of others are completed as file names. */
const valuesOf: Readonly<Record<string, readonly string[]>> = {
  '--override': guardNames,
  '--encoding': ['windows-1252', 'windows-1251', 'gb18030', 'shift_jis', 'euc-kr', 'macintosh'],
  '--label': ['true', 'false'],
};

type Commands = Readonly<Record<string, ListedCommand>>;

async function complete(commands: Commands, ...[args]: Parameters<CommandWithoutStage['run']>): Promise<CommandResult> {
  const [word, ...more] = args.positionals;
  const shell = shells.find((known) => known === word);
  if (shell === undefined || more.length > 0) {
    throw new UsageError(`completion takes the name of one shell`, {
      command: ['autopilot', 'completion', shells.join('|')],
    });
  }
  const script = completionScript(shell, await completedCommands(commands));
  return { exitCode: exitCodes.done, data: { shell, script }, render: () => script.split('\n') };
}

/** Every command with what can follow it, read from the commands themselves. */
async function completedCommands(commands: Commands): Promise<readonly Completed[]> {
  const ofPrograms = await Promise.all(
    Object.entries(programs).map(async ([name, program]) => {
      return { name, summary: program.summary, words: [], options: await optionsOf(program), withValue: [] };
    }),
  );
  const ofCommands = await Promise.all(
    Object.entries(commands).map(async ([name, { summary, load }]) => {
      const { command: listed } = await load();
      const all = Object.entries({ ...listed.options, ...commonOptions });
      const dashed = (found: typeof all) => found.map(([option]) => `--${option}`);
      // The names of its pages are words too, and stand in a document.
      const words = name === 'runbook' ? runbookPages().map((page) => page.name) : (listed.words ?? []);
      return {
        name,
        summary,
        words,
        options: dashed(all),
        withValue: dashed(all.filter(([, { type }]) => type === 'string')),
      };
    }),
  );
  return [...ofPrograms, ...ofCommands];
}

/** What can stand before a command. */
const firstOptions = [...Object.keys(commonOptions).map((name) => `--${name}`), '--version', '-C'];

/** The script of a shell. Options with values complete file names, as every unknown word does. */
function completionScript(shell: Shell, commands: readonly Completed[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(commands);
    case 'zsh':
      // zsh reads completions of bash by its own bashcompinit.
      return `#compdef autopilot\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`;
    case 'fish':
      return [...fishFirstOptions, ...commands.flatMap(fishLines)].join('\n');
  }
}

/**
 * The first word that is a command decides what comes next, since an option before it may have a
 * value. A word of the command comes once.
 */
function bashScript(commands: readonly Completed[]): string {
  const cases = commands.map(
    ({ name, words, options }) => `      ${name}) name=$word own='${words.join(' ')}' words='${options.join(' ')}' ;;`,
  );
  const values = Object.entries(valuesOf).map(
    ([option, words]) => `    ${option}) COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current")); return ;;`,
  );
  const others = new Set(
    commands.flatMap(({ withValue }) => withValue.filter((option) => !Object.hasOwn(valuesOf, option))),
  );
  const names = commands.map(({ name }) => name);
  return `_autopilot() {
  local current=\${COMP_WORDS[COMP_CWORD]} words='${[...names, 'help', ...firstOptions].join(' ')}' word name own
  case \${COMP_WORDS[COMP_CWORD-1]} in
${values.join('\n')}
    ${[...others].join('|')}) COMPREPLY=(); return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n $name ]]; then
      [[ " $own " == *" $word "* ]] && own=''
      continue
    fi
    case $word in
${cases.join('\n')}
    esac
  done
  COMPREPLY=($(compgen -W "$own $words" -- "$current"))
}
complete -o default -F _autopilot autopilot`;
}

const fishFirstOptions = [
  'complete -c autopilot -n __fish_use_subcommand -l version',
  'complete -c autopilot -n __fish_use_subcommand -o C -r',
];

function fishLines({ name, summary, words, options, withValue }: Completed): readonly string[] {
  const isFollowing = `-n '__fish_seen_subcommand_from ${name}'`;
  return [
    `complete -c autopilot -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", String.raw`\'`)}'`,
    ...(words.length === 0
      ? []
      : [
          `complete -c autopilot -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${words.join(' ')}' -f -a '${words.join(' ')}'`,
        ]),
    ...options.map((option) => {
      const values = valuesOf[option];
      const taken = values === undefined ? (withValue.includes(option) ? ' -r' : '') : ` -x -a '${values.join(' ')}'`;
      return `complete -c autopilot ${isFollowing} -l ${option.slice(2)}${taken}`;
    }),
  ];
}

/** `autopilot completion`, for these commands. */
export function completionOf(commands: Commands): CommandWithoutStage {
  return { help, options: {}, words: shells, needsNoStage: true, run: async (args) => complete(commands, args) };
}
