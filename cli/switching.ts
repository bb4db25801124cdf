import type { SwitchRow } from '#shared/ledger/rows/switch-row.ts';
import { setSwitch, type Switched, type SwitchSubject } from '#shared/ledger/switches.ts';
import type { CommandResult } from './command.ts';
import type { CommandDeps } from './deps.ts';
import { roughly } from './duration-argument.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { type Paint, printable } from './output.ts';

/** Sets a switch for the person at the keyboard, and tells it. Twice is once. */
export async function switchTo(
  subject: SwitchSubject,
  wanted: { readonly isOn: boolean; readonly reason: string | undefined },
  deps: CommandDeps,
): Promise<CommandResult> {
  const [now, ledger] = await Promise.all([deps.now(), deps.stage.ledger()]);
  const reason = wanted.reason ?? 'no reason given';
  const switched = await setSwitch(ledger, subject, { isOn: wanted.isOn, by: deps.operator, reason, at: now });
  if (switched === undefined) {
    throw new CliError(`others keep switching ${nameOf(subject)}: nothing was changed, try again`, {
      exitCode: exitCodes.failed,
      code: 'LOST_RACE',
    });
  }
  return {
    exitCode: exitCodes.done,
    data: { ...reportOf(subject, switched), isOn: wanted.isOn, isChanged: switched.isChanged },
    render: (paint) => lines(subject, switched, { isOn: wanted.isOn, now }, paint),
  };
}

/** A switch that is on, as `status` tells it. */
export interface SwitchReport extends Pick<SwitchRow, 'scope' | 'name' | 'by' | 'reason' | 'at'> {}

/** Tells who switched what, when and why. */
export function switchReport({ scope, name, by, reason, at }: SwitchRow): SwitchReport {
  return { scope, name, by, reason, at };
}

function reportOf(subject: SwitchSubject, { row }: Switched): SwitchSubject | SwitchReport {
  return row === undefined ? subject : switchReport(row);
}

/** `FROZEN`, or `PAUSED campaign chat-bot`. */
export function stateWords(subject: SwitchSubject): string {
  return subject.scope === 'stage' ? 'FROZEN' : `PAUSED ${nameOf(subject)}`;
}

/** What is held back while it is on. */
export function heldBack({ scope }: SwitchSubject): string {
  if (scope === 'stage') return 'no start of this stage is sent; stops are';
  return scope === 'campaign' ? 'none of its starts is sent; stops are' : 'none of the starts that it asks for is sent';
}

function nameOf({ scope, name }: SwitchSubject): string {
  return scope === 'stage' ? 'the stage' : `${scope} ${printable(name)}`;
}

function lines(
  subject: SwitchSubject,
  { before, row, isChanged }: Switched,
  { isOn, now }: { readonly isOn: boolean; readonly now: Date },
  paint: Paint,
): readonly string[] {
  if (isOn) {
    const head = `${paint('red', stateWords(subject))}${isChanged ? '' : ' already'}: ${heldBack(subject)}`;
    return [head, ...(isChanged || row === undefined ? [] : [`  ${saidBy(row, now)}; left as it is`])];
  }
  const word = subject.scope === 'stage' ? 'thawed' : `resumed ${nameOf(subject)}`;
  if (!isChanged)
    return [`${nameOf(subject)} is not ${subject.scope === 'stage' ? 'frozen' : 'paused'}: left as it is`];
  return [
    `${paint('green', word)}: starts are judged by the other guards again; those that were skipped meanwhile stay skipped`,
    ...(before === undefined ? [] : [`  it was switched ${saidBy(before, now)}`]),
  ];
}

/** `by grace 3 h ago: CHG-1042 (2026-11-20T20:00:00.000Z)`. */
export function saidBy({ by, at, reason }: Pick<SwitchRow, 'by' | 'at' | 'reason'>, now: Date): string {
  const ago = roughly(now.getTime() - Date.parse(at));
  return `by ${printable(by)} ${ago} ago: ${printable(reason)} (${at})`;
}
