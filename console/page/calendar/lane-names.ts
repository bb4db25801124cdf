/** The room of a name on a lane: it depends on the letters, on the window, and on the marks beside it. */
import type { Signal } from '@preact/signals';
import { visibleText } from '#shared/text/visible-text.ts';
import { type LaneMark, minutesADay } from './lanes.ts';
import type { Mark } from './marks.ts';

/** Pixels of a day before the first look at the window. */
export const usualWidth = 1_000;

/** Keeps the width of a lane, on which the room of a name depends. */
export function followWidth(place: HTMLDivElement | null, width: Signal<number>): (() => void) | undefined {
  const lane = place?.querySelector('.lane > svg');
  if (lane === null || lane === undefined) return undefined;
  const measure = () => (width.value = Math.round(lane.getBoundingClientRect().width));
  measure();
  const observer = new ResizeObserver(measure);
  observer.observe(lane);
  return () => observer.disconnect();
}

/** The height of a line of names above the tracks. */
export const nameHeight = 14;

/** What a mark takes beside the name that stands at it. */
const markPixels = 22;

const widths = new Map<string, number>();
const pen = document.createElement('canvas').getContext('2d');

/** Pixels of a name with its mark, in the letters of the lanes. */
export function widthOf(text: string): number {
  const known = widths.get(text);
  if (known !== undefined) return known;
  if (pen !== null) {
    const { fontFamily, fontSize } = getComputedStyle(document.body);
    pen.font = `${(Number.parseFloat(fontSize) * 11) / 14}px ${fontFamily}`;
  }
  const width = (pen?.measureText(text).width ?? text.length * 8) + markPixels;
  widths.set(text, width);
  return width;
}

/** What stands beside a mark: the reason of what a person may miss. A start has its name in its bar, and what another command overtook is no news. */
export function laneNameOf({ outcome, reason }: Mark): string | undefined {
  return ['skipped', 'deferred', 'parked'].includes(outcome) ? (reason ?? outcome) : undefined;
}

/** The side on which the name has room; undefined if there is none. */
export function sideOf(
  marks: readonly LaneMark[],
  index: number,
  minutesOf: (text: string) => number,
): 'start' | 'end' | undefined {
  const placed = marks[index];
  const name = placed === undefined ? undefined : laneNameOf(placed.mark);
  if (placed === undefined || name === undefined) return undefined;
  const needed = minutesOf(name);
  if (placed.minutes + needed < (marks[index + 1]?.minutes ?? minutesADay)) return 'start';
  return placed.minutes - needed > (marks[index - 1]?.minutes ?? 0) ? 'end' : undefined;
}

/** The part of a name that has room from a minute to the nearer edge, and the side on which it stands. */
export function fitted(
  text: string,
  minutes: number,
  width: number,
): { readonly text: string; readonly isLate: boolean } {
  const isLate = minutes > minutesADay / 2;
  const room = (width * (isLate ? minutes : minutesADay - minutes)) / minutesADay;
  let shown = visibleText(text);
  while (shown.length > 1 && widthOf(shown) > room) shown = `${shown.slice(0, -2)}…`;
  return { text: shown, isLate };
}
