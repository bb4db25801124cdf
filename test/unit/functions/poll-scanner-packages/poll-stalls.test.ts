import { expect, test } from 'vitest';
import { LeaseLostError } from '#functions/_watch/leased-row.ts';
import type { PollDeps } from '#functions/poll-scanner-packages/poll-state.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { aWatch, baselined, createPollBench, knownIn, packages } from './poll-bench.ts';

type Bench = ReturnType<typeof createPollBench>;

/**
 * A ledger whose nth read of a row is long in coming: meanwhile another poll of the watch does its
 * work.
 */
function stallingAt(bench: Bench, row: string, nth: number, meanwhile: () => Promise<unknown>): PollDeps['ledger'] {
  let reads = 0;
  return {
    ...bench.ledger,
    async read<Row extends LedgerRow>(pk: Row['pk']) {
      if (pk === row && (reads += 1) === nth) await meanwhile();
      return bench.ledger.read<Row>(pk);
    },
  };
}

test('a poll that stands still before it reads a row again does not write over what another one has written since', async () => {
  const bench = await baselined(aWatch(), packages(9));
  const without5 = packages(9).filter(({ id }) => id !== 'p5');
  const rowOf5 = bench.ledger.all().find((row) => row.kind === 'watch-chunk' && 'p5' in row.packages)?.pk ?? '';

  const ledger = stallingAt(bench, rowOf5, 2, () => bench.poll(without5));
  await expect(bench.poll(without5, { deps: { ledger } })).rejects.toBeInstanceOf(LeaseLostError);
  const toldAtOnce = bench.events.length;
  for (let again = 0; again < 3; again += 1) await bench.poll(without5);

  // Two walks without it make it a removal: the one between, and the next.
  expect(toldAtOnce).toBe(0);
  expect(bench.events).toMatchObject([{ count: 1, changes: [{ kind: 'removed', packageId: 'p5' }] }]);
});

test('a poll that stands still while it saves its walk does not write over the rows of the poll that went on with it', async () => {
  const bench = createPollBench();
  const all = packages(60);
  const inPages = (pages: number): Partial<PollDeps> => {
    let left = pages;
    return {
      async *listing(_filters, { cursor }) {
        for (let from = Number(cursor ?? 0); from < all.length; from += 10) {
          const next = from + 10 < all.length ? String(from + 10) : undefined;
          yield { packages: all.slice(from, from + 10), next, digest: `digest-${from}` };
        }
      },
      remainingMs: () => ((left -= 1) >= 0 ? 900_000 : 0),
    };
  };
  await bench.poll([], { deps: inPages(1) });
  const parts = (await bench.head())?.walk?.parts.length ?? 0;

  const next = ledgerKeys.watchWalk('vendor', parts);
  const ledger = stallingAt(bench, next, 1, () => bench.poll([], { deps: inPages(4) }));
  await expect(bench.poll([], { deps: { ...inPages(1), ledger } })).rejects.toBeInstanceOf(LeaseLostError);
  await bench.poll([], { deps: inPages(Infinity) });
  await bench.poll([], { deps: inPages(Infinity) });

  expect(knownIn(bench.ledger).size).toBe(60);
  expect(bench.events).toEqual([]);
});
