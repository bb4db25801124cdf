/** Command lines that can be pasted as they stand: each leads to the stage that it is about, or nowhere. Pure. */
import { commandLine, npxWords } from '#shared/text/command-line.ts';

/** These take no stage. */
const stageless: ReadonlySet<string> = new Set(['runbook', 'check', 'init', 'gateway']);

/** These work on the folder that they are called in. */
const ofFolder: ReadonlySet<string> = new Set(['start', 'synth', 'bootstrap', 'diff', 'deploy', 'destroy']);

/** What leads a command to one stage. Folders are absolute. */
export interface Way {
  /** `['--aws', '--stage', 'prod']`. */
  readonly stageWords: readonly string[];
  /** The folder of the stage, if the person is in another one (`-C`). */
  readonly folder?: string | undefined;
  /** The folder from which npx takes the command, for a line that is copied to anywhere; absent for one that the terminal prints. */
  readonly project?: string | undefined;
}

/**
 * Writes the words of a command, which name no stage, as a line to paste.
 * @example pastedLine(['autopilot', 'parked', 'list'], { stageWords: ['--stage', 'dev'] }) // 'npx --no -- autopilot parked list --stage dev'
 */
export function pastedLine(command: readonly string[], { stageWords, folder, project }: Way): string {
  const [first, ...words] = command;
  if (first !== 'autopilot') return commandLine(command);
  const [name = ''] = words;
  const isElsewhere = folder !== undefined && (project === undefined || ofFolder.has(name));
  const isStageless = stageless.has(name) || words.at(-1) === '--help';
  const way = name === 'start' ? startWords(words, stageWords) : isStageless ? [] : stageWords;
  return commandLine(npxWords([...(isElsewhere ? ['-C', folder] : []), ...words, ...way], project));
}

/** `start` runs a stage on this machine: without its folder, `--fresh` would forget the state of another one. */
function startWords(words: readonly string[], stageWords: readonly string[]): readonly string[] {
  if (stageWords.includes('--aws') || stageWords.some((word) => word.includes('@'))) return [];
  return stageWords.flatMap((word, index) =>
    (word === '--stage' || word === '--data') && !words.includes(word) ? [word, stageWords[index + 1] ?? ''] : [],
  );
}
