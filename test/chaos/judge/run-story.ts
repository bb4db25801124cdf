import type { ChangedRun, Evidence, Transition } from './evidence.ts';

/** What became of one run id, by the gateway's own log. A run begins once, at its last accepted `startAt`, unless it was cancelled before. */
export interface RunStory {
  readonly id: string;
  /** Requests of workers that were accepted and ask for a start. */
  readonly starts: number;
  /** Those that ask for a stop. */
  readonly stops: number;
  /** When it began, or will begin; milliseconds since the epoch. */
  readonly beginsMs?: number;
  /** When it was cancelled, or ended by itself. */
  readonly endsMs?: number;
  readonly transitions: readonly Transition[];
}

/** The stories of the runs that workers changed, by id. */
export function storiesOf({ runs }: Pick<Evidence, 'runs'>): ReadonlyMap<string, RunStory> {
  const changed = runs.filter(({ transitions }) => transitions.some(({ by }) => by === 'api'));
  return new Map(changed.map((run) => [run.id, storyOf(run)]));
}

function storyOf({ id, transitions }: ChangedRun): RunStory {
  let beginsMs: number | undefined;
  let endsMs: number | undefined;
  for (const { at, by, to, body } of transitions) {
    const atMs = Date.parse(at);
    const isOver = endsMs !== undefined;
    const hasBegun = beginsMs !== undefined && beginsMs <= atMs;
    if (by === 'gateway' && to === 'complete') endsMs = atMs;
    if (by !== 'api' || isOver) continue;
    if (isStop(body)) {
      endsMs = atMs;
      if (!hasBegun) beginsMs = undefined;
    } else if (typeof body?.startAt === 'string' && !hasBegun) beginsMs = Date.parse(body.startAt);
  }
  const made = transitions.filter(({ by }) => by === 'api');
  return {
    id,
    starts: made.filter(({ body }) => typeof body?.startAt === 'string').length,
    stops: made.filter(({ body }) => isStop(body)).length,
    beginsMs,
    endsMs,
    transitions,
  };
}

function isStop(body: Transition['body']): boolean {
  return body?.status === 'cancelled';
}
