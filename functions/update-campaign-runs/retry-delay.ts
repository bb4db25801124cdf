import { validityOf } from '../../shared/guards/validity.ts';
import { laterDelayMs } from '../../shared/gateway-client/index.ts';
import { delayAtGateMs } from '../_runtime/gate.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';

/** A command that has to wait; its row where it was read. */
type Waiting = Pick<CommandWork, 'command' | 'record' | 'context'> & Partial<Pick<CommandWork, 'row'>>;

/** A stop is worth asking for often: it waits a minute at most between two tries (design: campaign runs). */
export const longestStopWaitMs = 60_000;

/** A start waits for this part of what is left of its validity at most (docs/adr/0030-a-start-comes-back-in-time.md). */
const mostOfValidity = 1 / 4;

/** Not less, however little is left: the first back-off. */
const leastStartWaitMs = 30_000;

/**
 * How long a command waits for another try: by the deliveries so far, among them those that only waited for a turn. So a start, which may have waited often
 * and still be in time, is not put off until it is too late.
 */
export function retryMs(work: Waiting, { random }: Pick<UpdateDeps, 'random'>): number {
  return Math.min(laterDelayMs(work.record.receiveCount, random), longestWaitMs(work));
}

/** The same where the gateway has everybody stay away for so long: not before that is over, but for a stop. */
export function retryAfterPauseMs(pauseMs: number, work: Waiting, deps: Pick<UpdateDeps, 'random'>): number {
  const delayMs = delayAtGateMs(pauseMs, retryMs(work, deps), deps.random);
  return work.command.action === 'stop' ? Math.min(delayMs, longestStopWaitMs) : delayMs;
}

/** The longest that a command may stay away: a stop a minute, a start a part of what is left of its validity. */
export function longestWaitMs({ command, context, row }: Waiting): number {
  if (command.action === 'stop') return longestStopWaitMs;
  if (command.action === 'update') return Infinity;
  const { until } = validityOf({ command, deferredUntil: row?.deferred?.until });
  const leftMs = until.getTime() - context.now().getTime();
  // Nothing is left to come in time for: a start in doubt waits for its answer, however long.
  return leftMs > 0 ? Math.max(leastStartWaitMs, leftMs * mostOfValidity) : Infinity;
}
