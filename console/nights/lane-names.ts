/**
 * The names on a lane, and their room: it depends on the letters, on the width, and on the marks
 * beside them. Pure.
 */
import { visibleText } from '#shared/text/visible-text.ts';
import { type Lane, minutesADay } from './lanes.ts';
import type { Mark } from './marks.ts';

/** The height of a line of names above the tracks. */
export const nameHeight = 14;

/** What stands beside a mark: the reason of what a person may miss. A start has its name in its bar, and what another command overtook is no news. */
export function laneNameOf({ tone, reason, state }: Mark): string | undefined {
  return tone === 'bad' || tone === 'warn' ? (reason ?? state) : undefined;
}

/** How many minutes of a lane a name takes. */
type MinutesOf = (text: string) => number;

/** Pixels of a mark, and of a wide letter of a name. */
const [markWidth, letterWidth] = [22, 7] as const;

/** @param width - of the lane in pixels */
export function minutesOn(width: number): MinutesOf {
  return (text) => ((markWidth + text.length * letterWidth) / width) * minutesADay;
}

/** The side on which the name has room; undefined if it would cover a neighbour. */
export function sideOf(
  { marks, bars }: Pick<Lane, 'marks' | 'bars'>,
  index: number,
  minutesOf: MinutesOf,
): 'start' | 'end' | undefined {
  const placed = marks[index];
  const name = placed === undefined ? undefined : laneNameOf(placed.mark);
  if (placed === undefined || name === undefined) return undefined;
  const needed = minutesOf(name);
  const isFree = (from: number, until: number) =>
    from >= 0 &&
    until <= minutesADay &&
    !bars.some((bar) => bar.track === placed.track && bar.from < until && bar.until > from) &&
    !marks.some((other, at) => at !== index && other.track === placed.track && isIn(other.minutes, from, until));
  if (isFree(placed.minutes, placed.minutes + needed)) return 'start';
  return isFree(placed.minutes - needed, placed.minutes) ? 'end' : undefined;
}

/** With room for the name on its other side, which its neighbour may have. */
function isIn(minutes: number, from: number, until: number): boolean {
  return minutes > from - (until - from) && minutes < until + (until - from);
}

/** The part of a name that has room from a minute to the nearer edge, and the side on which it stands. */
export function fitted(
  text: string,
  minutes: number,
  minutesOf: MinutesOf,
): { readonly text: string; readonly isLate: boolean } {
  const isLate = minutes > minutesADay / 2;
  const room = isLate ? minutes : minutesADay - minutes;
  let shown = visibleText(text);
  while (shown.length > 1 && minutesOf(shown) > room) shown = `${shown.slice(0, -2)}…`;
  return { text: shown, isLate };
}
