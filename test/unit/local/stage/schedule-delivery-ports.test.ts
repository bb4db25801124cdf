import { expect, test } from 'vitest';
import { dueInstants } from '#local/stage/schedule-delivery-ports.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { aRunRow, aSentStart } from '../../../builders/run-rows.ts';

test('names when planned stops are due, runs end, deferred starts may go out, and starts should be confirmed', async () => {
  const ledger = createMemoryLedger();
  const confirmed = aSentStart({
    effectAt: '2026-11-20T22:00:44.288Z',
    plannedStop: { at: '2026-11-21T06:00:44.288Z', word: 'stopped' },
    confirm: { by: 'runCount', until: '2026-11-20T22:30:00.000Z' },
  });
  await ledger.write(undefined, aRunRow({ state: 'running', start: confirmed }));
  const unplanned = aSentStart({ until: '2026-11-21T08:00:00.000Z' });
  await ledger.write(undefined, aRunRow({ state: 'running', start: unplanned }, { campaignRunId: 'r-2' }));
  const stop = { id: 'stop-1', issuedAt: '2026-11-20T22:00:00.000Z', word: 'stopped' };
  const stopping = { state: 'stopping', stop, before: { state: 'idle' } } as const;
  await ledger.write(undefined, aRunRow(stopping, { campaignRunId: 'r-3' }));
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
    deferred: { until: '2026-11-23T18:00:00.000Z', blackout: 'office hours' },
    openState: 'DEFERRED',
    openSince: '2026-11-20T22:00:00.000Z',
  });

  expect((await dueInstants(ledger)).map((at) => at.toISOString())).toEqual([
    '2026-11-21T08:00:00.000Z',
    '2026-11-21T06:00:44.288Z',
    '2026-11-20T22:30:00.000Z',
    '2026-11-23T18:00:00.000Z',
  ]);
});
