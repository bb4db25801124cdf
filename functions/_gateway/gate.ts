import type { Random, Verdict } from '#shared/gateway-client/index.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { gateStep } from './gate-row.ts';

/**
 * Where every worker stops before it calls the gateway: one row of the ledger (`gate#gateway`) that all functions of the stage share. A
 * pause that the gateway asks for, and an outage, hold everybody; after an outage one caller at a time probes until it opens.
 */
export interface Gate {
  /**
   * Milliseconds to stay away from the gateway; 0 means go. Cheap to ask before each call: the row is read every few seconds at most. Where the
   * gate is closed and its probe is due, this caller may win the probe and make it before answering.
   * @param remainingMs - says what the caller's function has left. A probe takes at most 0.4 of it and at most 15 s, as long as any read may take;
   *   with less than 2.5 s left it is somebody else's. Without it a probe takes 5 s at most
   * @throws whatever the ledger throws: then nobody knows, and nobody calls
   */
  readonly waitMs: (remainingMs?: () => number) => number | Promise<number>;
  /**
   * Tells what a failed call says about the gateway as a whole: a pause, an outage, or nothing.
   * @param about - what the call was about (a run's uuid, a ledger key): one run that is refused again and again is no outage
   * @param why - one sentence for people, without secrets
   */
  readonly failed: (verdict: Verdict, about: string, why: string) => Promise<void>;
  /** A call was answered as it should be: what was suspected is forgotten. */
  readonly answered: () => Promise<void> | undefined;
}

/** A gate that nobody closes: for what calls no gateway, and for tests that are about something else. */
export const openGate: Gate = {
  waitMs: () => 0,
  failed: async () => {},
  answered: () => undefined,
};

/** Messages that waited at the gate together come back over this long, not in one second. */
const spreadMs = 30_000;

/**
 * How long a message that found the gate closed stays out of sight: to the end of the wait at least, and as long as its back-off says.
 * @example return later(delayAtGateMs(waitMs, laterDelayMs(record.receiveCount, random), random), 'the gate is closed');
 */
export function delayAtGateMs(waitMs: number, backOffMs: number, random: Random): number {
  return Math.max(waitMs + spreadMs * random(), backOffMs);
}

/** A probe that is due is a worker's to make: a caller that only looks stays away until it has opened the gate. */
const untilProbedMs = 1000;

/**
 * The gate as a function sees it that changes nothing: it obeys the row that the workers write, never probes, and reports no failure. Each
 * call reads the row anew.
 * @example const gate = createReadOnlyGate(ledger, () => new Date());
 */
export function createReadOnlyGate(ledger: Pick<Ledger, 'read'>, now: () => Date): Pick<Gate, 'waitMs'> {
  return {
    async waitMs() {
      const step = gateStep(await ledger.read<GateRow>(ledgerKeys.gate()), now());
      if (step.kind === 'go') return 0;
      return step.kind === 'wait' ? step.waitMs : untilProbedMs;
    },
  };
}
