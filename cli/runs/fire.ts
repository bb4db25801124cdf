import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { type Command, type CommandDeps, type CommandResult, exitCodes } from '../terminal/command.ts';
import {
  firedCommand,
  invokeScheduled,
  invokesFunction,
  scheduleToFire,
  sendOperatorCommand,
} from '#operator/runs/fire-schedule.ts';
import { commandTitle } from '#shared/messages/campaign-run-command.ts';
import { endOfSent } from './run-lines.ts';
import { refuseUnsentStop } from '#operator/runs/runs-in-flight.ts';
import { patienceOf, reasonOption, waitingOptions } from '../terminal/arguments.ts';

export const command: Command = {
  line: {
    says: 'Sends now what the schedule would send, and waits for the outcome.',
    more: 'The next occurrence still comes. If the target is a function (a poll), it is invoked and its answer printed.',
    words: { '<SCHEDULE>': '' },
    options: { ...reasonOption, ...waitingOptions },
    examples: ['autopilot fire weeknights --reason "first night after the release" --json'],
  },
  async run(args, deps) {
    const [name] = args.positionals;
    const patience = patienceOf(args);
    const schedule = await scheduleToFire(name, deps);
    if (!schedule.isEnabled) deps.progress(`the schedule ${schedule.name} is disabled; it is fired all the same`);
    if (invokesFunction(schedule)) return invoke(schedule, deps);

    const wanted = firedCommand(schedule, args.text('reason'));
    if (wanted.action === 'stop') await refuseUnsentStop(wanted, deps);
    const sent = await sendOperatorCommand(wanted, { verb: 'fire', subject: schedule.name, patience }, deps);
    const about = `${schedule.name}: ${commandTitle(wanted)}`;
    return { data: { schedule: schedule.name, ...sent }, ...endOfSent(about, sent) };
  },
};

async function invoke(schedule: DeployedSchedule, deps: CommandDeps): Promise<CommandResult> {
  const { hasFailed, answer, says } = await invokeScheduled(schedule, deps);
  return {
    exitCode: hasFailed ? exitCodes.failed : exitCodes.done,
    data: { schedule: schedule.name, invoked: schedule.targetArn, failed: hasFailed, answer },
    render: ({ paint }) => [
      [`${schedule.name}: ${hasFailed ? paint('red', 'failed') : paint('green', 'done')}`, ...says].join(', '),
    ],
  };
}
