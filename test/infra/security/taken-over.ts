/** What the role of each function, of the schedules, and of their tests, can bring about by messages and rows. */
import type { CommandKind } from '../../builders/commands-by-sender.ts';

/** One role of the stage, as `docs/security.md` has it. */
export interface TakenOverRole {
  /** Queues that it may send to, by their names in the template. */
  readonly sends: readonly string[];
  /** The commands that are done if they come from it. */
  readonly done: readonly CommandKind[];
  /** Kinds of rows that it may write. */
  readonly writes: readonly string[];
}

const ofRuns = ['run', 'run-id', 'target'];

/** Held to the policies of the template and to a running stage by `taken-over.long.test.ts`. */
export const takenOverRoles: Readonly<Record<string, TakenOverRole>> = {
  'the schedules': { sends: ['Commands', 'SchedulesDeadLetters'], done: ['of a schedule'], writes: [] },
  'the link tests': { sends: ['Commands'], done: [], writes: [] },
  'update-campaign-runs': {
    sends: ['Commands'],
    done: ['to stop, of the watcher'],
    writes: ['command', 'finding', 'gate', 'link-test', 'message', 'recent', ...ofRuns],
  },
  'register-datasets': {
    sends: ['Commands'],
    done: ['of an upload'],
    writes: ['dataset', 'gate', 'link-test', 'message', 'recent', 'upload'],
  },
  'poll-scanner-packages': {
    sends: ['Commands'],
    done: ['of changed packages'],
    writes: ['changes', 'gate', 'recent', 'watch'],
  },
  'watch-projects': {
    sends: ['Commands'],
    done: ['of a changed project'],
    writes: ['changes', 'gate', 'project-watch', 'recent'],
  },
  'watch-campaigns': {
    sends: ['Commands'],
    done: ['to stop, of the watcher'],
    writes: [
      'calendars',
      'changes',
      'confirmation',
      'finding',
      'gate',
      'pool',
      'run-ends',
      'run-id',
      'run-readings',
      'sent-commands',
      'target',
    ],
  },
  'park-dead-letters': { sends: [], done: [], writes: ['command', 'finding', 'message', 'recent', ...ofRuns] },
  'reconcile-ledger': { sends: ['Uploads'], done: [], writes: ['reconcile'] },
  'answer-questions': { sends: [], done: [], writes: [] },
};

const words: Readonly<Partial<Record<CommandKind, string>>> = {
  'of a schedule': 'starts and stops of schedules',
  'of an upload': 'starts of uploads',
  'of changed packages': 'starts of changed packages',
  'of a changed project': 'starts of changed projects',
  'to stop, of the watcher': 'stops of single runs',
};

/** The same as a table in Markdown. */
export function takenOverTable(): string {
  const lines = Object.entries(takenOverRoles).map(([name, { sends, done, writes }]) => {
    const cells = [inCode(sends), done.map((kind) => words[kind] ?? kind).join(', ') || '–', inCode(writes)];
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  return ['| role of | sends to | of its commands are done | writes rows |', '|---|---|---|---|', ...lines, ''].join(
    '\n',
  );
}

function inCode(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ') || '–';
}
