import { reasonOption, waitingOptions } from '../terminal/arguments.ts';
import type { Command } from '../terminal/command.ts';
import { filterOptions, listCommand, showCommand } from './list.ts';
import { resolveCommand } from './resolve.ts';

export const command: Command = {
  line: {
    says: 'What is parked and needs you: why, and what to do.',
    more: 'autopilot runbook CODE prints the page of a reason. An ID is the short id of the list, or its beginning. It may also be a command id, the key of an object, or that of --json.',
    usualVerb: 'list',
    verbs: {
      list: {
        says: 'Lists parked items by reason, oldest first.',
        meant: (id) => ({ command: ['autopilot', 'parked', 'show', id] }),
        options: { ...filterOptions, '--limit <N>': 'show so many (20; --json shows all)' },
        examples: ['autopilot parked list --code POST_OUTCOME_UNKNOWN --since 12h'],
      },
      show: {
        says: 'Shows all about items, with the commands that fit.',
        words: { '<ID...>': '' },
        examples: ['autopilot parked show 3f9a12bc'],
      },
      resolve: {
        says: 'Decides about items, by their ids or all that --code, --since and --before select.',
        words: { '[ID...]': '' },
        options: {
          ...filterOptions,
          '--applied <DATASET-ID>': { says: 'it was done: record its dataset', conflicts: ['repeat', 'dismiss'] },
          '--repeat': { says: 'do it again: send the kept message once more', conflicts: ['dismiss'] },
          '--dismiss': 'nothing more is to be done',
          '--superseded': 'dismiss uploads whose newer version is registered',
          ...reasonOption,
          '--dry-run': { says: 'show what would be done, and the command that does it', conflicts: ['yes'] },
          '--yes <N>': 'do it, if there are still N as in the dry run',
          '--accept-second-effect': 'repeat also what may have been done already',
          ...waitingOptions,
        },
        examples: [
          'autopilot parked resolve 3f9a12bc --applied ds-4711',
          'autopilot parked resolve --code FORBIDDEN --repeat --reason done --dry-run',
        ],
      },
    },
  },
  async run(args, deps) {
    switch (args.verb) {
      case 'show':
        return showCommand(args.positionals, deps);
      case 'resolve':
        return resolveCommand(args.positionals, args, deps);
      default:
        return listCommand(args, deps);
    }
  },
};
