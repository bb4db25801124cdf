import { expect, test } from 'vitest';
import { dueInstants } from '#local/stage/schedule-delivery-ports.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { aRunInFlight, targetRow } from '../../../builders/run-rows.ts';

test('names when runs and campaigns show starts, when runs in flight end, and when deferred starts may go out', async () => {
  const ledger = createMemoryLedger();
  await ledger.write(undefined, targetRow(aRunInFlight({ due: '2026-11-20T22:00:44.288Z' })));
  await ledger.write<CommandRow>(undefined, {
    pk: ledgerKeys.command('start-2'),
    kind: 'command',
    id: 'start-2',
    command: {
      version: 1,
      id: 'start-2',
      action: 'start',
      run: 'nightly',
      issuedAt: '2026-11-20T22:00:00Z',
      origin: { kind: 'schedule', name: 'weeknights' },
    },
    deferred: { from: '2026-11-20T22:00:00.000Z', until: '2026-11-23T18:00:00.000Z', blackout: 'office hours' },
    openState: 'DEFERRED',
    openSince: '2026-11-20T22:00:00.000Z',
  });

  expect((await dueInstants(ledger)).map((at) => at.toISOString())).toEqual([
    '2026-11-20T22:02:44.288Z',
    '2026-11-20T22:32:44.288Z',
    '2026-11-21T05:58:00.000Z',
    '2026-11-21T06:00:00.000Z',
    '2026-11-23T18:00:00.000Z',
  ]);
});
