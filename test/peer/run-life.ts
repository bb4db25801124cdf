/**
 * The life of a run: it begins by itself at its `startAt`, and ends by itself. Nothing runs between
 * two looks: each look lets happen what is due by then, in its order.
 */
import type { PeerRun, PeerState } from './state.ts';

/** How long a run takes from `cancelling` to `cancelled`. */
const cancelMs = 5_000;

/** Lets everything happen that is due by now. */
export function settle(state: PeerState): void {
  for (;;) {
    const [first] = [...state.runs.values()]
      .flatMap((run) => ({ run, at: run.status === 'scheduled' ? run.startAt : run.endsAt }))
      .filter((due): due is { run: PeerRun; at: Date } => due.at !== undefined && due.at <= state.now())
      .toSorted((one, other) => one.at.getTime() - other.at.getTime());
    if (first === undefined) return;
    if (first.run.status === 'scheduled') begin(state, first.run);
    else end(state, first.run, first.at);
  }
}

/** A time moved by so many milliseconds. */
export function later(time: Date, byMs: number): Date {
  return new Date(time.getTime() + byMs);
}

function begin(state: PeerState, run: PeerRun): void {
  const at = run.startAt;
  run.status = 'in_progress';
  run.begunAt = at;
  run.endsAt = later(at, state.behaviour.lengthMsOf(run));
  state.effects.push({ at, id: run.id, kind: 'began', campaignId: run.campaignId });
}

function end(state: PeerState, run: PeerRun, at: Date): void {
  run.status = run.status === 'cancelling' ? 'cancelled' : 'complete';
  run.endsAt = undefined;
  state.effects.push({ at, id: run.id, kind: 'ended', status: run.status });
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
  run.endsAt = was === 'in_progress' ? later(at, cancelMs) : undefined;
  state.effects.push({ at, id: run.id, kind: 'cancelled', was });
}
