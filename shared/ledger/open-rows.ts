import type { LedgerRow, OpenState, RowOfKind } from './rows/ledger-row.ts';
import type { Ledger, OpenRange, Stored } from './ledger.ts';
import { type RunRow, type SentStart, startOf } from './rows/run-row.ts';

/** Every row of one state, page by page: no page is read before its first row is asked for. */
export async function* openRows(
  ledger: Pick<Ledger, 'listOpen'>,
  state: OpenState,
  range: OpenRange = {},
): AsyncGenerator<Stored, void, undefined> {
  let { cursor } = range;
  do {
    const page = await ledger.listOpen(state, { ...range, cursor });
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

/**
 * All rows of one kind in one state, oldest first: for states of which there are a few hundred at most.
 * @example const frozen = await listOpenOfKind(ledger, 'SWITCHED', 'switch');
 */
export async function listOpenOfKind<Kind extends LedgerRow['kind']>(
  ledger: Pick<Ledger, 'listOpen'>,
  state: OpenState,
  kind: Kind,
): Promise<readonly Stored<RowOfKind<Kind>>[]> {
  const rows: Stored<RowOfKind<Kind>>[] = [];
  for await (const row of openRows(ledger, state)) if (isOfKind(row, kind)) rows.push(row);
  return rows;
}

function isOfKind<Kind extends LedgerRow['kind']>(row: Stored, kind: Kind): row is Stored<RowOfKind<Kind>> {
  return row.kind === kind;
}

/** A run that counts as in flight, and its start. */
export interface RunInFlight {
  readonly row: Stored<RunRow>;
  readonly start: SentStart;
}

/** Every run row that is not idle, the oldest first. All of them: each is a campaign that runs at this moment, or a stop under way. */
export async function readOpenRuns(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly Stored<RunRow>[]> {
  return listOpenOfKind(ledger, 'RUN_IN_FLIGHT', 'run');
}

/** The runs that the guards count as in flight: their start may be running, and their stop is planned or their `until` is to come. Pure. */
export function runsInFlight(rows: readonly Stored<RunRow>[], now: Date): readonly RunInFlight[] {
  return rows.flatMap((row) => {
    const start = startOf(row);
    if (start === undefined) return [];
    const isOpen = start.plannedStop !== undefined || Date.parse(start.until) > now.getTime();
    return isOpen ? [{ row, start }] : [];
  });
}

/** Reads the runs in flight: what `status` lists, and what `stop --all-in-flight` stops. */
export async function readRunsInFlight(ledger: Pick<Ledger, 'listOpen'>, now: Date): Promise<readonly RunInFlight[]> {
  return runsInFlight(await readOpenRuns(ledger), now);
}
