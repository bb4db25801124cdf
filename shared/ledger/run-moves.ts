/**
 * The states of a run row, as data: every move between them, and what makes it.
 * `docs/reference/ledger.md` shows this table.
 */
import type { RunState } from './rows/run-row.ts';

/** The name of a state. */
export type RunStateName = RunState['state'];

/** One move; `before` is the state that the row keeps to return to. */
export interface RunMove {
  readonly from: RunStateName;
  /** What happens. */
  readonly on: string;
  readonly to: RunStateName | 'before';
  /** What is written with it in the same transaction, and how the command ends or waits. */
  readonly so: string;
}

/** Every move, in the order of a run's life. */
export const runMoves: readonly RunMove[] = [
  {
    from: 'idle',
    on: 'a later start that every guard lets pass',
    to: 'starting',
    so: 'guard and pool take it, the command row holds the run id and the verdicts; then the PATCH leaves',
  },
  {
    from: 'idle',
    on: 'a later stop',
    to: 'stopping',
    so: 'a person may have started the run; a stop by name is noted in the pool; then the PATCH leaves',
  },
  {
    from: 'starting',
    on: 'a 2xx, or a refusal that `alreadyInState` names',
    to: 'running',
    so: 'the start is applied',
  },
  {
    from: 'starting',
    on: 'proven not applied, or refused for good',
    to: 'before',
    so: 'guard and pool give it back, unless an earlier try of it is in doubt; it waits, or is parked',
  },
  {
    from: 'starting',
    on: 'no answer, a 5xx, or the lease ended',
    to: 'start-unknown',
    so: 'the campaign is read at once, and then with back-off',
  },
  {
    from: 'start-unknown',
    on: 'the campaign shows that it began, or its 2xx comes after all',
    to: 'running',
    so: 'the start is applied; if it was parked, that is replaced',
  },
  {
    from: 'start-unknown',
    on: 'its repeat: the campaign proves that it did not begin, `startsRepeatSafely`, or a person ordered it and no later stop came; or a later start whose operator overrides the overlap',
    to: 'starting',
    so: 'not before the first request can land no more, by any clock; every guard judges again',
  },
  {
    from: 'start-unknown',
    on: 'the campaign proves that it did not begin, and it is too late or a guard refuses; or `until` passed without a planned stop',
    to: 'idle',
    so: 'guard and pool give it back, and the start is skipped; or the watcher closes the row',
  },
  {
    from: 'start-unknown',
    on: 'a later stop, or its own planned stop',
    to: 'stopping',
    so: 'the PATCH leaves once the start can land no more, and once more five minutes later',
  },
  {
    from: 'running',
    on: 'a later stop, or its own planned stop; a later start sends a planned stop that is due',
    to: 'stopping',
    so: 'then the PATCH leaves',
  },
  {
    from: 'running',
    on: 'a later start whose operator overrides the overlap',
    to: 'starting',
    so: 'as from idle; a start that plans no stop takes over the planned stop',
  },
  {
    from: 'running',
    on: '`until` passed, no stop is planned',
    to: 'idle',
    so: 'the watcher closes the row and frees guard and pool',
  },
  {
    from: 'stopping',
    on: 'a 2xx, `alreadyInState`, or a refusal of a run that is stopped already',
    to: 'idle',
    so: 'guard and pool are freed, and the stop is applied; a start in doubt before it ends, with its interval',
  },
  {
    from: 'stopping',
    on: 'the same while a start may still begin; proven not applied; its next try; a later stop takes over',
    to: 'stopping',
    so: 'it waits one minute at most',
  },
  {
    from: 'stopping',
    on: 'no answer, a 5xx, or the lease ended',
    to: 'stop-unknown',
    so: 'it waits one minute at most',
  },
  {
    from: 'stopping',
    on: 'refused for good, or its last chance',
    to: 'before',
    so: 'the stop is parked, and the planned stop stays armed',
  },
  {
    from: 'stop-unknown',
    on: 'its next try, or a later stop takes over',
    to: 'stopping',
    so: 'stops repeat freely; no start is sent before the earlier request can land no more',
  },
  {
    from: 'stop-unknown',
    on: 'its last chance',
    to: 'before',
    so: 'the stop is parked, and the planned stop stays armed',
  },
];

/**
 * The states that a row may be in after this one: itself, or one move on; a lease that ended counts
 * as its own move.
 */
export function statesAfter(state: RunState): ReadonlySet<RunStateName> {
  const names = new Set<RunStateName>([state.state]);
  const afterLease = { starting: 'start-unknown', stopping: 'stop-unknown' } as const;
  const lapsed = state.state === 'starting' || state.state === 'stopping' ? afterLease[state.state] : undefined;
  for (const { from, to } of runMoves) {
    if (from !== state.state && from !== lapsed) continue;
    if (to !== 'before') names.add(to);
    else if ('before' in state) names.add(state.before.state);
  }
  return names;
}
