import type { Command, CommandResult } from '../command.ts';
import { UsageError } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { waitingOptions } from '../waiting.ts';
import { listCommand } from './parked/list.ts';
import { resolveCommand } from './parked/resolve.ts';
import { showCommand } from './parked/show.ts';

const help = `autopilot parked list [--reason CODE]
autopilot parked show ID…
autopilot parked resolve ID… --applied DATASET-ID | --repeat | --dismiss --reason TEXT

What waits for a person, why, and what to do. An ID is the handle that the list shows (or its beginning,
while it is unambiguous), a command's id, or a ledger key.

  --applied DATASET-ID      it was done after all: record the dataset that you found at the gateway
  --repeat                  do it again: the kept message is sent to its queue once more
  --dismiss                 nothing more is to be done
  --reason TEXT             why, for the record (needed with --dismiss); with list: only this reason code
  --timeout D               how long to wait for the outcome of a repeat (default 60s)
  --no-wait                 decide and leave

Examples
  autopilot parked list --reason POST_OUTCOME_UNKNOWN
  autopilot parked show 3f9a12bc
  autopilot parked resolve 3f9a12bc --applied 0197f3a0-5b1c-7d2e-8f30-112233445566
  autopilot parked list --json | jq -r '.parked[].id' | xargs autopilot parked resolve --repeat`;

const verbs = ['list', 'show', 'resolve'] as const;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [word = 'list', ...ids] = args.positionals;
  const verb = verbs.find((known) => known === word);
  switch (verb) {
    case 'list':
      if (ids.length > 0) throw new UsageError(`parked list takes no ids: autopilot parked show ${ids.join(' ')}`);
      return listCommand(args, deps);
    case 'show':
      return showCommand(ids, deps);
    case 'resolve':
      return resolveCommand(ids, args, deps);
    case undefined:
      throw new UsageError(`parked knows list, show and resolve, not "${word}"${didYouMean(word, verbs)}`);
  }
}

/** `autopilot parked`. */
export const command: Command = {
  help,
  options: {
    ...waitingOptions,
    reason: { type: 'string' },
    applied: { type: 'string' },
    repeat: { type: 'boolean' },
    dismiss: { type: 'boolean' },
  },
  run,
};
