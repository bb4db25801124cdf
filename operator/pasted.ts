/** Command lines that can be pasted as they stand: each leads to the stage that it is about, from the folder of its project. Pure. */
import { templateLine } from '#shared/text/command-line.ts';

/** `--no`: in a wrong folder npx offers no package of a stranger. */
const program = ['npx', '--no', 'autopilot'] as const;

/** These take no stage. */
const stageless: ReadonlySet<string> = new Set(['runbook', 'check', 'init', 'gateway']);

/** What leads a command to one stage. */
export interface Way {
  /** `['--aws', '--stage', 'prod']`. */
  readonly stageWords: readonly string[];
  /** The folder of the project, if the person is in another one (`-C`). */
  readonly folder?: string | undefined;
  /** The folder of the state that the environment names: `start` does not read it. */
  readonly dataFolder?: string | undefined;
}

/**
 * Writes the words of a command, which name no stage, as a line to paste.
 * @example pastedLine(['autopilot', 'parked', 'list'], { stageWords: ['--stage', 'dev'] }) // 'npx --no autopilot parked list --stage dev'
 */
export function pastedLine(command: readonly string[], { stageWords, folder, dataFolder }: Way): string {
  const [first, ...words] = command;
  if (first !== 'autopilot') return templateLine(command);
  const [name = ''] = words;
  const isStageless = stageless.has(name) || words.at(-1) === '--help';
  const way = name === 'start' ? startWords(stageWords, dataFolder) : isStageless ? [] : stageWords;
  return templateLine([...program, ...(folder === undefined ? [] : ['-C', folder]), ...words, ...way]);
}

/** `start` runs a stage on this machine: without its folder, `--fresh` would forget the state of another one. */
function startWords(stageWords: readonly string[], dataFolder: string | undefined): readonly string[] {
  if (stageWords.includes('--aws') || stageWords.some((word) => word.includes('@'))) return [];
  const named = stageWords.flatMap((word, index) =>
    word === '--stage' || word === '--data' ? [word, stageWords[index + 1] ?? ''] : [],
  );
  return dataFolder === undefined || named.includes('--data') ? named : [...named, '--data', dataFolder];
}
