import { datasetIndex } from '#shared/aws/dynamodb-ledger.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { madeDatasetOf } from '#shared/ledger/rows/upload-row.ts';

/** The memory's id of a write is short, DynamoDB's is a uuid. */
const writerBytes = 36;

/**
 * The name and the value, a digest of 22 characters, by which the index of datasets finds a row.
 */
const datasetKeyBytes = Buffer.byteLength(datasetIndex.partitionKey) + 22;

/**
 * What DynamoDB adds to each row that it stores
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
 */
const storedRowBytes = 100;

/** Bytes that stay until rows expire, with what DynamoDB adds. */
export interface KeptBytes {
  readonly table: number;
  readonly indexes: number;
}

/**
 * Bytes of a row as DynamoDB counts them: nearly all of it is one attribute in JSON, and the names
 * of the others are as long as JSON's marks.
 */
export function rowBytes(row: LedgerRow): number {
  return Buffer.byteLength(JSON.stringify(row)) + writerBytes + (isOfDataset(row) ? datasetKeyBytes : 0);
}

/**
 * What rows take for as long as they are as they are: the index `open` holds whole copies, the
 * index of datasets keys alone.
 */
export function keptBytes(rows: readonly LedgerRow[]): KeptBytes {
  const kept = { table: 0, indexes: 0 };
  for (const row of rows) {
    const bytes = rowBytes(row) + storedRowBytes;
    kept.table += bytes;
    if (row.openState !== undefined) kept.indexes += bytes;
    if (isOfDataset(row)) kept.indexes += Buffer.byteLength(`pk${row.pk}`) + datasetKeyBytes + storedRowBytes;
  }
  return kept;
}

function isOfDataset(row: LedgerRow): boolean {
  return row.kind === 'upload' && madeDatasetOf(row) !== undefined;
}
