import { isParkReason, parkReasons } from '../../../shared/vocabulary/reason-codes.ts';
import type { CommandArguments } from '../../arguments.ts';
import type { CommandResult } from '../../command.ts';
import type { CommandDeps } from '../../deps.ts';
import { roughly } from '../../duration-argument.ts';
import { UsageError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { didYouMean } from '../../nearest.ts';
import { type Paint, printable } from '../../output.ts';
import { entriesOf, listParked, type ParkedEntry } from '../../parked-rows.ts';

/** `autopilot parked list`: what waits for a person, oldest first. */
export async function listCommand(args: CommandArguments, deps: CommandDeps): Promise<CommandResult> {
  const reason = wantedReason(args.text('reason'));
  const now = await deps.now();
  const all = entriesOf(await listParked(await deps.stage.ledger()));
  const parked = reason === undefined ? all : all.filter((entry) => entry.reason === reason);
  return {
    exitCode: exitCodes.done,
    data: { parked },
    render: (paint) =>
      parked.length === 0
        ? [`nothing is parked${reason === undefined ? '' : ` for ${reason}`}`]
        : parked.flatMap((entry) => entryLines(entry, now, paint)),
  };
}

function wantedReason(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const reason = text.toUpperCase().replaceAll('-', '_');
  if (isParkReason(reason)) return reason;
  const known = Object.keys(parkReasons);
  const meant = didYouMean(reason, known) || `: there are ${known.join(', ')}`;
  throw new UsageError(`nothing is ever parked for "${text}"${meant}`);
}

/** Two or three lines a row: id, reason and age; what it is about; what to do. */
export function entryLines(entry: ParkedEntry, now: Date, paint: Paint): readonly string[] {
  const age = roughly(now.getTime() - Date.parse(entry.since));
  return [
    `${paint('bold', entry.id)}  ${paint('red', entry.reason)}  ${entry.kind} ${printable(entry.subject)}  ${paint('dim', `${age} ago`)}`,
    ...(entry.detail === undefined ? [] : [`  ${printable(entry.detail)}`]),
    ...(entry.nextStep === undefined ? [] : [paint('dim', `  next: ${entry.nextStep}`)]),
  ];
}
