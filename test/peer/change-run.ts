/** `PATCH /backend/v1/campaign-runs/{campaignRunId}`. */
import type { LateAnswer } from './behaviour.ts';
import * as z from 'zod';
import { invalid, readFields, Refusal, text, timeAfter } from './fields.ts';
import { objectOf, type Body } from './request.ts';
import { cancel, move } from './run-life.ts';
import { found, type PeerRun, type PeerState } from './state.ts';

/** Applies a change whole, or refuses it and applies nothing. */
export function changeRun(state: PeerState, id: string, body: Body): { readonly message: string } {
  const change = readChange(state, body);
  const run = found(state.runs.get(id));
  if (typeof change.status === 'string') stop(state, run);
  else if (change.startAt !== undefined) start(state, run, change.startAt);
  keep(state, run, change);
  return { message: 'Campaign run updated' };
}

type Change = ReturnType<typeof readChange>;

function readChange({ behaviour, now }: PeerState, body: Body) {
  return readFields(
    objectOf(body),
    {
      name: text(1, 100).nullish(),
      preserve: z.boolean().nullish(),
      startAt: timeAfter(now()).optional(),
      status: z.enum(['cancelled']).nullish(),
    },
    { place: 'body', unknown: behaviour.unknownFields },
  );
}

/** A stop decides alone: a `startAt` beside it means nothing. */
function stop(state: PeerState, run: PeerRun): void {
  if (run.status === 'scheduled' || run.status === 'in_progress') cancel(state, run);
  else refuseLate(state.behaviour.lateStop, 'status', run);
}

function start(state: PeerState, run: PeerRun, startAt: Date): void {
  if (run.status === 'scheduled') move(state, run, startAt);
  else refuseLate(state.behaviour.lateStart, 'startAt', run);
}

function refuseLate(answer: LateAnswer, field: string, { status }: PeerRun): void {
  const says = `The campaign run is ${status}`;
  if (answer === 409) throw new Refusal(409, says);
  if (answer === 'names the field') throw invalid(['body', field], says);
  if (answer === 'names no field') throw invalid(['body'], says);
}

function keep(state: PeerState, run: PeerRun, { name, preserve }: Change): void {
  const at = state.now();
  if (typeof name === 'string' && name !== run.name) {
    run.name = name;
    state.effects.push({ at, id: run.id, kind: 'renamed', name });
  }
  if (typeof preserve === 'boolean' && preserve !== run.preserve) {
    run.preserve = preserve;
    state.effects.push({ at, id: run.id, kind: 'preserved', preserve });
  }
}
