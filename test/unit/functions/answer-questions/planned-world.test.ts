import { expect, test } from 'vitest';
import { createOverlayLedger } from '#functions/answer-questions/planned-world.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import { inFlight, runRow, targetRow } from '../../../builders/run-rows.ts';

const key = ledgerKeys.target('chat-bot');
const other: TargetRow = { ...targetRow(inFlight({ startId: 'start-2' })), pk: ledgerKeys.target('other') };
const running = () => targetRow(inFlight());

/** A ledger with a target that has no run in flight, and an overlay over it. */
async function anOverlay() {
  const below = createMemoryLedger();
  await below.write<TargetRow>(undefined, targetRow());
  return { below, overlay: createOverlayLedger(below) };
}

test('a write is seen by every later read of the overlay, and the ledger below stays as it was', async () => {
  const { below, overlay } = await anOverlay();
  const rows = structuredClone(below.all());
  const before = await overlay.read<TargetRow>(key);

  const written = await overlay.writeAll([
    { before, after: running() },
    { before: undefined, after: runRow() },
  ]);

  expect(written).not.toBe('row-changed');
  expect(await overlay.read<TargetRow>(key)).toMatchObject({ runs: [{ startId: 'start-1' }] });
  const many = await overlay.readMany([key, ledgerKeys.run('nightly'), other.pk]);
  expect([...many.keys()].toSorted()).toEqual([ledgerKeys.run('nightly'), key]);
  expect(below.all()).toEqual(rows);
});

test('a write holds to its condition: on the row below, and on what the overlay wrote since', async () => {
  const { overlay } = await anOverlay();
  const before = await overlay.read<TargetRow>(key);

  const blind = await overlay.write<TargetRow>(undefined, running());
  const first = await overlay.write<TargetRow>(before, running());
  const second = await overlay.writeAll([
    { before, after: targetRow() },
    { before: undefined, after: runRow() },
  ]);

  expect(blind).toBeUndefined();
  expect(first).toMatchObject({ runs: [{ startId: 'start-1' }] });
  expect(second).toBe('row-changed');
  expect(await overlay.read<RunRow>(ledgerKeys.run('nightly'))).toBeUndefined();
});
