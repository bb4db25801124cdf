import { stageSwitch } from '#shared/ledger/switches.ts';
import type { Command, CommandResult } from '../command.ts';
import { UsageError } from '../errors.ts';
import { switchTo } from '../switching.ts';

const help = `autopilot freeze --reason TEXT

Skips every start of the stage from this moment on, whoever asks for it (FROZEN), until autopilot thaw.
No deployment, and it holds for starts that are on their way. Runs in flight go on, and their stops are
sent: autopilot stop --all-in-flight ends them as well. autopilot status shows it on top while it lasts.

  --reason TEXT             why, for the record

Examples
  autopilot freeze --reason "INC-77: the chatbot is down"
  autopilot freeze --reason CHG-1042 --aws --stage prod`;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [word] = args.positionals;
  if (word !== undefined)
    throw new UsageError(`freeze is about the whole stage: autopilot pause ${word} for one campaign or schedule`);
  const reason = args.text('reason');
  if (reason === undefined) throw new UsageError('freeze needs a --reason: it stays in the ledger');
  return switchTo(stageSwitch, { isOn: true, reason }, deps);
}

/** `autopilot freeze`. */
export const command: Command = { help, options: { reason: { type: 'string' } }, run };
