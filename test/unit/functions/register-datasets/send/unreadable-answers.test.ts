import { expect, it } from 'vitest';
import { createGate } from '#functions/_gateway/create-gate.ts';
import { BadBodyError } from '#shared/gateway-client/index.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { failing, quietLog } from '../../../../builders/ports.ts';
import { createUploadBench } from '../upload-bench.ts';

const now = () => new Date('2026-11-20T10:00:00Z');

// 24 uploads were 24 POSTs, each of them parked, with the gate open.
it('three uploads whose 2xx cannot be read close the gate: 21 others are not sent', async () => {
  const bench = createUploadBench();
  const unreadable = new BadBodyError('POST /backend/v1/datasets', {
    status: 200,
    reason: 'not-json',
    body: { text: 'x', contentEncoding: 'gzip' },
  });
  bench.faults.gateway = failing(unreadable);
  const { ledger, random } = bench.deps;
  const probe = failing(unreadable);
  bench.deps.gate = createGate({ ledger, probe, owner: 'one', now, random, log: quietLog, count() {} });

  for (let number = 1; number <= 24; number += 1) {
    await bench.deliver(
      bench.put({ key: `datasets/pii/${number}.csv`, versionId: 'v1', body: `prompt,label\na${number},1\nb,0\n` }),
    );
  }

  expect(bench.posts).toHaveLength(3);
  expect(await bench.row({ key: 'datasets/pii/3.csv', versionId: 'v1' })).toMatchObject({
    state: 'PARKED',
    outcome: {
      reason: 'APPLIED_ID_UNKNOWN',
      detail: expect.stringContaining('the gateway or a proxy compresses: gzip'),
    },
    parked: { answer: { text: 'x', contentEncoding: 'gzip' } },
  });
  expect(await bench.row({ key: 'datasets/pii/4.csv', versionId: 'v1' })).toBeUndefined();
  // What status and doctor print as the reason.
  expect(await ledger.read(ledgerKeys.gate())).toMatchObject({
    reason: expect.stringContaining('the gateway or a proxy compresses: gzip'),
  });
});
