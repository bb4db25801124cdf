/** `autopilot drain`: the watcher is asked until nothing is left, and the stage is frozen before. */
import { expect, test } from 'vitest';
import { drainPools } from '#operator/runs/drain-pools.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { fakeClock, fakeDeps } from './fake-deps.ts';

const left = (ids: readonly string[]) => ({
  pools: [{ run: 'nightly', mark: 'abcdefgh', ids, isDone: ids.length === 0, mayHaveMore: false }],
});

test('freezes the stage, and asks the watcher until no run is left', async () => {
  const answers = [left(['a', 'b']), left(['b']), left([])];
  const { deps, ledger, invoked } = fakeDeps({
    clock: fakeClock(),
    functionAnswer: () => ({ payload: JSON.stringify(answers.shift()) }),
  });

  const pools = await drainPools(deps);

  expect(pools).toMatchObject([{ isDone: true, ids: [] }]);
  expect(invoked.map((input) => JSON.parse(input))).toEqual(
    Array.from({ length: 3 }, () => ({ tick: 'watch-campaigns', drain: true })),
  );
  expect(await ledger.read(ledgerKeys.switch('stage', 'stage'))).toMatchObject({ isOn: true });
});

test('gives up after a quarter of an hour, and names what is left', async () => {
  const { deps } = fakeDeps({ clock: fakeClock(), functionAnswer: () => ({ payload: JSON.stringify(left(['a'])) }) });

  expect(await drainPools(deps)).toMatchObject([{ isDone: false, ids: ['a'] }]);
});

test('a watcher that fails is an error', async () => {
  const { deps } = fakeDeps({ functionAnswer: () => ({ payload: '{}', functionError: 'Unhandled' }) });

  await expect(drainPools(deps)).rejects.toThrow('watch-campaigns did not empty the pools');
});
