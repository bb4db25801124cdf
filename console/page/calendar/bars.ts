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

/** Bars of the past end at their stop; one in flight ends at now, and goes on dashed to the stop that is planned. Pure. */
export function barsOf({ past, planned }: CalendarAnswer, now: number): readonly Bar[] {
  const applied = past.filter(({ outcome }) => outcome === 'applied').toSorted((a, b) => instant(a.at) - instant(b.at));
  const starts = applied.filter(({ action }) => action === 'start');
  const wanted = planned.filter(({ outcome }) => outcome === 'applied' || outcome === 'deferred');
  return [
    ...starts.flatMap((start) => pastBars(start, { applied, planned: wanted, now })),
    ...wanted.filter(({ action }) => action === 'start').flatMap((start) => plannedBar(start, wanted)),
  ];
}

function pastBars(
  start: Past,
  {
    applied,
    planned,
    now,
  }: { readonly applied: readonly Past[]; readonly planned: readonly Planned[]; readonly now: number },
): Bar[] {
  const from = instant(start.at);
  const bar = { startId: start.id, run: runOf(start), from };
  const next = applied.find(
    ({ id, at, ...command }) => id !== start.id && instant(at) >= from && isSame(start, command),
  );
  if (next !== undefined) {
    // A second start of the same run says that the first ended, and not when.
    return next.action === 'stop' ? [{ ...bar, until: instant(next.at), isPlanned: false }] : [];
  }
  const stop = planned.find(({ action, run, at }) => action === 'stop' && run === start.run && instant(at) > now);
  if (stop === undefined) return [];
  return [
    { ...bar, until: now, isPlanned: false },
    { ...bar, from: now, until: instant(stop.at), isPlanned: true },
  ];
}

/** The same campaign run, or the same configured run where an id is not known. */
function isSame(start: Past, { action, run, campaignRunId }: Pick<Past, 'action' | 'run' | 'campaignRunId'>): boolean {
  if (action === 'update') return false;
  if (start.campaignRunId !== undefined && campaignRunId !== undefined) return start.campaignRunId === campaignRunId;
  return start.run === run;
}

/** A scheduled stop may come before the planned one. */
function plannedBar(start: Planned, planned: readonly Planned[]): Bar[] {
  const from = instant(start.outcome === 'deferred' ? (start.until ?? start.at) : start.at);
  const scheduled = planned.find(({ action, run, at }) => action === 'stop' && run === start.run && instant(at) > from);
  const ends = [scheduled?.at, start.stopDueAt].filter((end) => end !== undefined).map(instant);
  if (ends.length === 0) return [];
  return [{ startId: start.id, run: start.run ?? '', from, until: Math.min(...ends), isPlanned: true }];
}

const instant = (text: string) => Date.parse(text);
