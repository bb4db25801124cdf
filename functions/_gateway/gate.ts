import type { Random, Verdict } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { waitOf } from './gate-moves.ts';

/**
 * Every worker asks it before it calls the gateway: one row of the ledger (`gate#gateway`) that all
 * functions of the stage share. A pause that the gateway asks for, and an outage, hold all workers.
 * After an outage one caller at a time probes until the gate opens.
 */
export interface Gate {
  /**
   * Milliseconds to stay away from the gateway; 0 means go. Cheap to ask before each call: the row
   * is read every few seconds at most. If the gate is closed and its probe is due, this caller may
   * win the probe and make it before it answers.
   * @param remainingMs - says what the caller's function has left. A probe takes at most 0.4 of it,
   *   and at most 15 s, as any read may. With less than 2.5 s left another caller makes it. Without
   *   it a probe takes 5 s at most
   * @param attempt - who asks. If something before the gateway refuses its probe, its own call goes out all the same, however often it asks
   *   before that
   * @throws the ledger's error: the worker does not call the gateway in that case
   */
  readonly waitMs: (remainingMs?: () => number, attempt?: string) => Promise<number>;
  /**
   * Tells what a failed call says about the gateway as a whole: a pause, an outage, or nothing.
   * @param about - what the call was about (a run's uuid, a ledger key): one run that is refused again and again is no outage
   */
  readonly failed: (verdict: Verdict, about: string) => Promise<void>;
  /** A call was answered as it should be: what was suspected is forgotten. */
  readonly answered: () => Promise<void>;
}

/** A gate that is always open: for what calls no gateway, and for tests that are about something else. */
export const openGate: Gate = {
  waitMs: async () => 0,
  failed: async () => {},
  answered: async () => {},
};

/** Messages that waited at the gate together come back over this long, not in one second. */
const spreadMs = 30_000;

/**
 * How long a message that found the gate closed stays out of sight. It is at least the rest of the
 * wait, and at least its back-off.
 * @example return later(delayAtGateMs(waitMs, laterDelayMs(record.receiveCount, random), random), 'the gate is closed');
 */
export function delayAtGateMs(waitMs: number, backOffMs: number, random: Random): number {
  return Math.max(waitMs + spreadMs * random(), backOffMs);
}

/** A probe that is due is a worker's to make: a caller that only looks stays away until it has opened the gate. */
const untilProbedMs = 1000;

/**
 * The gate as a function sees it that changes nothing: it obeys the row that the workers write, never probes, and reports no failure. Each
 * call reads the row again.
 * @example const gate = createReadOnlyGate(ledger, () => new Date());
 */
export function createReadOnlyGate(ledger: Pick<Ledger, 'read'>, now: () => Date): Pick<Gate, 'waitMs'> {
  return { waitMs: async () => waitOf(await ledger.read<GateRow>(ledgerKeys.gate()), now(), untilProbedMs) };
}
