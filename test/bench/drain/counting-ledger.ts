import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type Ledger, madeDatasetOf, type RowChange } from '#shared/ledger/ledger.ts';
import type { VirtualTime } from '../../faults/model/world/virtual-time.ts';

/** What went through a ledger, and what DynamoDB would bill and limit. */
export interface LedgerCounts {
  reads: number;
  writes: number;
  /** Consistent reads: a unit for each begun 4 KB. */
  readUnits: number;
  /** A unit for each begun kilobyte of a row, and again for what it changes in an index. */
  writeUnits: number;
  /** In the busiest second. */
  mostWriteUnits: number;
  /** The most units of one second, for each key that many work on. */
  readonly hotWrites: Record<HotKey, number>;
  readonly hotReads: Record<HotKey, number>;
}

/**
 * A key on which many work at once: two rows, and the part of the index `open` that holds what is
 * being sent.
 */
type HotKey = 'gate' | 'recent outcomes' | 'open index';

const hotRows = new Map<string, HotKey>([
  [ledgerKeys.gate(), 'gate'],
  [ledgerKeys.recent(), 'recent outcomes'],
]);

/**
 * Rows are weighed one in so many, and stand for the others of their kind: weighing each would cost
 * more than the work.
 */
const weighedOneIn = 16;

/** Counts what goes through a ledger. */
export function countLedger(
  ledger: Ledger,
  time: Pick<VirtualTime, 'nowMs'>,
): { readonly ledger: Ledger; readonly counts: LedgerCounts } {
  const counts: LedgerCounts = {
    reads: 0,
    writes: 0,
    readUnits: 0,
    writeUnits: 0,
    mostWriteUnits: 0,
    hotWrites: noneYet(),
    hotReads: noneYet(),
  };
  const scale = createScale();
  const seconds = createSeconds(time);
  const heat = (key: HotKey | undefined, kind: 'hotReads' | 'hotWrites', units: number) => {
    if (key !== undefined) counts[kind][key] = Math.max(counts[kind][key], seconds.add(`${kind} ${key}`, units));
  };

  const countRead = (pk: string, row: LedgerRow | undefined) => {
    const units = row === undefined ? 1 : scale.unitsOf(`${row.kind} read`, row, 4096);
    counts.reads += 1;
    counts.readUnits += units;
    heat(hotRows.get(pk), 'hotReads', units);
  };
  /** @param price - 2 in a transaction */
  const countWrite = ({ before, after }: RowChange, isWritten: boolean, price: 1 | 2) => {
    const state = 'state' in after ? after.state : '';
    const units = scale.unitsOf(`${after.kind} ${state}`, after, 1024) * price;
    const openUnits = isWritten ? units * changesOfOpen(before, after) : 0;
    const allUnits = units + openUnits + (madeDatasetOf(after) === undefined ? 0 : price);
    counts.writes += 1;
    counts.writeUnits += allUnits;
    counts.mostWriteUnits = Math.max(counts.mostWriteUnits, seconds.add('all writes', allUnits));
    heat(hotRows.get(after.pk), 'hotWrites', units);
    heat('open index', 'hotWrites', openUnits);
  };

  return {
    counts,
    ledger: {
      async read(pk) {
        const row = await ledger.read(pk);
        countRead(pk, row);
        return row as never;
      },
      async readMany(pks) {
        const rows = await ledger.readMany(pks);
        for (const pk of pks) countRead(pk, rows.get(pk));
        return rows;
      },
      async write(before, after) {
        const written = await ledger.write(before, after);
        countWrite({ before, after }, written !== undefined, 1);
        return written;
      },
      async writeAll(changes) {
        const written = await ledger.writeAll(changes);
        for (const change of changes) countWrite(change, written !== 'row-changed', changes.length > 1 ? 2 : 1);
        return written;
      },
      listOpen: async (state, range) => ledger.listOpen(state, range),
    },
  };
}

function noneYet(): Record<HotKey, number> {
  return { gate: 0, 'recent outcomes': 0, 'open index': 0 };
}

/**
 * Writes of the whole row that a change makes in the index `open`: one that enters, leaves or
 * changes there, two for one that moves.
 */
export function changesOfOpen(before: LedgerRow | undefined, after: LedgerRow): number {
  if (before?.openState === undefined && after.openState === undefined) return 0;
  if (before?.openState === undefined || after.openState === undefined) return 1;
  return before.openState === after.openState && before.openSince === after.openSince ? 1 : 2;
}

/**
 * Weighs the first of its kind, and then one in so many: its JSON is a little more than DynamoDB
 * bills.
 */
function createScale() {
  const kinds = new Map<string, { seen: number; units: number }>();
  return {
    unitsOf(kind: string, row: object, unitBytes: number): number {
      const known = kinds.get(kind) ?? { seen: 0, units: 0 };
      if (known.seen % weighedOneIn === 0) known.units = Math.ceil(Buffer.byteLength(JSON.stringify(row)) / unitBytes);
      known.seen += 1;
      kinds.set(kind, known);
      return known.units;
    },
  };
}

/** Adds up within one second of the clock. */
function createSeconds({ nowMs }: Pick<VirtualTime, 'nowMs'>) {
  const sums = new Map<string, { second: number; sum: number }>();
  return {
    add(name: string, units: number): number {
      const second = Math.floor(nowMs() / 1000);
      const before = sums.get(name);
      const sum = (before?.second === second ? before.sum : 0) + units;
      sums.set(name, { second, sum });
      return sum;
    },
  };
}
