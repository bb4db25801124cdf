import { plainRule } from '../plain-rule.ts';
import { createUploadBench, eventOf } from '../../unit/functions/register-datasets/upload-bench.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { madeDatasetOf } from '#shared/ledger/rows/upload-row.ts';
import { type KeptBytes, keptBytes, rowBytes } from './row-bytes.ts';

/** What one applied upload takes, counted at the ports of the product's own worker. */
export interface UploadCounts {
  /** Writes of the ledger, by the kind and state that they leave: `upload SENDING`. */
  readonly writes: readonly string[];
  /**
   * What DynamoDB bills for them: a unit for each begun kilobyte of each row, and what that changes
   * in the indexes.
   */
  readonly writeUnits: number;
  /** Of these, what the indexes take. */
  readonly indexWriteUnits: number;
  /** Of those, what the index `open` takes. */
  readonly openIndexWriteUnits: number;
  readonly reads: number;
  /** What DynamoDB bills for them: a unit for each begun 4 KB. */
  readonly readUnits: number;
  readonly objectReads: number;
  readonly events: number;
  /** What it leaves in the ledger. */
  readonly kept: KeptBytes;
}

/**
 * Sends one upload through the product's worker and counts.
 * @throws Error if it was not applied
 */
export async function countUpload(): Promise<UploadCounts> {
  const bench = createUploadBench({ rules: [plainRule] });
  const writes: string[] = [];
  const sizes = { written: [] as number[], open: [] as number[], datasets: [] as number[], read: [] as number[] };
  const left = new Map<string, LedgerRow>();
  const { ledger } = bench.deps;
  bench.deps.ledger = {
    ...ledger,
    async read(pk) {
      const row = await ledger.read(pk);
      sizes.read.push(row === undefined ? 0 : rowBytes(row));
      return row as never;
    },
    async write(before, after) {
      writes.push('state' in after ? `${after.kind} ${after.state}` : after.kind);
      const written = await ledger.write(before, after);
      if (written === undefined) throw new Error('the upload that was to be counted lost a race');
      left.set(written.pk, written);
      const units = Math.ceil(rowBytes(written) / 1024);
      sizes.written.push(units);
      sizes.open.push(units * changesOfOpen(before, after));
      sizes.datasets.push(datasetIndexUnits(before, after));
      return written;
    },
  };
  const object = { key: 'datasets/prompts-2026-11-20.csv', versionId: '3HL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY' };
  bench.put(object);
  // As long as the gateway's own: it stands in the row.
  bench.faults.gateway = async () => ({ id: '019ba000-0000-7000-8000-000000000901' });

  const result = await bench.deliver(eventOf(object));

  if (result.outcomes?.some(({ kind }) => kind === 'applied') !== true)
    throw new Error('the upload that was to be counted was not applied');
  const openIndexWriteUnits = sumOf(sizes.open);
  const indexWriteUnits = openIndexWriteUnits + sumOf(sizes.datasets);
  return {
    writes,
    writeUnits: sumOf(sizes.written) + indexWriteUnits,
    indexWriteUnits,
    openIndexWriteUnits,
    reads: sizes.read.length,
    readUnits: sizes.read.reduce((sum, bytes) => sum + Math.max(1, Math.ceil(bytes / 4096)), 0),
    objectReads: bench.reads.length,
    events: bench.events.length,
    kept: keptBytes([...left.values()]),
  };
}

/**
 * Writes of the whole row that a change makes in the index `open`: one that enters, leaves or
 * changes there, two for one that moves.
 */
function changesOfOpen(before: LedgerRow | undefined, after: LedgerRow): number {
  if (before?.openState === undefined && after.openState === undefined) return 0;
  if (before?.openState === undefined || after.openState === undefined) return 1;
  return before.openState === after.openState && before.openSince === after.openSince ? 1 : 2;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** The index of datasets holds keys alone: only a row that enters or leaves is written there. */
function datasetIndexUnits(before: LedgerRow | undefined, after: LedgerRow): number {
  const [was, is] = [before, after].map((row) => (row?.kind === 'upload' ? madeDatasetOf(row) : undefined));
  return was === is ? 0 : 1;
}
