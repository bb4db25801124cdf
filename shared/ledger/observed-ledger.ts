import type { Ledger, Stored } from './ledger.ts';
import type { LedgerRow } from './ledger-row.ts';
import type { OpenState } from './rows/row-base.ts';
import { ledgerKeys } from './rows/row-keys.ts';
import type { RunRow } from './rows/run-row.ts';

/** Where what holds for a stage in both modes lies. */
type ActingLedger = Pick<Ledger, 'read' | 'readMany' | 'write' | 'writeAll' | 'listOpen'>;

/**
 * The ledger of a stage that observes: a table of its own. Switches lie in the acting table in
 * either mode. Of a run the ids that people bound and those that were used for real are read there.
 * @param own - the table of what would have been
 * @param acting - the table of what was done; only rows of both modes are written there
 */
export function createObservedLedger<Own extends Ledger>(own: Own, acting: ActingLedger): Own {
  return {
    ...own,
    async read<Row extends LedgerRow>(pk: Row['pk']) {
      if (isOfBothModes(pk)) return acting.read<Row>(pk);
      const [mine, real] = await Promise.all([own.read<Row>(pk), isRun(pk) ? acting.read<Row>(pk) : undefined]);
      return isRun(pk) ? (observedRun(mine, real) as typeof mine) : mine;
    },
    async readMany(pks) {
      const there = pks.filter((pk) => isOfBothModes(pk) || isRun(pk));
      const [mine, real] = await Promise.all([
        own.readMany(pks.filter((pk) => !isOfBothModes(pk))),
        there.length === 0 ? new Map<string, Stored>() : acting.readMany(there),
      ]);
      const runs = there.filter(isRun).flatMap((pk) => {
        const run = observedRun(mine.get(pk), real.get(pk));
        return run === undefined ? [] : [[pk, run] as const];
      });
      return new Map([...real, ...mine, ...runs]);
    },
    async write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
      if (isOfBothModes(after.pk)) return acting.write<Row>(before, after);
      return own.write<Row>(inTable(before), asObserved(after));
    },
    async writeAll(changes) {
      // Switches are written by people, and never together with other rows.
      if (changes.every(({ after }) => isOfBothModes(after.pk))) return acting.writeAll(changes);
      return own.writeAll(changes.map(({ before, after }) => ({ before: inTable(before), after: asObserved(after) })));
    },
    async listOpen(state, range) {
      return (statesOfBothModes.has(state) ? acting : own).listOpen(state, range);
    },
  };
}

const keysOfBothModes = ['switch#', 'past-switch#', 'pool#', ledgerKeys.observedUntil()];
const statesOfBothModes: ReadonlySet<OpenState> = new Set(['SWITCHED', 'SWITCHED_BEFORE', 'POOL']);

/** What people switched off stays off in either mode, and runs that were made are there. A stage that acts knows until when it only observed. */
function isOfBothModes(pk: string): boolean {
  return keysOfBothModes.some((begin) => pk.startsWith(begin));
}

function isRun(pk: string): boolean {
  return pk.startsWith(ledgerKeys.run(''));
}

/** The version of a row that the own table does not hold yet. */
const unwritten = 0;

function inTable<Row extends LedgerRow>(row: Stored<Row> | undefined): Stored<Row> | undefined {
  return row?.version === unwritten ? undefined : row;
}

function asObserved<Row extends LedgerRow>(row: Row): Row {
  return { ...row, isObserved: true };
}

/** A run as it would be: what people bound is there, and what was used for real is gone. Pure. */
function observedRun(mine: Stored | undefined, real: Stored | undefined): Stored | undefined {
  if (real?.kind !== 'run') return mine;
  const { pk, kind, run, bound } = real;
  const own: Stored<RunRow> =
    mine?.kind === 'run' ? mine : { pk, kind, run, used: [], bound, version: unwritten, writer: '' };
  return { ...own, bound, used: [...new Set([...real.used, ...own.used])] };
}
