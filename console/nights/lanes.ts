/**
 * The calendar as data: one lane a night, from noon to noon by the wall clock of the zone, so that no night is cut. One with a changed clock
 * keeps its 24 hours of wall clock. An hour that is skipped stays empty; one that is repeated holds
 * the marks of both. Pure.
 */
import type { RunStateName, Tone } from '#operator/run-state/look.ts';
import type { CalendarAnswer } from '../api.ts';
import { datesBetween, nightClock } from './times.ts';
import { type Mark, marksOf } from './marks.ts';

/** Of a lane. */
export const minutesADay = 24 * 60;

/** A piece of an interval within one night, in minutes of wall clock since its noon. */
export interface Piece {
  readonly from: number;
  readonly until: number;
}

/** A stretch with a name that stands behind the marks. */
interface Stretch extends Piece {
  readonly says: string;
}

/** A freeze or a pause: they look unlike each other. */
interface Band extends Stretch {
  readonly kind: 'frozen' | 'paused';
}

interface LaneBar extends Piece {
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
  readonly bands: readonly Band[];
  /** What begins to block starts in this night, each on a line of its own above the tracks. */
  readonly names: readonly { readonly minutes: number; readonly says: string }[];
  readonly tracks: number;
  /** Minutes of wall clock, in the night that it is. */
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
  const { bands, blackouts } = holdsOf(answer, now);
  const today = nightClock(now, zone);
  const cut = <T extends Interval>(all: readonly T[]) =>
    Map.groupBy(
      all.flatMap((each) => piecesOf(each, zone).map((piece) => ({ ...piece, each }))),
      nightOf,
    );
  const on = { bars: cut(bars), blackouts: cut(blackouts), bands: cut(bands) };
  const marks = Map.groupBy(
    marksOf(answer).map((mark) => ({ mark, ...nightClock(mark.at, zone) })),
    nightOf,
  );
  const named = Map.groupBy(
    [...bands, ...blackouts.filter((each) => each.until - each.from >= leastNamed)].map(({ from: begins, name }) => ({
      ...nightClock(begins, zone),
      says: name,
    })),
    nightOf,
  );
  return datesBetween(nightClock(from, zone).date, nightClock(until, zone).date).map((date) => {
    const tracked = trackBars((on.bars.get(date) ?? []).map(({ each, ...piece }) => ({ ...piece, bar: each })));
    return {
      date,
      bars: tracked,
      marks: (marks.get(date) ?? []).map(({ mark, minutes }) => ({ mark, minutes, track: trackOf(mark, tracked) })),
      blackouts: (on.blackouts.get(date) ?? []).map(({ each, ...piece }) => ({ ...piece, says: each.says })),
      bands: (on.bands.get(date) ?? []).map(({ each, ...piece }) => ({ ...piece, kind: each.kind, says: each.says })),
      names: named.get(date) ?? [],
      tracks: Math.max(1, ...tracked.map(({ track }) => track + 1)),
      now: today.date === date ? today.minutes : undefined,
    };
  });
}

/** What holds starts, with its name and its sentence. */
function holdsOf({ blackouts, bands }: CalendarAnswer, now: number) {
  return {
    blackouts: blackouts.map((each) => {
      const name = `blackout ${each.name}`;
      const says = `${name}: starts are ${each.starts === 'skip' ? 'skipped' : 'deferred'}`;
      return { from: Date.parse(each.from), until: Date.parse(each.until), name, says };
    }),
    bands: bands.map((each) => {
      const from = Date.parse(each.from);
      const end = bandEnd(each);
      const until = end === undefined ? Math.max(now, from) : Date.parse(end);
      const kind = each.scope === 'stage' ? ('frozen' as const) : ('paused' as const);
      const name = `${bandName(each)} by ${each.by}`;
      return { from, until, kind, name, says: `${name}: ${each.reason}` };
    }),
  };
}

const nightOf = ({ date }: { readonly date: string }) => date;

/** A shorter blackout comes every night, and its name would, too: the table of what holds starts back has it. */
const leastNamed = 6 * 60 * 60_000;

type Held = CalendarAnswer['bands'][number];

/** What a freeze, a pause or an alarm holds back. */
export function bandName({ scope, name }: Held): string {
  if (scope === 'alarm') return `held campaign ${name.split('/', 1)[0]}`;
  return scope === 'stage' ? 'frozen' : `paused ${scope} ${name}`;
}

/** When it was over, or will end by itself; `undefined` while it lasts without an end. */
export function bandEnd({ to, until }: Held): string | undefined {
  return to ?? until;
}

interface Interval {
  readonly from: number;
  readonly until: number;
}

/** An interval night by night. Pure. */
export function piecesOf({ from, until }: Interval, zone: string): readonly (Piece & { readonly date: string })[] {
  if (until <= from) return [];
  const [first, last] = [nightClock(from, zone), nightClock(until, zone)];
  return datesBetween(first.date, last.date)
    .map((date) => {
      const start = date === first.date ? first.minutes : 0;
      const end = date === last.date ? last.minutes : minutesADay;
      // One within a repeated hour may end at an earlier wall clock time.
      return { date, from: start, until: date === last.date && start > 0 ? Math.max(end, start + 1) : end };
    })
    .filter((piece) => piece.until > piece.from);
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

/** A time in which a run was, is or would be in flight. */
export interface Bar {
  readonly startId: string;
  readonly run: string;
  readonly from: number;
  readonly until: number;
  /** Full: it was. Dashed: it would be, or it is expected to go on. */
  readonly isPlanned: boolean;
  readonly tone: Tone;
}

type Past = CalendarAnswer['past'][number];
type Planned = CalendarAnswer['planned'][number];

/**
 * Bars of the past end when their run did. One in flight is full up to now, and goes on dashed to
 * the stop that comes first. Pure.
 */
export function barsOf({ past, planned }: CalendarAnswer, now: number): readonly Bar[] {
  // A start that is deferred is planned again for the end of its blackout, under the same id, and ends there as it ends.
  const ended = new Set(planned.filter(({ outcome }) => outcome !== 'deferred').map(occurrence));
  const wanted = planned.filter(
    (each) => each.outcome === 'applied' || (each.outcome === 'deferred' && !ended.has(occurrence(each))),
  );
  return [
    ...past.flatMap((start) => pastBars(start, wanted, now)),
    ...wanted.filter(({ action }) => action === 'start').flatMap((start) => plannedBar(start, wanted)),
  ];
}

const occurrence = ({ action, id }: Planned) => `${action} ${id}`;

/** Of these nothing ran, or nothing does yet: a start that waits is among the planned ones. */
const withoutBar: ReadonlySet<RunStateName> = new Set(['observed', 'not-started', 'cancelled', 'deferred', 'waiting']);

function pastBars({ id: startId, run: stands, mayHaveRun }: Past, planned: readonly Planned[], now: number): Bar[] {
  if (stands === undefined || withoutBar.has(stands.state)) return [];
  const { run, startAt, stopsAt, endedAt, tone } = stands;
  const bar = { startId, run, from: instant(startAt), tone };
  if (endedAt !== undefined) return [{ ...bar, until: instant(endedAt), isPlanned: false }];
  const until = firstEnd(mayHaveRun?.until ?? stopsAt, stopsOf({ run }, planned), now) ?? now;
  return [
    { ...bar, until: Math.max(now, bar.from), isPlanned: false },
    { ...bar, from: Math.max(now, bar.from), until, isPlanned: true },
  ];
}

function plannedBar(start: Planned, planned: readonly Planned[]): Bar[] {
  const { id: startId, run = '', at, until: putOffUntil = at, effectAt = putOffUntil, endsAt, stopDueAt } = start;
  const from = instant(effectAt);
  const until = endsAt === undefined ? firstEnd(stopDueAt, stopsOf(start, planned), from) : instant(endsAt);
  return until === undefined ? [] : [{ startId, run, from, until, isPlanned: true, tone: 'good' }];
}

function stopsOf({ run }: Pick<Planned, 'run'>, planned: readonly Planned[]): readonly string[] {
  return planned.filter(({ action, run: of }) => action === 'stop' && of === run).map(({ at }) => at);
}

/** A scheduled stop may come before the stop that the start planned. */
function firstEnd(stopDueAt: string | undefined, stops: readonly string[], after: number): number | undefined {
  const ends = [...(stopDueAt === undefined ? [] : [stopDueAt]), ...stops].map(instant).filter((end) => end > after);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

const instant = (text: string) => Date.parse(text);
