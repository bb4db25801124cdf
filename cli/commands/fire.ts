import * as z from 'zod';
import type { DeployedSchedule, Schedules } from '#shared/aws/schedules.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { tickAnswer } from '#shared/messages/tick-answer.ts';
import type { Command, CommandResult } from '../command.ts';
import type { CommandDeps } from '../deps.ts';
import { CliError, UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { didYouMean } from '../nearest.ts';
import { endOfSent, refuseUnsentStop } from '../observed-stop.ts';
import { type UnstampedCommand, sendOperatorCommand } from '../operator-command.ts';
import { printable } from '../output.ts';
import { patienceOf, waitingOptions } from '../waiting.ts';

const help = `autopilot fire SCHEDULE [options]

Sends now what the schedule would send, with an id of its own, and waits for the outcome; the next
occurrence still comes. Where the target is a function (a poll), invokes it and prints its answer.

  --reason TEXT             why, for the record
  --timeout D               how long to wait for the outcome (default 60s)
  --no-wait                 send it and leave

Examples
  autopilot fire weeknights
  autopilot fire weeknights --reason "first night after the release" --json`;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [name, ...more] = args.positionals;
  const patience = patienceOf(args);
  if (more.length > 0) throw new UsageError(`fire takes one schedule, and "${more[0]}" is one more`);
  const schedule = await findSchedule(name, await deps.stage.schedules());
  if (!schedule.isEnabled) deps.progress(`the schedule ${schedule.name} is disabled; it is fired all the same`);
  if (schedule.targetArn.split(':')[2] === 'lambda') return invoke(schedule, deps);

  const wanted = wantedCommand(schedule, args.text('reason'));
  if (wanted.action === 'stop') await refuseUnsentStop(wanted, deps);
  const sent = await sendOperatorCommand(wanted, { verb: 'fire', subject: schedule.name, patience }, deps);
  const about = `${schedule.name}: ${wanted.action} ${wanted.run ?? wanted.campaignRunId}`;
  return { data: { schedule: schedule.name, ...sent }, ...endOfSent(about, sent) };
}

/** @throws UsageError that lists the schedules there are */
async function findSchedule(name: string | undefined, schedules: Schedules): Promise<DeployedSchedule> {
  const found = name === undefined || !/^[\w.-]+$/.test(name) ? undefined : await schedules.find(name);
  if (found !== undefined) return found;
  const names = await schedules.names();
  const there = names.length === 0 ? 'this stage has none' : `there are ${names.join(', ')}`;
  if (name === undefined) throw new UsageError(`fire needs a schedule; ${there}`);
  throw new UsageError(`there is no schedule "${name}"${didYouMean(name, names)} (${there})`);
}

/** What the schedule would send, as a command of the person who fires it. */
function wantedCommand(schedule: DeployedSchedule, reason: string | undefined): UnstampedCommand {
  const { version: _version, id: _id, issuedAt: _issuedAt, origin: _origin, ...wanted } = commandIn(schedule);
  const why = [reason, `schedule ${schedule.name} fired by hand`].filter((part) => part !== undefined).join('; ');
  return { ...wanted, reason: why };
}

function commandIn(schedule: DeployedSchedule): CampaignRunCommand {
  try {
    // Checked whole by the schema before it is sent; here it only has to be an object.
    const input: unknown = JSON.parse(schedule.input);
    if (typeof input === 'object' && input !== null) return input as CampaignRunCommand;
  } catch {
    // Said below: a document that is no JSON is no command.
  }
  throw new CliError(`what the schedule ${schedule.name} sends is no command: deploy the stage again`, {
    exitCode: exitCodes.failed,
    code: 'BAD_SCHEDULE',
  });
}

async function invoke(schedule: DeployedSchedule, deps: CommandDeps): Promise<CommandResult> {
  deps.progress(`invoking ${schedule.targetArn.split(':').at(-1)}; it answers when it is done`);
  const input = filledIn(schedule.input, await deps.now(), deps.unique());
  const { payload, functionError } = await deps.stage.invoke(schedule.targetArn, input);
  const hasFailed = functionError !== undefined;
  const answer = parsedOr(payload);
  const said = hasFailed ? errorIn(answer) : saidBy(answer);
  return {
    exitCode: hasFailed ? exitCodes.failed : exitCodes.done,
    data: { schedule: schedule.name, invoked: schedule.targetArn, failed: hasFailed, answer },
    render: (paint) => [
      [`${schedule.name}: ${hasFailed ? paint('red', 'failed') : paint('green', 'done')}`, ...said].join(', '),
    ],
  };
}

/** Scheduler's placeholders, as it would fill them in at this moment. */
function filledIn(input: string, now: Date, unique: string): string {
  return input
    .replaceAll('<aws.scheduler.scheduled-time>', `${now.toISOString().slice(0, 19)}Z`)
    .replaceAll('<aws.scheduler.execution-id>', unique)
    .replaceAll('<aws.scheduler.attempt-number>', '1');
}

/** Its own sentence where it has one; a function that has nothing to say answers null. */
function saidBy(answer: unknown): readonly string[] {
  if (answer === null) return [];
  const known = tickAnswer.safeParse(answer).data;
  return [printable(known?.summary ?? JSON.stringify(answer))];
}

/** As Lambda answers for a function that threw. */
const thrown = z.object({ errorType: z.string().optional(), errorMessage: z.string() });

function errorIn(answer: unknown): readonly string[] {
  const known = thrown.safeParse(answer).data;
  if (known === undefined) return [printable(JSON.stringify(answer))];
  return [printable([known.errorType, known.errorMessage].filter((part) => part !== undefined).join(': '))];
}

function parsedOr(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}

/** `autopilot fire`. */
export const command: Command = { help, options: { ...waitingOptions, reason: { type: 'string' } }, run };
