import type { CalendarAnswer } from '../../api.ts';
import { datesBetween, wallClock } from '../words/times.ts';
import { barsOf, type Bar } from './bars.ts';
import { marksOf, type Mark } from './marks.ts';

/**
 * The calendar as data: one lane a day, by the wall clock of the zone. A day with a changed clock keeps its 24 hours of wall clock: an hour that is
 * skipped stays empty, one that is repeated holds the marks of both. Pure.
 */

export const minutesADay = 24 * 60;

/** A piece of an interval within one day, in minutes of wall clock. */
export interface Piece {
  readonly from: number;
  readonly until: number;
}

/** A stretch with a name that stands behind the marks. */
export interface Stretch extends Piece {
  readonly says: string;
}

export interface LaneBar extends Piece {
  readonly bar: Bar;
  /** Two runs at a time stand below each other, so an overlap is seen. */
  readonly track: number;
}

export interface LaneMark {
  readonly mark: Mark;
  readonly minutes: number;
  readonly track: number;
}

export interface Lane {
  readonly date: string;
  readonly bars: readonly LaneBar[];
  readonly marks: readonly LaneMark[];
  readonly blackouts: readonly Stretch[];
  readonly bands: readonly Stretch[];
  readonly tracks: number;
  /** Minutes of wall clock, on the day that it is. */
  readonly now?: number;
}

/** Lanes of the period, the oldest first. */
export function lanesOf(
  answer: CalendarAnswer,
  {
    from,
    until,
    now,
    zone,
  }: { readonly from: number; readonly until: number; readonly now: number; readonly zone: string },
): readonly Lane[] {
  const bars = barsOf(answer, now);
  const marks = marksOf(answer);
  const blackouts = answer.blackouts.map((each) => ({
    from: Date.parse(each.from),
    until: Date.parse(each.until),
    says: `blackout ${each.name}: starts are ${each.starts === 'skip' ? 'skipped' : 'put off'}`,
  }));
  const bands = answer.bands.map((each) => ({
    from: Date.parse(each.from),
    until: each.until === undefined ? Math.max(now, Date.parse(each.from)) : Date.parse(each.until),
    says: `${each.scope === 'stage' ? 'frozen' : `paused ${each.scope} ${each.name}`} by ${each.by}: ${each.reason}`,
  }));
  const today = wallClock(now, zone);
  return datesBetween(wallClock(from, zone).date, wallClock(until, zone).date).map((date) => {
    const within = <T extends { readonly from: number; readonly until: number }>(each: T) => {
      const piece = pieceOn(date, each.from, each.until, zone);
      return piece === undefined ? [] : [{ each, piece }];
    };
    const tracked = trackBars(bars.flatMap(within).map(({ each, piece }) => ({ bar: each, ...piece })));
    return {
      date,
      bars: tracked,
      marks: marks
        .map((mark) => ({ mark, clock: wallClock(mark.at, zone) }))
        .filter(({ clock }) => clock.date === date)
        .map(({ mark, clock }) => ({ mark, minutes: clock.minutes, track: trackOf(mark, tracked) })),
      blackouts: blackouts.flatMap(within).map(({ each, piece }) => ({ ...piece, says: each.says })),
      bands: bands.flatMap(within).map(({ each, piece }) => ({ ...piece, says: each.says })),
      tracks: Math.max(1, ...tracked.map(({ track }) => track + 1)),
      now: today.date === date ? today.minutes : undefined,
    };
  });
}

/** What of an interval falls on a date; undefined if nothing does. */
export function pieceOn(date: string, from: number, until: number, zone: string): Piece | undefined {
  const [first, last] = [wallClock(from, zone), wallClock(until, zone)];
  if (until <= from || date < first.date || date > last.date) return undefined;
  const start = date === first.date ? first.minutes : 0;
  const end = date === last.date ? last.minutes : minutesADay;
  // An interval that ends at midnight has nothing on the next day; one within a repeated hour may end at an earlier wall clock time.
  if (date === last.date && date !== first.date && end === 0) return undefined;
  return { from: start, until: Math.max(end, start + 1) };
}

/** Gives each bar the first track that is free at its beginning. */
function trackBars(bars: readonly (Piece & { readonly bar: Bar })[]): readonly LaneBar[] {
  const freeFrom: number[] = [];
  return bars
    .toSorted((a, b) => a.from - b.from)
    .map((piece) => {
      const free = freeFrom.findIndex((minute) => minute <= piece.from);
      const track = free === -1 ? freeFrom.length : free;
      freeFrom[track] = piece.until;
      return { ...piece, track };
    });
}

/** A mark stands on the bar that it begins or ends. */
function trackOf({ id, endsId }: Mark, bars: readonly LaneBar[]): number {
  return bars.find(({ bar }) => bar.startId === id || (endsId !== undefined && bar.startId === endsId))?.track ?? 0;
}
