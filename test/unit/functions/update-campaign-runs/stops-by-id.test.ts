import { describe, expect, test } from 'vitest';

import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { IdRow } from '#shared/ledger/rows/run-row.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import { minutes, nightly, running } from './harness/guard-nights.ts';
import { nightlyIds, smokeId, aCommand, createUpdateBench } from './harness/update-bench.ts';

const ofId = (campaignRunId: string, fields = {}) =>
  aCommand({ id: 'by-id', action: 'stop', campaignRunId, issuedAt: '2026-11-20T22:05:00Z', ...fields });

describe('a stop by uuid', () => {
  test('ends the run in flight of that id', async () => {
    const bench = await running();

    await bench.deliver(ofId(smokeId));

    expect(bench.model.running()).toEqual([]);
    expect(await bench.outcomeOf('by-id')).toMatchObject({ kind: 'applied' });
  });

  test('[E26] of an unused id cancels it at the gateway, and no start takes it after that', async () => {
    const bench = createUpdateBench();

    await bench.deliver(ofId(nightlyIds[0]));
    bench.passMs(minutes(6));
    await bench.deliver(nightly('a', { issuedAt: '2026-11-20T22:06:00Z' }));

    expect(bench.patches).toMatchObject([
      { campaignRunId: nightlyIds[0], status: 'cancelled' },
      { campaignRunId: nightlyIds[1] },
    ]);
  });

  test('of a run that was counted out is sent all the same', async () => {
    const bench = await running();
    const row = await bench.ledger.read<TargetRow>(ledgerKeys.target('chat-bot'));
    if (row === undefined) throw new Error('no row');
    await bench.ledger.write<TargetRow>(row, { ...row, runs: [], openState: undefined, openSince: undefined });

    await bench.deliver(ofId(smokeId));

    expect(bench.model.running()).toEqual([]);
  });
});

test('a stop by uuid notes its id as used before its PATCH leaves', async () => {
  const bench = createUpdateBench({ answers: ['lost'] });

  await bench.deliver(ofId(nightlyIds[0]));

  expect(await bench.ledger.read<IdRow>(ledgerKeys.runId(nightlyIds[0]))).toMatchObject({
    end: { by: 'by-id', how: 'ordered' },
  });
});
