/** `PATCH /backend/v1/campaign-runs/{campaignRunId}`. */
import * as z from 'zod';
import { invalid, name, readFields, Refusal, timeAfter } from './fields.ts';
import { objectOf, type Body } from './request.ts';
import { cancel, move } from './run-life.ts';
import { found, type PeerRun, type PeerState } from './state.ts';

/** Applies a change whole, or refuses it and applies nothing. */
export function changeRun(state: PeerState, id: string, body: Body): { readonly message: string } {
  const change = readFields(objectOf(body), {
    name: name.nullish(),
    preserve: z.boolean().nullish(),
    startAt: timeAfter(state.now()).optional(),
    status: z.enum(['cancelled']).nullish(),
  });
  const run = found(state.runs.get(id));
  // A stop decides alone: a `startAt` beside it means nothing. One for a run that has begun is passed over.
  if (typeof change.status === 'string') stop(state, run);
  else if (change.startAt !== undefined && run.status === 'scheduled') move(state, run, change.startAt);
  keep(state, run, change);
  return { message: 'Campaign run updated' };
}

function stop(state: PeerState, run: PeerRun): void {
  if (run.status === 'scheduled' || run.status === 'in_progress') return cancel(state, run);
  const { lateStop } = state.behaviour;
  const says = `The campaign run is ${run.status}`;
  if (lateStop === 409) throw new Refusal(409, says);
  if (lateStop === 'names the field') throw invalid(['body', 'status'], says);
  if (lateStop === 'names no field') throw invalid(['body'], says);
}

function keep(
  state: PeerState,
  run: PeerRun,
  change: { readonly name?: string | null | undefined; readonly preserve?: boolean | null | undefined },
): void {
  const at = state.now();
  if (typeof change.name === 'string' && change.name !== run.name) {
    run.name = change.name;
    state.effects.push({ at, id: run.id, kind: 'renamed', name: change.name });
  }
  if (typeof change.preserve === 'boolean' && change.preserve !== run.preserve) {
    run.preserve = change.preserve;
    state.effects.push({ at, id: run.id, kind: 'preserved', preserve: change.preserve });
  }
}
