/**
 * The ledger as the workers see it, a port: DynamoDB (`shared/aws/dynamodb-ledger.ts`), or memory
 * for plans and tests (`memory-ledger.ts`).
 */
import type { LedgerRow } from './ledger-row.ts';
import type { OpenState, RowVersion } from './rows/row-base.ts';
import type { UploadRow } from './rows/upload-row.ts';

/** Grows with every change after which the code cannot read the rows that were written before it. */
export const ledgerFormat = 3;

/** A row as read. */
export type Stored<Row extends LedgerRow = LedgerRow> = Row & RowVersion;

/** One row as it was read and as it is to be. */
export interface RowChange<Row extends LedgerRow = LedgerRow> {
  /** The row that the change was decided on; `undefined`: there was none. */
  readonly before: Stored<Row> | undefined;
  readonly after: Row;
}

/** The row of a key, if there is one, among rows that were read together. A key is of one kind of row. */
export function rowAt<Row extends LedgerRow>(
  rows: ReadonlyMap<string, Stored | undefined>,
  pk: string | undefined,
): Stored<Row> | undefined {
  return rows.get(pk ?? '') as Stored<Row> | undefined;
}

/** Ends of a range that is open there: an RFC 3339 instant begins with a digit. */
export const beforeAnyInstant = '0';
export const afterAnyInstant = '~';

/** Which rows of a state, and how many of them. */
export interface OpenRange {
  /** @default 100 */
  readonly limit?: number;
  /** The end of the page before. */
  readonly cursor?: string;
  /** @default oldest first */
  readonly newestFirst?: true;
  /** Rows whose `openSince` is this instant or later. */
  readonly since?: string;
  /** Rows whose `openSince` is this instant or earlier. */
  readonly until?: string;
}

/** One page of the sparse index `open`. Read from an index, so a moment old. */
export interface OpenPage {
  readonly items: readonly Stored[];
  readonly next?: string;
}

/** Consistent reads and conditional writes of whole rows, nothing else. */
export interface Ledger {
  /** Consistent read. */
  read<Row extends LedgerRow>(pk: Row['pk']): Promise<Stored<Row> | undefined>;
  /** Consistent reads of several rows in one request, by key. A row that does not exist is not in the map. */
  readMany(pks: readonly string[]): Promise<ReadonlyMap<string, Stored>>;
  /**
   * Writes the whole row if the row is still what `before` was (`undefined`: if there is none). Answers the stored row, or `undefined`
   * if another writer was first. A write whose answer was lost is read back: it counts as written if the row holds it.
   */
  write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row): Promise<Stored<Row> | undefined>;
  /**
   * Writes several rows, all or none, each on the condition of `write`. Answers the stored rows in order, or `'row-changed'` if any row is not
   * what its `before` was; then nothing was written. If the answer was lost, the rows are read back as for `write`.
   * @throws Error for two changes of one row: an error of the caller
   */
  writeAll(changes: readonly RowChange[]): Promise<readonly Stored[] | 'row-changed'>;
  /** Rows in one state by their `openSince`, a page at a time. */
  listOpen(state: OpenState, range?: OpenRange): Promise<OpenPage>;
}

/** The ledger as people ask it: a dataset's id is all that they may have at hand. */
export interface AskedLedger extends Ledger {
  /**
   * The first upload that a dataset was made of. Found in an index, so a moment after it was
   * written.
   */
  uploadOfDataset(datasetId: string): Promise<Stored<UploadRow> | undefined>;
}

/** The one that was registered first. */
export function firstRegistered(uploads: readonly Stored<UploadRow>[]): Stored<UploadRow> | undefined {
  return uploads.toSorted((a, b) => (a.outcome?.at ?? '').localeCompare(b.outcome?.at ?? ''))[0];
}
