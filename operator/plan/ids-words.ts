/** The ids of a run in words, also for the page: it loads nothing that asks a stage. Pure. */
import { counted } from '../readable.ts';
import type { IdsLeft } from './ids-left.ts';

/** Whether the ids of a run need a person: a pool that nothing keeps from filling needs none. */
export function areShort({ left, isLow, pool }: Pick<IdsLeft, 'left' | 'isLow' | 'pool'>): boolean {
  return pool === undefined ? isLow : pool.failing !== undefined || left === 0;
}

/** `9 ids left`; of a pool `9 of 12 runs ready`, and what keeps it from filling. */
export function idsWords({ left, pool }: Pick<IdsLeft, 'left' | 'pool'>): string {
  const failing = pool?.failing === undefined ? '' : `; none is made: ${pool.failing.says}`;
  if (pool !== undefined) return `${left} of ${pool.keepReady} runs ready${failing}`;
  return left === 0 ? 'no id left: the next start is parked (NO_RUN_LEFT)' : `${counted(left, 'id')} left`;
}
