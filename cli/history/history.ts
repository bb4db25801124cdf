import type { Command, CommandResult } from '../command.ts';
import { UsageError } from '#operator/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { historyPage } from '#operator/history/history-entry.ts';
import { historyLines, verboseLines } from './history-lines.ts';
import type { HistoryRange } from '#operator/history/history.ts';
import { runSubject } from '#operator/runs/run-subject.ts';
import { countArgument, pastRange } from '../terminal/value-arguments.ts';

const help = `autopilot history [RUN] [--since T] [--before T] [--limit N] [--verbose]

Every command that ended, newest first: when, what, how it ended, who asked and why, which guards said no,
whether it was late or only observed. Those that wait for a person or are put off by a blackout stand in
their place. RUN is a configured run, or the uuid of any run. Kept for 400 days.

  --since T, --before T     ended at T or later, before T: 2h (ago), or 2026-11-20T22:00:00Z
  --limit N                 so many (20)
  --verbose                 all that is known about each

Examples
  autopilot history
  autopilot history nightly --since 7d --limit 100
  autopilot history --json | jq '.history[] | select(.outcome == "skipped")'`;

const defaultLimit = 20;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [word, ...more] = args.positionals;
  if (more.length > 0) throw new UsageError(`history takes one run, and "${more[0]}" is one more`);
  const { since, before } = pastRange(args, await deps.now());
  const range: HistoryRange = {
    ...(word === undefined ? {} : { run: runSubject(word) }),
    since: since?.at,
    before: before?.at,
  };
  const limit = countArgument('--limit', args.text('limit') ?? String(defaultLimit));
  const { entries, isMore } = await historyPage(range, limit, deps);
  const isVerbose = args.flag('verbose');
  return {
    exitCode: exitCodes.done,
    data: { history: entries, isMore },
    render: (paint) => [
      ...(isVerbose ? verboseLines(entries, paint) : historyLines(entries, paint)),
      ...(entries.length === 0
        ? [
            `no command${word === undefined ? '' : ` about ${word}`} ended${range.since || range.before ? ' in that time' : ' yet'}`,
          ]
        : []),
      ...(isMore ? [paint('dim', `there are older ones: --before ${entries.at(-1)?.at}, or --limit`)] : []),
    ],
  };
}

/** `autopilot history`. */
export const command: Command = {
  help,
  options: { since: { type: 'string' }, before: { type: 'string' }, limit: { type: 'string' } },
  run,
};
