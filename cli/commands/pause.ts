import type { Command, CommandResult } from '../command.ts';
import { UsageError } from '../errors.ts';
import { subjectToPause } from '../pause-subject.ts';
import { switchTo } from '../switching.ts';

const help = `autopilot pause [schedule|campaign] NAME --reason TEXT

Skips the starts that a schedule asks for, or every start of a campaign whoever asks for it (PAUSED),
until autopilot resume. No deployment. Runs in flight go on, and stops are always sent. Where a schedule
and a campaign have the same name, say which is meant.

  --reason TEXT             why, for the record

Examples
  autopilot pause weeknights --reason "release week"
  autopilot pause campaign chat-bot --reason INC-77`;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const reason = args.text('reason');
  if (reason === undefined) throw new UsageError('pause needs a --reason: it stays in the ledger');
  return switchTo(await subjectToPause(args.positionals, deps), { isOn: true, reason }, deps);
}

/** `autopilot pause`. */
export const command: Command = { help, options: { reason: { type: 'string' } }, run };
