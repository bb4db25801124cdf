import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';

/** What to make of the gate's row; `undefined` leaves it as it is. */
export type GateChange = (gate: GateRow | undefined) => GateRow | undefined;

/** The gate's row as one environment sees it. */
export interface GateStore {
  /** As last seen, however long ago. */
  readonly known: () => GateRow | undefined;
  /** As last seen, where that is not long ago. */
  readonly fresh: () => { readonly gate: GateRow | undefined } | undefined;
  readonly read: () => Promise<GateRow | undefined>;
  /** Reads and writes until nobody comes between. Answers what it wrote, or `undefined` where the row is as `change` wants it. */
  readonly write: (
    change: GateChange,
  ) => Promise<{ readonly before: GateRow | undefined; readonly after: GateRow } | undefined>;
  /** What this environment goes by although the row could not be written. */
  readonly assume: (change: GateChange) => void;
}

/**
 * A row that was read or written less than this ago is taken as it was: one read for a batch of ten at the usual rates, none for most of the
 * batches of a fast stage. What this environment itself finds out counts at once.
 */
const freshMs = 5000;

/** Lost races in a row before a change is given up: everybody who races has seen the same gateway. */
const mostLooks = 8;

/** Remembers the row between two looks. */
export function createGateStore(ledger: Pick<Ledger, 'read' | 'write'>, now: () => Date): GateStore {
  let known: { readonly gate: GateRow | undefined; readonly atMs: number } | undefined;

  function learn(gate: GateRow | undefined): void {
    known = { gate, atMs: now().getTime() };
  }

  async function read() {
    const gate = await ledger.read<GateRow>(ledgerKeys.gate());
    learn(gate);
    return gate;
  }

  return {
    known: () => known?.gate,

    fresh() {
      // A clock that was set back makes the row old.
      const ageMs = now().getTime() - (known?.atMs ?? 0);
      return ageMs >= 0 && ageMs < freshMs ? known : undefined;
    },

    read,

    async write(change) {
      for (let look = 0; look < mostLooks; look += 1) {
        const before = await read();
        const wanted = change(before);
        if (wanted === undefined) return undefined;
        const after = await ledger.write(before, wanted);
        if (after === undefined) continue;
        learn(after);
        return { before, after };
      }
      return undefined;
    },

    assume: (change) => learn(change(known?.gate) ?? known?.gate),
  };
}
