import type { RowOfKind, LedgerRow, OpenState } from './rows/ledger-row.ts';
import type { Ledger, OpenRange, Stored } from './ledger.ts';

/** Every row of one state, page by page: no page is read before its first row is asked for. */
export async function* openRows(
  ledger: Pick<Ledger, 'listOpen'>,
  state: OpenState,
  range: OpenRange = {},
): AsyncGenerator<Stored, void, undefined> {
  let { cursor } = range;
  do {
    const page = await ledger.listOpen(state, cursor === undefined ? range : { ...range, cursor });
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

/**
 * All rows of one kind in one state, oldest first: for states of which there are a few hundred at most.
 * @example const runs = await listOpenOfKind(ledger, 'RUN_IN_FLIGHT', 'run');
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
