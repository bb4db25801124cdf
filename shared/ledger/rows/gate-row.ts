import type { LedgerRowBase } from './row-base.ts';

/**
 * The gate before every call of the gateway: open, paused for a time, or closed until a probe
 * succeeds.
 */
export interface GateRow extends LedgerRowBase {
  readonly kind: 'gate';
  /** The gateway asked for it: no worker calls before. */
  readonly pausedUntil?: string;
  /** An outage: no worker calls until a probe succeeds. */
  readonly closed?: GateClosure;
  /** One sentence for people: why it is closed, or was paused last. */
  readonly reason?: string;
  /** Since when it is closed or paused. */
  readonly since?: string;
  /**
   * What the last calls were about that failed as in an outage; enough different ones close the
   * gate.
   */
  readonly suspects?: readonly string[];
  /**
   * Failed probes of the closure before: until a call is answered, the next one goes on from there.
   */
  readonly failedProbes?: number;
}

/** An outage, and who looks whether it is over. */
export interface GateClosure {
  /** The next probe is due; a probe under way moves this behind its own end. */
  readonly probeAt: string;
  /** Probes that failed since it closed. */
  readonly failedProbes: number;
  /** The last probe was refused by something before the gateway: a real call that is answered opens the gate. */
  readonly refusedBy?: 'edge';
  /** Who makes the probe that is under way. */
  readonly probeOwner?: string;
}
