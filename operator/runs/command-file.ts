/**
 * The commands of a file, for `autopilot send --file`: all of them are sent, or none if one is wrong. What a command lacks of id, time and
 * version is filled in.
 */
import { type CampaignRunCommand, isObject, parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { isStageId } from '#shared/messages/command-senders.ts';
import { toError } from '#shared/errors/app-error.ts';
import { OperatorError } from '../errors.ts';
import { failedAfter, failureOf } from '../failures.ts';
import { type WaitLimit, waitForCommand } from '../outcomes/outcome-report.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import type { SentCommand } from './fire-schedule.ts';
import { issueInstant, refuseUnknownRun } from './run-ids.ts';
import { refuseUnsentStop } from './runs-in-flight.ts';

/** More than these are no list that a person has read. */
const mostCommands = 100;

/** One mistake in a list: the position of its command, from 0, and what to do. Without a position it is about the whole file. */
export interface ListProblem {
  readonly index?: number;
  readonly problem: string;
}

/** The commands of a list without a mistake, or every mistake of it. */
export type CheckedList =
  | { readonly ok: true; readonly commands: readonly CampaignRunCommand[] }
  | { readonly ok: false; readonly problems: readonly ListProblem[] };

/** Reads a list and checks each of its commands as its worker will. Sends nothing. */
export async function checkCommandList(text: string, deps: OperatorDeps): Promise<CheckedList> {
  const read = listIn(text);
  if (!read.ok) return read;
  const [now, unique] = [await deps.now(), deps.unique()];
  const commands: CampaignRunCommand[] = [];
  const places = new Map<string, number>();
  const problems: ListProblem[] = [];
  for (const [index, input] of read.inputs.entries()) {
    const checked = checkOne(input, { id: idAt(index, now, unique), now, operator: deps.operator });
    const found = checked.ok ? await refusals(checked.command, deps) : checked.problems;
    if (checked.ok) {
      const { id } = checked.command;
      if (isStageId(id)) found.push('id: holds a ":" or an "@", as only ids of the stage do. Leave it out');
      const twin = places.get(id);
      if (twin !== undefined)
        found.push(`id: command ${twin} has the same id. Give each its own, or leave the ids out`);
      places.set(id, index);
      commands.push(await issued(checked.command, input, deps));
    }
    problems.push(...found.map((problem) => ({ index, problem })));
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, commands };
}

type ReadList = { readonly ok: true; readonly inputs: readonly unknown[] } | Extract<CheckedList, { ok: false }>;

const whole = (problem: string): ReadList => ({ ok: false, problems: [{ problem }] });

function listIn(text: string): ReadList {
  let inputs: unknown;
  try {
    inputs = JSON.parse(text);
  } catch (error) {
    return whole(`is not JSON: ${toError(error).message}`);
  }
  if (!Array.isArray(inputs)) return whole('is not a list. Write [{"action": "start", "run": "smoke"}]');
  if (inputs.length === 0) return whole('holds no command. Write [{"action": "start", "run": "smoke"}]');
  if (inputs.length > mostCommands)
    return whole(`holds ${inputs.length} commands. Split it: a file has at most ${mostCommands}`);
  return { ok: true, inputs };
}

/** Ids of one file are in its order, which is that of its commands if they are issued at the same time. */
function idAt(index: number, now: Date, unique: string): string {
  return commandIds.operator('send-file', String(index).padStart(3, '0'), now, unique);
}

function checkOne(
  input: unknown,
  { id, now, operator }: { readonly id: string; readonly now: Date; readonly operator: string },
): { ok: true; command: CampaignRunCommand } | { ok: false; problems: string[] } {
  if (!isObject(input)) return { ok: false, problems: ['is not an object. Write {"action": "start", "run": "smoke"}'] };
  if ('origin' in input) return { ok: false, problems: ['origin: leave it out: it is the person who sends the file'] };
  const stamped = {
    version: 1,
    id,
    issuedAt: now.toISOString(),
    ...input,
    origin: { kind: 'operator', name: operator },
  };
  const read = parseCampaignRunCommand(JSON.stringify(stamped), now);
  const { ignored = [] } = read;
  const unknown = ignored.map((field) => `${field}: is not a field of a command. Leave it out`);
  return read.ok && unknown.length === 0
    ? { ok: true, command: read.command }
    : { ok: false, problems: [...(read.ok ? [] : read.problems), ...unknown] };
}

/** What the stage itself says against a command: an unknown run, a stop that would not be sent. */
async function refusals(command: CampaignRunCommand, deps: OperatorDeps): Promise<string[]> {
  try {
    await refuseUnknownRun(command, deps);
    if (command.action === 'stop') await refuseUnsentStop(command, deps);
    return [];
  } catch (error) {
    if (error instanceof OperatorError && ['USAGE', 'STAGE_OBSERVES'].includes(error.code)) return [error.message];
    throw error;
  }
}

/** A time of its own stays; else it is issued now, and after what the ledger records of its run. */
async function issued(command: CampaignRunCommand, input: unknown, deps: OperatorDeps): Promise<CampaignRunCommand> {
  if (isObject(input) && 'issuedAt' in input) return command;
  const at = await issueInstant(command, new Date(command.issuedAt), await deps.stage.ledger());
  return { ...command, issuedAt: at.toISOString() };
}

/** What was sent of a list; if it was cut short, at which command, and which were not tried. */
export interface SentList {
  readonly commands: readonly SentCommand[];
  readonly failed?: { readonly index: number; readonly id: string; readonly problem: string };
  readonly notSent: readonly string[];
}

/** Sends the commands in their order, then waits for the outcome of each. */
export async function sendCommandList(
  commands: readonly CampaignRunCommand[],
  patience: WaitLimit,
  deps: OperatorDeps,
): Promise<SentList> {
  let sent = 0;
  let failed: SentList['failed'];
  try {
    for (const command of commands) {
      await deps.stage.send('commands', JSON.stringify(command));
      sent += 1;
    }
  } catch (error) {
    // Nothing was done before the first: what went wrong is all there is to tell.
    if (sent === 0) throw error;
    failed = { index: sent, id: commands[sent]?.id ?? '', problem: failureOf(error, deps.target).message };
  }
  const reports: SentCommand[] = [];
  for (const command of commands.slice(0, sent)) {
    const report = await waitForCommand(command.id, patience, deps).catch((error: unknown) => {
      throw failedAfter(`${sent} of ${commands.length} commands were sent`, error, deps.target);
    });
    reports.push({ command, ...report });
  }
  return { commands: reports, failed, notSent: commands.slice(sent + 1).map(({ id }) => id) };
}
