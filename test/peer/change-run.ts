/** `PATCH /backend/v1/campaign-runs/{campaignRunId}`. */
import type { LateAnswer } from './behaviour.ts';
import * as z from 'zod';
import { invalid, readFields, Refusal, text, timeAfter } from './fields.ts';
import { objectOf, type Body } from './request.ts';
import { begin, cancel, move } from './run-life.ts';
import { found, type PeerRun, type PeerState } from './state.ts';

/** Applies a change whole, or refuses it and applies nothing. */
export function changeRun(state: PeerState, id: string, body: Body): { readonly message: string } {
  const change = readChange(state, body);
  const run = found(state.runs.get(id), 'campaignRunId', state.behaviour);
  const isStop = typeof change.status === 'string' && change.status !== state.behaviour.words?.start;
  if (isStop) stop(state, run);
  else start(state, run, change);
  keep(state, run, change);
  return { message: 'Campaign run updated' };
}

type Change = ReturnType<typeof readChange>;

function readChange({ behaviour, now }: PeerState, body: Body) {
  const words = behaviour.words === undefined ? ['cancelled'] : [behaviour.words.start, behaviour.words.stop];
  return readFields(
    objectOf(body),
    {
      name: text(1, 100).nullish(),
      preserve: z.boolean().nullish(),
      startAt: timeAfter(now()).optional(),
      status: z.enum(words).nullish(),
    },
    { place: 'body', unknown: behaviour.unknownFields },
  );
}

/** A stop decides alone: a `startAt` beside it means nothing. */
function stop(state: PeerState, run: PeerRun): void {
  if (run.status === 'scheduled' || run.status === 'in_progress') cancel(state, run);
  else refuseLate(state.behaviour.lateStop, 'status', run);
}

function start(state: PeerState, run: PeerRun, { startAt, status }: Change): void {
  const { words } = state.behaviour;
  if (words !== undefined && status === words.start) {
    startByWord(state, run, startAt);
  } else if (startAt !== undefined) {
    if (run.status === 'scheduled') move(state, run, startAt);
    else refuseLate(state.behaviour.lateStart, 'startAt', run);
  }
}

function startByWord(state: PeerState, run: PeerRun, startAt: Date | undefined): void {
  const repeats = state.behaviour.words?.restarts === true;
  if (run.status !== 'scheduled' && !repeats) {
    refuseLate(state.behaviour.lateStart, 'status', run);
  } else if (startAt === undefined) {
    begin(state, run, state.now());
  } else {
    run.status = 'scheduled';
    run.isArmed = true;
    run.startAt = startAt;
    state.effects.push({ at: state.now(), id: run.id, kind: 'armed', startAt });
  }
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
