import type { BenchWorld } from '../drain/bench-world.ts';
import type { RatedGateway } from '../drain/rated-gateway.ts';
import type { VirtualFunction } from '../../faults/model/world/virtual-function.ts';

/**
 * What one scenario came to: whole numbers and tenths only, so that two runs of one seed are
 * compared to the digit.
 */
export interface ScaleFigures {
  readonly messages: number;
  /** Requests that the gateway saw, the refused and the failed ones included. */
  readonly calls: number;
  readonly refusedCalls: number;
  readonly failedCalls: number;
  /** Uploads and runs, each once however often it was asked for. */
  readonly applied: number;
  readonly skipped: number;
  readonly parked: number;
  readonly deadLetters: number;
  /** From the last arrival (or the gateway's return) until nothing is left. */
  readonly drainSeconds: number;
  /** Most messages in the queue, the hidden ones included. */
  readonly mostWaiting: number;
  /** Most messages that were received and not acknowledged. */
  readonly mostInFlight: number;
  readonly environments: number;
  readonly invocations: number;
  readonly lambdaSeconds: number;
  readonly ledgerReads: number;
  readonly ledgerWrites: number;
  readonly ledgerReadUnits: number;
  readonly ledgerWriteUnits: number;
  /**
   * In the busiest second: of the whole table with its indexes, and of each key that many work on.
   */
  readonly mostWriteUnits: number;
  readonly gateReadUnits: number;
  readonly recentWriteUnits: number;
  readonly openIndexWriteUnits: number;
  readonly busEvents: number;
}

/**
 * How much of a scenario is played: 1, or 0.01 for the quick form: a hundredth of the time at the
 * same rates.
 */
export interface ScaleOptions {
  readonly part: number;
  readonly seed: number;
}

/** Seconds of a clock, to a tenth. */
function tenths(ms: number): number {
  return Math.round(ms / 100) / 10;
}

/**
 * Reads the figures off a world whose work is done.
 * @throws Error if the worker says that it applied more or less than the gateway saw. A change
 *   that was made twice would hide one that was lost
 */
export function figuresOf(of: {
  readonly world: BenchWorld;
  readonly gateway: Pick<RatedGateway, 'counts'>;
  /** How many uploads or runs the gateway changed, each counted once. */
  readonly changed: number;
  readonly usage: ReturnType<VirtualFunction['usage']>;
  readonly messages: number;
  readonly drainMs: number;
  readonly mostWaiting: number;
  readonly queue: 'uploads' | 'commands';
}): ScaleFigures {
  const { world, gateway, changed, usage, messages, drainMs, mostWaiting } = of;
  const { ledgerCounts: ledger, outcomes } = world;
  const { invocations, busyMs, atOnce } = usage;
  const applied = outcomes.get('Applied') ?? 0;
  if (applied !== changed) {
    throw new Error(`the worker says that it applied ${applied}, the gateway has changed ${changed}`);
  }
  return {
    messages,
    calls: gateway.counts.calls,
    refusedCalls: gateway.counts.refused,
    failedCalls: gateway.counts.failed,
    applied,
    skipped: outcomes.get('Skipped') ?? 0,
    parked: outcomes.get('Parked') ?? 0,
    deadLetters: world.deadLetters.size(),
    drainSeconds: tenths(drainMs),
    mostWaiting,
    mostInFlight: world.queues[of.queue].mostInFlight(),
    environments: atOnce,
    invocations,
    lambdaSeconds: Math.round(busyMs / 1000),
    ledgerReads: ledger.reads,
    ledgerWrites: ledger.writes,
    ledgerReadUnits: ledger.readUnits,
    ledgerWriteUnits: ledger.writeUnits,
    mostWriteUnits: ledger.mostWriteUnits,
    gateReadUnits: ledger.hotReads.gate,
    recentWriteUnits: ledger.hotWrites['recent outcomes'],
    openIndexWriteUnits: ledger.hotWrites['open index'],
    busEvents: world.eventCount(),
  };
}
