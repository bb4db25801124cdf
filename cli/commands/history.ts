import type { Command, CommandResult } from '../command.ts';
import { countArgument } from '../count-argument.ts';
import { UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { type HistoryRange, readHistory } from '../history.ts';
import { type HistoryEntry, historyEntry } from '../history-entry.ts';
import { historyLines, verboseLines } from '../history-lines.ts';
import { pastRange } from '../instant-argument.ts';
import { runSubject } from '../run-subject.ts';

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
    ...(since === undefined ? {} : { since: since.at }),
    ...(before === undefined ? {} : { before: before.at }),
  };
  const limit = countArgument('--limit', args.text('limit') ?? String(defaultLimit));
  const { entries, isMore } = await read(range, limit, deps);
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

/** One more than is shown tells whether there are older ones. */
async function read(
  range: HistoryRange,
  limit: number,
  { stage }: Parameters<Command['run']>[1],
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly isMore: boolean }> {
  const entries: HistoryEntry[] = [];
  for await (const { row, run: name } of readHistory(await stage.ledger(), range)) {
    if (entries.length === limit) return { entries, isMore: true };
    entries.push(historyEntry(row, name));
  }
  return { entries, isMore: false };
}

/** `autopilot history`. */
export const command: Command = {
  help,
  options: { since: { type: 'string' }, before: { type: 'string' }, limit: { type: 'string' } },
  run,
};
