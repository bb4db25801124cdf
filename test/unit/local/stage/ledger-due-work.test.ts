import { expect, test } from 'vitest';
import { dueInstants } from '../../../../local/stage/ledger-due-work.ts';
import { type CommandItem, ledgerKeys, type RunItem } from '../../../../shared/ledger/items.ts';
import { createMemoryLedger } from '../../../../shared/ledger/memory-ledger.ts';

const uuid = '019ba000-0000-7000-8000-000000000301';

test('names when planned stops are due, starts that were put off may go out, and starts should be confirmed', async () => {
  const ledger = createMemoryLedger();
  await ledger.write<RunItem>(undefined, {
    pk: ledgerKeys.run(uuid),
    kind: 'run',
    campaignRunId: uuid,
    stopDue: { at: '2026-11-21T06:00:44.288Z', commandId: 'start-1', status: 'stopped' },
    confirm: { commandId: 'start-1', campaignId: 'c-1', by: 'runCount', until: '2026-11-20T22:30:00.000Z' },
    openState: 'RUN_IN_FLIGHT',
    openSince: '2026-11-20T22:00:44.288Z',
  });
  await ledger.write<RunItem>(undefined, {
    pk: ledgerKeys.run('r-2'),
    kind: 'run',
    campaignRunId: 'r-2',
    openState: 'RUN_IN_FLIGHT',
    openSince: '2026-11-20T22:00:00.000Z',
  });
  await ledger.write<CommandItem>(undefined, {
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
    '2026-11-21T06:00:44.288Z',
    '2026-11-20T22:30:00.000Z',
    '2026-11-23T18:00:00.000Z',
  ]);
});
