import { expect, test } from 'vitest';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { aPackage, aWatch, createPollBench, packages } from './poll-bench.ts';

test('a change that was seen while the stage observed is news again once it acts', async () => {
  const bench = createPollBench(aWatch());
  const observing = { ledger: createMemoryLedger() };
  const acting = { ledger: bench.ledger };
  const changed = [aPackage('p1', { availableUpdate: '2026-02' }), ...packages(3).slice(1)];
  await bench.poll(packages(3), { deps: acting });
  await bench.poll(packages(3), { deps: observing });

  await bench.poll(changed, { deps: observing });
  const observed = bench.commands.length;
  await bench.poll(changed, { deps: acting });

  expect(observed).toBe(1);
  expect(bench.commands).toHaveLength(2);
  expect(new Set(bench.commands.map(({ id }) => id)).size).toBe(2);
});
