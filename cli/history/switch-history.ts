import type { HistoryRange } from '#operator/history/history.ts';
import { readSwitchBands, type SwitchBand } from '#operator/switches/switch-bands.ts';
import { stateWords } from '#operator/switches/switches.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import type { CommandDeps, CommandResult } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { columns } from '../terminal/output.ts';

/** `autopilot history --switches`: the freezes and pauses of a range, the newest beginning first. */
export async function switchHistory(
  range: Pick<HistoryRange, 'since' | 'before'>,
  { limit, now, deps }: { readonly limit: number; readonly now: Date; readonly deps: Pick<CommandDeps, 'stage'> },
): Promise<CommandResult> {
  const bands = await readSwitchBands(await deps.stage.ledger(), range, now);
  const switches = bands.slice(0, limit);
  const isMore = bands.length > limit;
  return {
    exitCode: exitCodes.done,
    data: { switches, isMore },
    render: (paint) => [
      ...bandLines(switches, paint),
      ...(bands.length === 0 ? ['nothing was frozen or paused in that time'] : []),
      ...(isMore ? [paint('dim', `there are older ones: --before ${switches.at(-1)?.from}, or --limit`)] : []),
    ],
  };
}

function bandLines(bands: readonly SwitchBand[], paint: Paint): readonly string[] {
  const rows = bands.map((band) => [
    second(band.from),
    band.to === undefined ? `on${untilWords(band)}` : `until ${second(band.to)}`,
    stateWords(band),
    `by ${band.by}: ${band.reason}`,
    endWords(band),
  ]);
  return columns(rows).map((line, index) => (bands[index]?.to === undefined ? paint('red', line) : line));
}

function untilWords({ until }: SwitchBand): string {
  return until === undefined ? '' : ` until ${second(until)}`;
}

function endWords({ to, lifted }: SwitchBand): string {
  if (to === undefined) return '';
  return lifted === undefined ? 'it ended by itself' : `lifted by ${lifted.by}: ${lifted.reason}`;
}

/** `2026-11-20 22:00:44Z`. */
function second(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)}Z`;
}
