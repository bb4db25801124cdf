import type { Command, CommandResult } from '../command.ts';
import { subjectToResume } from '../pause-subject.ts';
import { switchTo } from '../switching.ts';

const help = `autopilot resume [schedule|campaign] NAME [--reason TEXT]

Ends a pause: starts are judged by the other guards again. Those that were skipped meanwhile stay skipped.

  --reason TEXT             why, for the record

Examples
  autopilot resume weeknights
  autopilot resume campaign chat-bot --reason "INC-77 is over"`;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const subject = await subjectToResume(args.positionals, await deps.stage.ledger());
  return switchTo(subject, { isOn: false, reason: args.text('reason') }, deps);
}

/** `autopilot resume`. */
export const command: Command = { help, options: { reason: { type: 'string' } }, run };
