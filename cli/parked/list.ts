import type { CommandArguments } from '../terminal/arguments.ts';
import type { CommandDeps, CommandResult } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { parkedFilter } from './filter-arguments.ts';
import { columns } from '../terminal/output.ts';
import type { When } from '../terminal/times.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import {
  type ParkedEntry,
  type ParkedGroup,
  entriesOf,
  groupsOf,
  isSelected,
  listParked,
  selects,
  titleOf,
} from '#operator/parked/parked-rows.ts';
import { countArgument } from '../terminal/value-arguments.ts';

/** Rows that a list shows without --limit: the groups and these fit a screen. `--json` has them all. */
const defaultLimit = 20;

/** `autopilot parked list`: what waits for a person, by reason, then row by row, oldest first. */
export async function listCommand(args: CommandArguments, deps: CommandDeps): Promise<CommandResult> {
  const now = await deps.now();
  const filter = parkedFilter(args, now);
  const limitText = args.text('limit');
  const limit = limitText === undefined ? undefined : countArgument('--limit', limitText);
  const rows = await listParked(await deps.stage.ledger());
  const parked = entriesOf(rows.filter((row) => isSelected(row, filter)));
  const groups = groupsOf(parked);
  const shown = parked.slice(0, limit ?? defaultLimit);
  const nothing =
    selects(filter) && rows.length > 0
      ? `nothing of that kind is parked (${rows.length === 1 ? '1 other is' : `${rows.length} others are`})`
      : 'nothing is parked';
  return {
    exitCode: exitCodes.done,
    data: { total: parked.length, groups, parked: limit === undefined ? parked : shown },
    render: (paint, times) =>
      parked.length === 0
        ? [nothing]
        : [
            [countLine(parked.length, groups.length, paint), times(now).note].filter((part) => part !== '').join('; '),
            ...groupLines(groups, times(now), paint),
            '',
            ...shown.flatMap((entry) => entryLines(entry, times(now), paint)),
            ...moreLines(parked.length, shown.length),
            '',
            paint('dim', 'all about one: autopilot parked show ID; about each reason: autopilot runbook CODE'),
          ],
  };
}

function moreLines(total: number, shown: number): readonly string[] {
  if (total === shown) return [];
  return [
    `and ${total - shown} more: --limit ${total} shows them all, --reason, --since, --before or --queue only some`,
  ];
}

function countLine(rows: number, reasons: number, paint: Paint): string {
  return paint('bold', `${rows} parked, for ${reasons === 1 ? 'one reason' : `${reasons} reasons`}`);
}

/** Two lines a reason: how many, which, how old; what to do. */
export function groupLines(groups: readonly ParkedGroup[], when: When, paint: Paint): readonly string[] {
  const heads = columns(groups.map((group) => [String(group.count), group.reason, ageOf(group, when)]));
  return groups.flatMap((group, index) => [
    `  ${paint('bold', heads[index] ?? '')}`,
    ...(group.nextStep === undefined ? [] : [`    next: ${group.nextStep}`]),
  ]);
}

function ageOf({ oldest, newest }: ParkedGroup, { at }: When): string {
  return at(oldest) === at(newest) ? at(oldest) : `the oldest ${at(oldest)}`;
}

/** Longer details are read with `show`. */
const maxDetail = 160;

/** One or two lines a row: id, reason, what it is about and age; what was found. */
export function entryLines(entry: ParkedEntry, { at }: When, paint: Paint): readonly string[] {
  const detail = entry.detail ?? '';
  return [
    `${paint('bold', entry.id)}  ${paint('red', entry.reason)}  ${titleOf(entry)}  ${paint('dim', at(entry.since))}`,
    ...(detail === '' ? [] : [`  ${detail.length > maxDetail ? `${detail.slice(0, maxDetail)}…` : detail}`]),
  ];
}
