import * as z from 'zod';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { type CampaignRunCommand, checkCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { tickAnswer } from '#shared/messages/questions.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { type CommandReport, type WaitLimit, waitForCommand } from '../outcomes/outcome-report.ts';
import { filledInput } from '#shared/schedule/scheduler-input.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { isConfiguredRun, issueInstant } from './run-ids.ts';
import { jsonIn } from '#shared/text/json-in.ts';
import { findSchedule } from '../switches/pause-subject.ts';

/** @throws UsageError that lists the schedules there are, or says that the name is a run */
export async function scheduleToFire(name: string | undefined, deps: OperatorDeps): Promise<DeployedSchedule> {
  const schedules = await deps.stage.schedules();
  const found = name === undefined ? undefined : await findSchedule(name, deps);
  if (found !== undefined) return found;
  const names = await schedules.names();
  const there = names.length === 0 ? 'this stage has none' : `there are ${names.join(', ')}`;
  if (name === undefined) throw new UsageError(`fire needs a schedule; ${there}`);
  if (await isConfiguredRun(name, deps)) {
    throw new UsageError(`"${name}" is a run, and fire takes a schedule (${there})`, {
      command: ['autopilot', 'send', 'start', name],
    });
  }
  throw new UsageError(`there is no schedule "${name}"${didYouMean(name, names, ':')} (${there})`);
}

/** What the schedule would send, as a command of the person who fires it. */
export function firedCommand(schedule: DeployedSchedule, reason: string | undefined): UnstampedCommand {
  const { version: _version, id: _id, issuedAt: _issuedAt, origin: _origin, ...wanted } = commandIn(schedule);
  const why = [reason, `schedule ${schedule.name} fired manually`].filter((part) => part !== undefined).join('; ');
  return { ...wanted, reason: why };
}

function commandIn(schedule: DeployedSchedule): CampaignRunCommand {
  // Checked whole by the schema before it is sent; here it only has to be an object.
  const input = jsonIn(schedule.input);
  if (typeof input === 'object' && input !== null) return input as CampaignRunCommand;
  throw new OperatorError(`what the schedule ${schedule.name} sends is no command: deploy the stage again`, {
    code: 'BAD_SCHEDULE',
  });
}

/** Whether a schedule invokes a function, and sends no command. */
export function invokesFunction({ targetArn }: Pick<DeployedSchedule, 'targetArn'>): boolean {
  return targetArn.split(':')[2] === 'lambda';
}

/** What a function answered that a schedule invokes. */
export interface Invoked {
  readonly hasFailed: boolean;
  readonly answer: unknown;
  /** The answer in a sentence; empty if the function has nothing to say. */
  readonly says: readonly string[];
}

/** Invokes the function of a schedule as Scheduler would at this moment. */
export async function invokeScheduled(schedule: DeployedSchedule, deps: OperatorDeps): Promise<Invoked> {
  deps.progress(`invoking ${schedule.targetArn.split(':').at(-1)}; it answers when it is done`);
  const input = filledInput(schedule.input, { at: await deps.now(), executionId: deps.unique(), attempt: 1 });
  const { payload, functionError } = await deps.stage.invoke(schedule.targetArn, input);
  const hasFailed = functionError !== undefined;
  const document = jsonIn(payload);
  const answer = document === undefined ? payload : document;
  return { hasFailed, answer, says: hasFailed ? errorIn(answer) : sentenceOf(answer) };
}

/** Its own sentence if it has one; a function that has nothing to say answers null. */
function sentenceOf(answer: unknown): readonly string[] {
  if (answer === null) return [];
  const known = tickAnswer.safeParse(answer).data;
  return [known?.summary ?? JSON.stringify(answer)];
}

/** As Lambda answers for a function that threw. */
const thrown = z.object({ errorType: z.string().optional(), errorMessage: z.string() });

function errorIn(answer: unknown): readonly string[] {
  const known = thrown.safeParse(answer).data;
  if (known === undefined) return [JSON.stringify(answer)];
  return [[known.errorType, known.errorMessage].filter((part) => part !== undefined).join(': ')];
}

/** A command before it is stamped: everything but who, when and its id. */
export type UnstampedCommand = Omit<CampaignRunCommand, 'version' | 'id' | 'issuedAt' | 'origin' | 'isObserved'>;

/** What was sent, and what became of it. */
export interface SentCommand extends CommandReport {
  readonly command: CampaignRunCommand;
}

/**
 * Stamps a person's command, sends it and waits for its outcome.
 * @param verb - `send` or `fire`: with its subject the beginning of the id
 */
export async function sendOperatorCommand(
  wanted: UnstampedCommand,
  { verb, subject, patience }: { readonly verb: string; readonly subject: string; readonly patience: WaitLimit },
  deps: OperatorDeps,
): Promise<SentCommand> {
  const now = await deps.now();
  const issuedAt = await issueInstant(wanted, now, await deps.stage.ledger());
  const checked = checkCampaignRunCommand(
    {
      ...wanted,
      version: 1,
      id: commandIds.operator(verb, subject, now, deps.unique()),
      issuedAt: issuedAt.toISOString(),
      origin: { kind: 'operator', name: deps.operator },
    },
    issuedAt,
  );
  if (!checked.ok) throw new UsageError(`this command would be refused: ${checked.problems.join('; ')}`);
  await deps.stage.send('commands', JSON.stringify(checked.command));
  return { command: checked.command, ...(await waitForCommand(checked.command.id, patience, deps)) };
}
