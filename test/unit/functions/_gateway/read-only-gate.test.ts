import { expect, test } from 'vitest';
import { createReadOnlyGate } from '#functions/_gateway/gate.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { createGateBench, unreachable } from './gate-bench.ts';

/** A gate that only looks, beside the workers of a bench. */
function looking() {
  const bench = createGateBench();
  const gate = createReadOnlyGate(bench.ledger, () => new Date(bench.state.nowMs));
  return { bench, gate };
}

async function close(bench: ReturnType<typeof createGateBench>): Promise<GateRow> {
  const worker = bench.gate();
  for (const about of ['one', 'two', 'three']) await worker.failed(unreachable, about);
  const row = await bench.row();
  if (row?.closed === undefined) throw new Error('the gate is open');
  return row;
}

test('lets a read through while no worker has closed the gate', async () => {
  expect(await looking().gate.waitMs()).toBe(0);
});

test('stays away from a closed gate, and neither probes nor writes if a probe is due', async () => {
  const { bench, gate } = looking();
  const closed = await close(bench);

  bench.pass(60 * 60_000);

  expect(await gate.waitMs()).toBeGreaterThan(0);
  expect(bench.state.probes).toEqual([]);
  expect(await bench.row()).toEqual(closed);
});
