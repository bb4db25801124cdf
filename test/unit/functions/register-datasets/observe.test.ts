import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { createObservedLedger } from '#shared/ledger/observed-ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { type BenchObject, createUploadBench, goodCsv, piiRule } from './upload-bench.ts';

const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };

/**
 * A bench of a stage that only observes; `act` makes it one that acts, as the next deployment does.
 */
function observingBench() {
  const bench = createUploadBench({ rules: [piiRule] });
  const table = bench.deps.ledger;
  bench.deps.config = { ...bench.deps.config, mode: 'observe' };
  const own = createMemoryLedger();
  bench.deps.ledger = createObservedLedger(own, table);
  return {
    bench,
    observedRow: async ({ key, versionId }: BenchObject) =>
      own.read<UploadRow>(ledgerKeys.upload('uploads', key, versionId)),
    act: () => {
      bench.deps.config = { ...bench.deps.config, mode: 'act' };
      bench.deps.ledger = table;
    },
  };
}

describe('register-datasets of a stage that only observes', () => {
  it('sends nothing, and says in outcome, log and row what it would have sent', async () => {
    const { bench, observedRow } = observingBench();

    const result = await bench.deliver(bench.put(upload));

    const detail =
      'would have sent: POST /backend/v1/datasets {"fileId":"names","name":"names","scannerId":"scanner-1"}; ' +
      'prompt-label-csv: 2 rows, 1 true and 1 false';
    expect(bench.posts).toEqual([]);
    expect(result).toMatchObject({ outcomes: [{ kind: 'applied', detail, fields: { isObserved: true } }] });
    const row = await observedRow(upload);
    expect(row).toMatchObject({ isObserved: true, state: 'APPLIED', outcome: { kind: 'applied', detail } });
    expect(row).not.toHaveProperty('datasetId');
    expect(await bench.row(upload)).toBeUndefined();
  });

  it('judges as it would: checks, duplicates, what is not ours', async () => {
    const { bench, observedRow } = observingBench();
    const again = { ...upload, key: 'datasets/pii/2026/names.csv' };
    const bad = { key: 'datasets/pii/bad.csv', versionId: 'v1', body: 'nothing' };

    const results = [];
    for (const object of [upload, again, bad, { key: 'datasets/other.csv', versionId: 'v1' }]) {
      results.push(await bench.deliver(bench.put(object)));
    }

    expect(results.map(({ outcomes = [] }) => outcomes.map(({ kind, reason }) => reason ?? kind).join())).toEqual([
      'applied',
      'DUPLICATE_CONTENT',
      'CHECK_FAILED',
      'ignored',
    ]);
    expect((await observedRow(again))?.outcome?.detail).toContain('would have been sent for');
    const parked = await observedRow(bad);
    expect(bench.events).toMatchObject([{ type: 'WorkParked', detail: { ledgerKey: parked?.pk } }]);
    expect(bench.ledger.all()).toEqual([]);
  });

  it('takes nothing of it for done once the stage acts: the upload is registered when it comes again', async () => {
    const { bench, act } = observingBench();
    const body = bench.put({ ...upload, body: goodCsv });
    await bench.deliver(body);
    act();

    await bench.deliver(body);

    expect(bench.posts).toHaveLength(1);
    expect(await bench.row(upload)).toMatchObject({ state: 'APPLIED', datasetId: 'dataset-1' });
  });
});
