import { stageSwitch } from '#shared/ledger/switches.ts';
import type { Command, CommandResult } from '../command.ts';
import { UsageError } from '../errors.ts';
import { switchTo } from '../switching.ts';

const help = `autopilot thaw [--reason TEXT]

Ends a freeze: starts are judged by the other guards again. Those that were skipped meanwhile stay
skipped; autopilot history shows which, and autopilot send start starts one of them all the same.

  --reason TEXT             why, for the record

Examples
  autopilot thaw
  autopilot thaw --reason "INC-77 is over"`;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [word] = args.positionals;
  if (word !== undefined)
    throw new UsageError(`thaw is about the whole stage: autopilot resume ${word} for one campaign or schedule`);
  return switchTo(stageSwitch, { isOn: false, reason: args.text('reason') }, deps);
}

/** `autopilot thaw`. */
export const command: Command = { help, options: { reason: { type: 'string' } }, run };
