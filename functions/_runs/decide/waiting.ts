import { laterDelayMs } from '#shared/gateway-client/index.ts';
import { validityOf } from '#shared/guards/guards.ts';
import { type CommandAttempt, isUsedUp, oneMoreRefusal, type Refusals } from '#shared/ledger/rows/command-row.ts';
import { delayAtGateMs } from '../../_gateway/gate.ts';
import { longestSlotWaitMs, slotDelayMs } from '../../_gateway/rate-limiter.ts';
import { shortWaitMs, type Wait } from './decision.ts';
import type { CallFailure, Delivery, Moment } from './state.ts';

/**
 * A stop waits for at most one minute between two tries, also at a closed gate. A run that goes on
 * does harm, and stops repeat freely.
 */
export const longestStopWaitMs = 60_000;

// SQS drops a message at its thousandth receive, and a command has a day: docs/adr/0062-a-stop-lasts-a-day.md
const waitOfManyMs = 150_000;

/** The same for this delivery: a stop waits longer after 600 receives, ten hours of minutes. */
export function stopWaitMs({ receiveCount }: Pick<Delivery, 'receiveCount'>): number {
  return receiveCount > 600 ? waitOfManyMs : longestStopWaitMs;
}

/** A start that waits for another run to end looks again after this at most. */
export function endingWaitMs({ receiveCount }: Pick<Delivery, 'receiveCount'>): number {
  return receiveCount > 300 ? waitOfManyMs : 30_000;
}

/** A start waits for this part of its remaining validity at most (docs/adr/0030-a-start-comes-back-in-time.md). */
const mostOfValidity = 1 / 4;

/** Not less, however little is left: the first back-off. */
const leastStartWaitMs = 30_000;

const gateClosed = 'the gateway gate is closed';
const tooLate: Wait = { delayMs: shortWaitMs, why: 'too little time left for a call' };

/** How long a command waits for another one of its run: it grows, since a queue gives a message up after a thousand deliveries. */
export function unsettledWaitMs({ delivery }: Moment): number {
  return Math.min(stopWaitMs(delivery), shortWaitMs * 2 ** Math.min(delivery.receiveCount - 1, 10));
}

/** The back-off of a command, by its failed calls: waiting for a slot or a lease is no try. */
export function retryMs(moment: Moment): number {
  const failures = moment.row?.attempt?.failures ?? 0;
  return Math.min(laterDelayMs(failures + 1, moment.delivery.random), longestWaitMs(moment));
}

/** How long a command waits after a failed call. A pause that the gateway asks for is over by then, unless it is a stop that waits. */
export function delayAfter({ pauseMs }: Pick<CallFailure, 'pauseMs'>, moment: Moment): number {
  if (pauseMs === undefined) return retryMs(moment);
  const delayMs = delayAtGateMs(pauseMs, retryMs(moment), moment.delivery.random);
  return moment.command.action === 'stop' ? Math.min(delayMs, stopWaitMs(moment.delivery)) : delayMs;
}

function longestWaitMs(moment: Moment): number {
  if (moment.command.action === 'stop') return stopWaitMs(moment.delivery);
  if (moment.command.action === 'update') return Infinity;
  const leftMs = validityLeftMs(moment);
  // Past its validity nothing is left to come in time for: a start in doubt waits for its answer, however long.
  return leftMs >= 0 ? Math.max(leastStartWaitMs, leftMs * mostOfValidity) : Infinity;
}

/** Milliseconds until a start is too late; negative if it is. */
export function validityLeftMs({ command, row, now }: Moment): number {
  return validityOf({ command, deferredUntil: row?.deferred?.until }).until.getTime() - now.getTime();
}

/** What keeps a start or an update from this call. Neither a closed gate nor a missing slot counts against it. */
export function holdBeforeCall(kind: 'runs' | 'reads', moment: Moment): Wait | undefined {
  const { gateWaitMs, slots, delivery, callBudgetMs } = moment;
  if (gateWaitMs > 0) return { delayMs: delayAfter({ pauseMs: gateWaitMs }, moment), why: gateClosed };
  const slotWaitMs = kind === 'runs' ? slots.runsMs : slots.readsMs;
  if (delivery.remainingMs < callBudgetMs) return tooLate;
  if (slotWaitMs <= longestSlotWaitMs && delivery.remainingMs - slotWaitMs >= callBudgetMs) return undefined;
  const { waiting, spacingMs } = slots;
  const { random } = delivery;
  const delayMs = slotDelayMs({ slotWaitMs, waiting, spacingMs, longestMs: longestWaitMs(moment), random });
  return { delayMs, why: 'no slot of the rate limiter is free', forSlot: true };
}

/**
 * A stop waits for its slot before its PATCH. At a closed gate it waits for at most one minute
 * since its message was sent.
 */
export function holdBeforeStop({ gateWaitMs, slots, delivery, callBudgetMs, now }: Moment): Wait | undefined {
  const heldMs = Math.max(0, now.getTime() - delivery.sentAt.getTime());
  const holdMs = Math.min(gateWaitMs, longestStopWaitMs - heldMs);
  if (holdMs > 0) return { delayMs: holdMs, why: gateClosed };
  if (delivery.remainingMs - slots.runsMs >= callBudgetMs) return undefined;
  return { ...tooLate, delayMs: Math.min(longestStopWaitMs, Math.max(shortWaitMs, slots.runsMs)) };
}

/** A failure as it counts for this command: refusals that may heal are counted per command and attempt, and the last of them is final. */
export function weighed(
  failure: CallFailure,
  attempt: CommandAttempt | undefined,
  { delivery: { owner }, now }: Pick<Moment, 'delivery' | 'now'>,
): { readonly failure: CallFailure; readonly refusals?: Refusals } {
  const { kind, patience } = failure;
  if (kind !== 'not-applied' || patience === undefined) return { failure };
  const refusals = oneMoreRefusal(attempt?.refusals, patience, { owner, now });
  return isUsedUp(patience, refusals, now) ? { failure: { ...failure, kind: 'refused' } } : { failure, refusals };
}
