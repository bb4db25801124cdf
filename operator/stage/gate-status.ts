import type { Ledger } from '#shared/ledger/ledger.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';

/** Whether the workers may call the gateway; if not, until when: the end of a pause, or the next probe of a gate that is closed. */
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
