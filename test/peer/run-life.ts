/**
 * The life of a run: it begins by itself at its `startAt`, and ends by itself. Nothing runs between
 * two looks: each look lets happen what is due by then, in its order.
 */
import { type Course, usualCourse } from './behaviour.ts';
import { addRun, type PeerRun, type PeerState } from './state.ts';

const dayMs = 24 * 60 * 60_000;

/** What a run does next by itself. */
interface Due {
  readonly at: Date;
  readonly happen: () => void;
}

/** Lets everything happen that is due by now. */
export function settle(state: PeerState): void {
  const now = state.now();
  for (;;) {
    const [first] = [...state.runs.values()]
      .flatMap((run) => dueOf(state, run) ?? [])
      .toSorted((one, other) => one.at.getTime() - other.at.getTime());
    if (first === undefined || first.at > now) return;
    first.happen();
  }
}

function dueOf(state: PeerState, run: PeerRun): Due | undefined {
  if (run.status === 'scheduled') {
    return { at: run.startAt, happen: () => begin(state, run, run.startAt) };
  }
  const course = run.course ?? usualCourse;
  if (run.status === 'in_progress') {
    const at = later(run.begunAt ?? run.startAt, course.lengthMs);
    return { at, happen: () => end(state, run, { at, status: course.ending }) };
  }
  if (run.status === 'cancelling') {
    const at = later(run.cancelledAt ?? run.startAt, state.behaviour.cancelMs);
    return { at, happen: () => end(state, run, { at, status: 'cancelled' }) };
  }
  return undefined;
}

/** A time moved by so many milliseconds. */
export function later(time: Date, byMs: number): Date {
  return new Date(time.getTime() + byMs);
}

function begin(state: PeerState, run: PeerRun, at: Date): void {
  run.course = courseOf(state, run);
  if (run.course.ending === 'schedule_error') {
    end(state, run, { at, status: 'schedule_error' });
  } else {
    run.status = 'in_progress';
    run.begunAt = at;
    state.effects.push({ at, id: run.id, kind: 'began', campaignId: run.campaignId });
  }
  scheduleNext(state, run);
}

function courseOf(state: PeerState, run: PeerRun): Course {
  return { ...usualCourse, ...state.behaviour.courseOf(run) };
}

function end(state: PeerState, run: PeerRun, { at, status }: { at: Date; status: PeerRun['status'] }): void {
  run.status = status;
  run.endedAt = at;
  state.effects.push({ at, id: run.id, kind: 'ended', status });
}

/** A schedule of the gateway makes its next run when one begins. */
function scheduleNext(state: PeerState, run: PeerRun): void {
  const schedule = state.schedules.get(run.scheduleId ?? '');
  if (schedule === undefined || (schedule.count !== undefined && schedule.made >= schedule.count)) return;
  const startAt = later(schedule.startAt, schedule.made * schedule.everyDays * dayMs);
  if (schedule.endAt !== undefined && startAt > schedule.endAt) return;
  schedule.made += 1;
  const { id: scheduleId, campaignId, providerIds, name } = schedule;
  addRun(state, { campaignId, startAt, name, scheduleId, providerIds });
}

/** Moves the time at which a scheduled run begins. */
export function move(state: PeerState, run: PeerRun, to: Date): void {
  state.effects.push({ at: state.now(), id: run.id, kind: 'moved', from: run.startAt, to });
  run.startAt = to;
}

/** Takes out a scheduled run for ever, or begins to end one that is in progress. */
export function cancel(state: PeerState, run: PeerRun): void {
  const at = state.now();
  const was = run.status;
  run.status = was === 'in_progress' ? 'cancelling' : 'cancelled';
  run.cancelledAt = at;
  if (run.status === 'cancelled') run.endedAt = at;
  state.effects.push({ at, id: run.id, kind: 'cancelled', was });
}

/** How far a run is at a time: of its prompts, evenly over its length. */
export function progressOf(run: PeerRun, now: Date): number {
  if (run.begunAt === undefined || run.course === undefined) return 0;
  const passed = (run.endedAt ?? now).getTime() - run.begunAt.getTime();
  return Math.floor((run.course.total ?? 0) * Math.min(1, passed / run.course.lengthMs));
}
