import { UsageError } from '#operator/errors.ts';
import { alarmsAnswer, askLocalStage } from '#operator/stage/local-stage.ts';
import { type Command, type CommandResult, exitCodes } from './terminal/command.ts';
import { columns } from './terminal/output.ts';

const help = `autopilot alarm [NAME on|off]

Shows or moves an alarm of the run on this machine that a campaign halts on
(haltOn). In AWS CloudWatch moves it. While it is on, the campaign starts
nothing, and its runs in flight are stopped.

Examples
  autopilot alarm
  autopilot alarm target-5xx on`;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const { target } = deps;
  if (target.kind !== 'local') throw new UsageError('only the run on this machine has alarms that this moves');
  const [name, to = '', ...more] = args.positionals;
  const url = '/_local/alarm';
  if (name !== undefined) {
    if ((to !== 'on' && to !== 'off') || more.length > 0) {
      throw new UsageError('alarm takes the name of one alarm, and on or off');
    }
    const body = JSON.stringify({ name, state: to === 'on' ? 'ALARM' : 'OK' });
    await askLocalStage(target, { method: 'POST', url, body }, deps.signal);
  }
  const alarms = alarmsAnswer.parse(await askLocalStage(target, { method: 'GET', url }, deps.signal));
  const rows = Object.entries(alarms);
  return {
    exitCode: exitCodes.done,
    data: alarms,
    render: () => (rows.length === 0 ? ['no campaign halts on an alarm (haltOn)'] : columns(rows)),
  };
}

/** `autopilot alarm`. */
export const command: Command = { help, options: {}, run };
