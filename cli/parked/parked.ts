import { type CommandArguments, waitingOptions } from '../terminal/arguments.ts';
import type { Command, CommandResult } from '../terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { filterOptions, listCommand, showCommand } from './list.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { resolveCommand } from './resolve.ts';
const help = `autopilot parked list [--reason CODE] [--since T] [--before T] [--queue NAME]
                      [--limit N]
autopilot parked show ID…
autopilot parked resolve ID… --applied DATASET-ID | --repeat | --dismiss
                      --because TEXT
autopilot parked resolve --reason CODE … --repeat | --dismiss --because TEXT
                      --dry-run
autopilot parked resolve --dismiss --superseded

What waits for a person, why, and what to do; autopilot runbook CODE prints
the page of a reason. An ID is the handle that the list shows (or its
beginning), a command's id, an object's key, or a key of the ledger.

Which rows
  --reason CODE             parked for this reason; several times for several
  --since T, --before T     parked at T or later, before T: 2h (ago), or
                            2026-11-20T22:00:00Z
  --queue NAME              from this queue: commands, uploads
  --limit N                 list: show so many (20; --json shows all)

Decisions
  --applied DATASET-ID      it was done after all: record the dataset that you
                            found at the gateway
  --repeat                  do it again: the kept message is sent to its queue
                            once more
  --dismiss                 nothing more is to be done
  --superseded              with --dismiss: every upload that did nothing, and
                            of which a newer version of its key is registered
  --because TEXT            why, for the record (with ids --reason TEXT does as
                            well)
  --dry-run                 show what would be done, and print the command that
                            does it
  --yes N                   do it: N is the count of the dry run; if it is
                            another by now nothing is done
  --accept-second-effect    repeat several rows of which it is not known whether
                            they were done already
  --timeout D, --no-wait    how long to wait for the outcome of a repeat by id
                            (60s)

Examples
  autopilot parked list --reason POST_OUTCOME_UNKNOWN --since 12h
  autopilot parked show 3f9a12bc
  autopilot parked resolve 3f9a12bc --applied DATASET-ID
  autopilot parked resolve --reason FORBIDDEN --repeat --because done --dry-run`;

const verbs = ['list', 'show', 'resolve'] as const;

/** Options of one verb alone; `--reason` and the filters are of two. */
const decisionOptions = {
  ...waitingOptions,
  applied: { type: 'string' },
  repeat: { type: 'boolean' },
  dismiss: { type: 'boolean' },
  superseded: { type: 'boolean' },
  because: { type: 'string' },
  'dry-run': { type: 'boolean' },
  yes: { type: 'string' },
  'accept-second-effect': { type: 'boolean' },
} as const;
const selectOptions = { ...filterOptions, reason: { type: 'string', multiple: true } } as const;
const listOptions = { limit: { type: 'string' } } as const;
const options = { ...decisionOptions, ...selectOptions, ...listOptions };

const optionsOf: Readonly<Record<(typeof verbs)[number], object>> = {
  list: { ...selectOptions, ...listOptions },
  show: {},
  resolve: { ...selectOptions, ...decisionOptions },
};

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [word = 'list', ...ids] = args.positionals;
  const verb = verbs.find((known) => known === word);
  if (verb !== undefined) refuseUseless(verb, args);
  switch (verb) {
    case 'list':
      if (ids.length > 0)
        throw new UsageError('parked list takes no ids', { command: ['autopilot', 'parked', 'show', ...ids] });
      return listCommand(args, deps);
    case 'show':
      return showCommand(ids, deps);
    case 'resolve':
      return resolveCommand(ids, args, deps);
    case undefined:
      throw new UsageError(`parked knows list, show and resolve, not "${word}"${didYouMean(word, verbs, ':')}`);
  }
}

function refuseUseless(verb: (typeof verbs)[number], args: CommandArguments): void {
  const useless = Object.keys(options).find(
    (name) => (args.texts(name).length > 0 || args.flag(name)) && !Object.hasOwn(optionsOf[verb], name),
  );
  if (useless !== undefined) throw new UsageError(`--${useless} means nothing for parked ${verb}: leave it out`);
}

/** `autopilot parked`. */
export const command: Command = { help, options, words: verbs, run };
