/** A ledger for a page that looks all day: it asks for fewer things, and answers as the ledger does. */
import type { AskedLedger, OpenPage, OpenRange, Stored } from '#shared/ledger/ledger.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import type { OpenState } from '#shared/ledger/rows/row-base.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';

/** Ended rows are read again after this time, also if nothing seems to have ended. */
const endedForMs = 120_000;

/** The question for all that waits for a person, which every look asks. */
const everyParked = JSON.stringify(['PARKED', {}]);

interface Pace {
  readonly elapsedMs: () => number;
  /** Gets the version of the list of the last outcomes whenever it is read: with each new outcome it is another. */
  readonly onOutcomes: (version: number) => void;
}

/**
 * Rows that are asked for in one moment are one request. A question that is under way is not asked a second time. What has ended is read again
 * only once something ends: each outcome writes the list of the last ones, which every look reads.
 */
export function pacedLedger(ledger: AskedLedger, { elapsedMs, onOutcomes }: Pace): AskedLedger {
  let outcomes = 0;
  const gather = gathered(ledger, (rows) => {
    const version = rows.get(ledgerKeys.recent())?.version;
    if (version !== undefined) onOutcomes((outcomes = version));
  });
  const pages = new Map<
    string,
    { readonly page: Promise<OpenPage>; readonly atMs: number; readonly outcomes: number }
  >();
  // A decision writes no outcome: a row leaves those that wait for one, and may join those that have ended.
  let parked: string | undefined;
  const noteParked = ({ items }: OpenPage) => {
    const stand = JSON.stringify(items.map(({ pk, version }) => [pk, version]));
    if (parked !== undefined && parked !== stand) pages.clear();
    parked = stand;
  };
  const isFresh = (known: { readonly atMs: number; readonly outcomes: number }) =>
    known.outcomes === outcomes && elapsedMs() - known.atMs < endedForMs;
  const listOpen = async (state: OpenState, range: OpenRange = {}): Promise<OpenPage> => {
    // Of a day up to now, whose beginning moves with each look.
    const isEnded = state === 'ENDED' && range.since !== undefined && range.until === undefined;
    const key = JSON.stringify([state, isEnded ? { ...range, since: '' } : range]);
    const known = pages.get(key);
    if (known !== undefined && (!isEnded || isFresh(known))) return known.page;
    if (isEnded && range.cursor === undefined) pages.clear();
    const page = ledger.listOpen(state, range);
    if (key === everyParked) void page.then(noteParked, () => {});
    pages.set(key, { page, atMs: elapsedMs(), outcomes });
    const forget = () => void pages.delete(key);
    page.then(isEnded ? () => {} : forget, forget);
    return page;
  };
  return {
    ...ledger,
    read: async <Row extends LedgerRow>(pk: Row['pk']) => (await gather([pk])).get(pk) as Stored<Row> | undefined,
    readMany: async (pks) => (pks.length === 0 ? new Map() : gather(pks)),
    listOpen,
  };
}

type Rows = ReadonlyMap<string, Stored>;

/** Reads rows that are asked for in one moment by one request. */
function gathered(ledger: AskedLedger, noted: (rows: Rows) => void) {
  let gathering: { readonly pks: Set<string>; readonly rows: Promise<Rows> } | undefined;
  return async (pks: readonly string[]): Promise<Rows> => {
    if (gathering === undefined) {
      const wanted = new Set<string>();
      const rows = Promise.resolve().then(async () => {
        gathering = undefined;
        const found = await ledger.readMany([...wanted]);
        noted(found);
        return found;
      });
      gathering = { pks: wanted, rows };
    }
    for (const pk of pks) gathering.pks.add(pk);
    return gathering.rows;
  };
}
