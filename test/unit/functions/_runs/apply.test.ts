import { expect, test } from 'vitest';
import { apply } from '#functions/_runs/apply.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { RunState } from '#shared/ledger/rows/run-row.ts';
import { minute, runIn } from './decide/command-states.ts';

const stop = { id: 'stop', issuedAt: minute(5), word: 'stopped' };

test('a row whose move is not in the table of states is not written', async () => {
  const ledger = createMemoryLedger();
  const stopUnknown: RunState = { state: 'stop-unknown', stop, before: { state: 'idle' }, landsUntil: minute(6) };

  const writing = apply([{ before: undefined, after: runIn(stopUnknown) }], { ledger });

  await expect(writing).rejects.toMatchObject({ code: 'NO_SUCH_MOVE', retryable: true });
  expect(ledger.all()).toEqual([]);
});

test('what another attempt has written since is not overwritten', async () => {
  const ledger = createMemoryLedger();
  await apply([{ before: undefined, after: runIn({ state: 'stopping', stop, before: { state: 'idle' } }) }], {
    ledger,
  });

  const written = await apply([{ before: undefined, after: runIn({ state: 'idle' }) }], { ledger });

  expect(written).toBe('row-changed');
  expect(ledger.all()).toMatchObject([{ state: 'stopping' }]);
});
