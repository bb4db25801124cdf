import type { CalendarAnswer } from '../../api.ts';

/** A time in which a run was, is or would be in flight. */
export interface Bar {
  readonly startId: string;
  readonly run: string;
  readonly from: number;
  readonly until: number;
  /** Full: it was. Dashed: it would be, or it is expected to go on. */
  readonly isPlanned: boolean;
}

type Past = CalendarAnswer['past'][number];
type Planned = CalendarAnswer['planned'][number];

const runOf = ({ run, campaignRunId }: Past) => run ?? campaignRunId ?? '';

/** Bars of the past end when their run did; one in flight is full up to now, and goes on dashed to the stop that comes first. Pure. */
export function barsOf({ past, planned }: CalendarAnswer, now: number): readonly Bar[] {
  const started = past.filter(({ action, outcome }) => action === 'start' && outcome === 'applied');
  const wanted = planned.filter(({ outcome }) => outcome === 'applied' || outcome === 'deferred');
  return [
    ...started.flatMap((start) => pastBars(start, wanted, now)),
    ...wanted.filter(({ action }) => action === 'start').flatMap((start) => plannedBar(start, wanted)),
  ];
}

function pastBars(start: Past, planned: readonly Planned[], now: number): Bar[] {
  const { id: startId, at, effectAt = at, endedAt, stopDueAt } = start;
  const bar = { startId, run: runOf(start), from: instant(effectAt) };
  if (endedAt !== undefined) return [{ ...bar, until: instant(endedAt), isPlanned: false }];
  const until = firstEnd(stopDueAt, stopsOf(start, planned), now);
  if (until === undefined) return [];
  return [
    { ...bar, until: Math.max(now, bar.from), isPlanned: false },
    { ...bar, from: Math.max(now, bar.from), until, isPlanned: true },
  ];
}

function plannedBar(start: Planned, planned: readonly Planned[]): Bar[] {
  const { id: startId, run = '', at, until: putOffUntil = at, effectAt = putOffUntil, endsAt, stopDueAt } = start;
  const from = instant(effectAt);
  const until = endsAt === undefined ? firstEnd(stopDueAt, stopsOf(start, planned), from) : instant(endsAt);
  return until === undefined ? [] : [{ startId, run, from, until, isPlanned: true }];
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
