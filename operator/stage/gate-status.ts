import type { Ledger } from '#shared/ledger/ledger.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';

/** The gate as a finding names it: whether workers may call the gateway. */
export const gatewayConnection = 'gateway connection';

/** The beginning of what a finding calls something that refuses before the gateway. */
export const beforeGateway = 'before the gateway';

/** What is said of it if nothing is wrong. */
export const gatewayIsOpen = 'ok: workers call the gateway';

/** State of the gate. `until` is the end of the pause, or the next probe. */
export type GateStatus =
  | { readonly state: 'open' }
  | {
      readonly state: 'paused' | 'closed';
      readonly since: string;
      readonly reason: string;
      readonly until: string;
      /** Of a closed gate: the probes that failed since it closed. */
      readonly failedProbes?: number;
    };

/** Reads the gate of a stage at an instant. */
export async function readGate(ledger: Ledger, now: Date): Promise<GateStatus> {
  const { closed, pausedUntil = '', since = '', reason = '' } = (await ledger.read<GateRow>(ledgerKeys.gate())) ?? {};
  if (closed !== undefined)
    return { state: 'closed', since, reason, until: closed.probeAt, failedProbes: closed.failedProbes };
  return Date.parse(pausedUntil) > now.getTime()
    ? { state: 'paused', since, reason, until: pausedUntil }
    : { state: 'open' };
}
