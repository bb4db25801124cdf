import { laterDelayMs } from '#shared/gateway-client/index.ts';
import { validityOf } from '#shared/guards/guards.ts';
import { type Refusals, withRefusal } from '#shared/ledger/rows/command-row.ts';
import { delayAtGateMs } from '../../_gateway/gate.ts';
import { longestSlotWaitMs } from '../../_gateway/rate-limiter.ts';
import { storedOwn, type Wait, waits } from './rows.ts';
import type { CallFailure, Decision, Delivery, Moment, OwnRow } from './state.ts';

/** Rows change concurrently within seconds: a command comes back after this. */
export const shortWaitMs = 2000;

/** A run that goes on does harm, and stops repeat freely: a stop comes back within a minute, also at a closed gate. */
const longestWaitMs = 60_000;

// SQS drops a message at its thousandth receive, and a command lives a day. So it has 600 receives a minute apart, and the rest 150 s apart.
const waitOfManyMs = 150_000;
const manyReceives = { start: 300, stop: 600 } as const;

/** A start waits for this part of its remaining validity at most. */
const mostOfValidity = 1 / 4;

/** Not less, however little is left: the first back-off. */
const leastStartWaitMs = 30_000;

/** Starts that find no slot come back spread over longer and longer, since each delivery costs a read and a write. With more than this the last few of many would be away while slots pass unused. */
const longestSpreadMs = 30_000;

const gateClosed = 'the gateway, whose connection was down at the last try';

/** A start can land 60 s after its attempt, and two workers' clocks may differ by 60 s. */
const landsWithinMs = 120_000;

/** From when on the request of an attempt that ended then can land no more; milliseconds since the epoch. */
export function landedMs(attemptEnds: string): number {
  return Date.parse(attemptEnds) + landsWithinMs + 1;
}

/** How long a stop waits at most between two tries. */
export function stopWaitMs({ receiveCount }: Pick<Delivery, 'receiveCount'>): number {
  return receiveCount > manyReceives.stop ? waitOfManyMs : longestWaitMs;
}

/** How long a command waits for another one: it grows with each delivery, to a minute if nothing else is said. */
export function plainWaitMs({ delivery, command }: Pick<Moment, 'delivery' | 'command'>, longestMs = longestWaitMs) {
  const { receiveCount } = delivery;
  if (receiveCount > manyReceives[command.action]) return waitOfManyMs;
  return Math.min(longestMs, shortWaitMs * 2 ** Math.min(receiveCount - 1, 10));
}

/** How long a command waits after a failed call. A pause that the gateway asks for is over by then, unless it is a stop that waits. */
export function delayAfter({ pauseMs }: Pick<CallFailure, 'pauseMs'>, moment: Moment): number {
  const { delivery, command } = moment;
  const failures = storedOwn(moment)?.attempt?.failures ?? 0;
  const backOffMs = Math.min(laterDelayMs(failures + 1, delivery.random), longestDelayMs(moment));
  const delayMs = pauseMs === undefined ? backOffMs : delayAtGateMs(pauseMs, backOffMs, delivery.random);
  if (command.action === 'stop') return Math.min(delayMs, stopWaitMs(delivery));
  return delivery.receiveCount > manyReceives.start ? Math.max(delayMs, waitOfManyMs) : delayMs;
}

function longestDelayMs(moment: Moment): number {
  const { command, delivery, now } = moment;
  if (command.action === 'stop') return stopWaitMs(delivery);
  const { until } = validityOf({ command, deferredUntil: storedOwn(moment)?.deferred?.until });
  const leftMs = until.getTime() - now.getTime();
  // Past its validity nothing is left to come in time for.
  return leftMs >= 0 ? Math.max(leastStartWaitMs, leftMs * mostOfValidity) : Infinity;
}

/** What keeps a start from this call. Neither a closed gate nor a missing slot counts against it. */
export function holdBeforeCall(kind: 'runs' | 'reads', moment: Moment): Wait | undefined {
  const { gateWaitMs, slots, delivery, callBudgetMs } = moment;
  if (gateWaitMs > 0) return { delayMs: delayAfter({ pauseMs: gateWaitMs }, moment), why: gateClosed };
  if (delivery.remainingMs < callBudgetMs) return tooLate;
  const slotWaitMs = kind === 'runs' ? slots.runsMs : slots.readsMs;
  if (slotWaitMs <= longestSlotWaitMs && delivery.remainingMs - slotWaitMs >= callBudgetMs) return undefined;
  const delayMs = slotWaitMs + plainWaitMs(moment, longestSpreadMs) * delivery.random();
  return { delayMs: Math.min(delayMs, longestDelayMs(moment)), why: 'no slot of the rate limiter is free' };
}

const tooLate: Wait = { delayMs: shortWaitMs, why: 'too little time left for a call' };

/** A stop waits for its slot before its PATCH. At a closed gate it waits for at most one minute since its message was sent. */
export function holdBeforeStop({ gateWaitMs, slots, delivery, callBudgetMs, now }: Moment): Wait | undefined {
  const heldMs = Math.max(0, now.getTime() - delivery.sentAt.getTime());
  const holdMs = Math.min(gateWaitMs, longestWaitMs - heldMs);
  if (holdMs > 0) return { delayMs: holdMs, why: gateClosed };
  if (delivery.remainingMs - slots.runsMs >= callBudgetMs) return undefined;
  return { ...tooLate, delayMs: Math.min(longestWaitMs, Math.max(shortWaitMs, slots.runsMs)) };
}

/** A failure as it counts for this command: refusals that may heal are counted per command and attempt, and the last of them is final. */
export function weighed(
  failure: CallFailure,
  moment: Moment,
): { readonly failure: CallFailure; readonly refusals?: Refusals } {
  if (failure.next === 'park') return { failure };
  const by = { owner: moment.delivery.owner, now: moment.now };
  const { refusals, isUsedUp } = withRefusal(storedOwn(moment)?.attempt?.refusals, failure, by);
  return isUsedUp === true ? { failure: { ...failure, next: 'park' } } : { failure, refusals };
}

/** A watcher whose clock is ahead sends a deferred start a little early: it waits for the rest. */
const earlyByMs = 2 * 60_000;

/** A start whose blackout has not ended goes back to the watcher, or waits for the rest of it. */
export function stillDeferred(moment: Moment, own: OwnRow): Decision | undefined {
  const { deferred, attempt } = own;
  if (deferred === undefined) return undefined;
  const leftMs = Date.parse(deferred.until) - moment.now.getTime();
  if (leftMs <= 0) return undefined;
  const why = `the blackout ${deferred.blackout} is not over`;
  if (leftMs <= earlyByMs) return waits(moment, { delayMs: leftMs, why });
  // The mark of this attempt is taken out: it has not died.
  const writes = attempt === undefined ? [] : [{ ...own, attempt: undefined }];
  return { writes, then: { kind: 'deferred', detail: why } };
}
