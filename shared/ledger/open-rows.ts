import type { Ledger, OpenRange, Stored } from './ledger.ts';
import type { LedgerRow, RowOfKind } from './ledger-row.ts';
import type { OpenState } from './rows/row-base.ts';
import type { InFlight, TargetRow } from './rows/target-row.ts';
import { dayMs } from '../schedule/duration.ts';

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

/** A run in flight, and the row of its target. */
export interface RunInFlight {
  readonly row: Stored<TargetRow>;
  readonly entry: InFlight;
}

/** Every target with a run in flight, the oldest first. */
export async function readTargetsInFlight(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly Stored<TargetRow>[]> {
  return listOpenOfKind(ledger, 'RUN_IN_FLIGHT', 'target');
}

/** Reads the runs in flight: what `status` lists and what `stop --all-in-flight` stops. */
export async function readRunsInFlight(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly RunInFlight[]> {
  return (await readTargetsInFlight(ledger)).flatMap((row) => row.runs.map((entry) => ({ row, entry })));
}

/** What cannot be done within a day needs a person: the promise of one outcome for everything has an end. */
const horizonMs = dayMs;

/** Whether a message has been tried for as long as anything is tried, counted from when it entered its queue or its row was opened. */
export function isPastHorizon(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() > horizonMs;
}
