import { type GateItem, ledgerKeys } from '#shared/ledger/items.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { Gate } from './gate.ts';
import { gateStep } from './gate-row.ts';

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
      const step = gateStep(await ledger.read<GateItem>(ledgerKeys.gate()), now());
      if (step.kind === 'go') return 0;
      return step.kind === 'wait' ? step.waitMs : untilProbedMs;
    },
  };
}
