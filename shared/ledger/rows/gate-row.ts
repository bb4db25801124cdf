import type { LedgerRowBase } from './row-base.ts';

/**
 * The gate before every call of the gateway: open, paused until an instant, or closed until a probe
 * succeeds.
 */
export interface GateRow extends LedgerRowBase {
  readonly kind: 'gate';
  /**
   * The gateway asked for it: no worker calls before. Then calls go on at their own pace, without a
   * probe.
   */
  readonly pausedUntil?: string;
  /** An outage: no worker calls until a probe succeeds. */
  readonly closed?: GateClosure;
  /** One sentence for people: why it is closed, or was paused last. */
  readonly reason?: string;
  /** Since when it is closed or paused. */
  readonly since?: string;
  /**
   * What the last calls were about, if each failed as in an outage and none was answered since;
   * enough different ones close the gate.
   */
  readonly suspects?: readonly string[];
  /**
   * Failed probes of a closure that ended with a refused probe: until a call is answered, the next
   * closure goes on from there.
   */
  readonly failedProbes?: number;
}

/** An outage, and who looks whether it is over. */
export interface GateClosure {
  /**
   * The next probe is due; a probe under way moves this behind its own end, so that one that dies
   * is followed by another.
   */
  readonly probeAt: string;
  /** Probes that failed since it closed. */
  readonly failedProbes: number;
  /** Who makes the probe that is under way. */
  readonly probeOwner?: string;
}
