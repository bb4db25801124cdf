import type { Verdict } from '../../shared/gateway-client/index.ts';

/**
 * Where every worker stops before it calls the gateway: one row of the ledger (`gate#gateway`) that all functions of the stage share. A
 * pause that the gateway asks for, and an outage, hold everybody; after an outage one caller at a time probes until it opens.
 */
export interface Gate {
  /**
   * Milliseconds to stay away from the gateway; 0 means go. The row is read once per batch or tick, not once per call. Where the gate is
   * closed and its probe is due, this caller may win the probe and make it before answering.
   */
  readonly waitMs: () => Promise<number>;
  /**
   * Tells what a failed call says about the gateway as a whole: a pause, an outage, or nothing.
   * @param about - what the call was about (a run's uuid, a ledger key): one run that is refused again and again is no outage
   * @param why - one sentence for people, without secrets
   */
  readonly failed: (verdict: Verdict, about: string, why: string) => Promise<void>;
  /** A call was answered as it should be: what was suspected is forgotten. */
  readonly answered: () => Promise<void>;
}

/** A gate that nobody closes: for what calls no gateway, and for tests that are about something else. */
export const openGate: Gate = {
  waitMs: async () => 0,
  failed: async () => {},
  answered: async () => {},
};
