import { expect, test } from 'vitest';
import { createOverlayLedger } from '#functions/answer-questions/planned-world.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { type GuardRow, newGuardRow } from '#shared/ledger/rows/guard-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { newRunRow, type RunRow, runRowOf } from '#shared/ledger/rows/run-row.ts';

const id = '018f0000-0000-7000-8000-000000000001';
const other = '018f0000-0000-7000-8000-000000000002';
const runKey = ledgerKeys.run(id);

const start = {
  startId: 'at-ten',
  issuedAt: '2026-11-20T22:00:00.000Z',
  firstSentAt: '2026-11-20T22:00:00.000Z',
  effectAt: '2026-11-20T22:00:00.000Z',
  until: '2026-11-21T06:00:00.000Z',
  guardName: 'chat-bot',
  approvals: 0,
};

const running = (campaignRunId: string) => runRowOf({ campaignRunId }, { state: 'running', start });

/** A ledger with one run that is idle, and an overlay over it. */
async function anOverlay() {
  const below = createMemoryLedger();
  await below.write<RunRow>(undefined, newRunRow(id));
  return { below, overlay: createOverlayLedger(below) };
}

test('a write is seen by every later read of the overlay, and the ledger below stays as it was', async () => {
  const { below, overlay } = await anOverlay();
  const rows = structuredClone(below.all());
  const before = await overlay.read<RunRow>(runKey);

  const written = await overlay.writeAll([
    { before, after: running(id) },
    { before: undefined, after: newGuardRow('chat-bot') },
  ]);

  expect(written).not.toBe('row-changed');
  expect(await overlay.read<RunRow>(runKey)).toMatchObject({ state: 'running' });
  const many = await overlay.readMany([runKey, ledgerKeys.guard('chat-bot'), ledgerKeys.run(other)]);
  expect([...many.keys()].toSorted()).toEqual([ledgerKeys.guard('chat-bot'), runKey]);
  expect(below.all()).toEqual(rows);
});

test('a write holds to its condition: on the row below, and on what the overlay wrote since', async () => {
  const { overlay } = await anOverlay();
  const before = await overlay.read<RunRow>(runKey);

  const blind = await overlay.write<RunRow>(undefined, running(id));
  const first = await overlay.write<RunRow>(before, running(id));
  const second = await overlay.writeAll([
    { before, after: newRunRow(id) },
    { before: undefined, after: newGuardRow('chat-bot') },
  ]);

  expect(blind).toBeUndefined();
  expect(first).toMatchObject({ state: 'running' });
  expect(second).toBe('row-changed');
  expect(await overlay.read<GuardRow>(ledgerKeys.guard('chat-bot'))).toBeUndefined();
});

test('a listing shows rows of the ledger below and rows of the overlay, each as it is in the overlay', async () => {
  const { below, overlay } = await anOverlay();
  await below.write<RunRow>(undefined, running(other));
  const listed = async () => (await overlay.listOpen('RUN_IN_FLIGHT')).items.map(({ pk }) => pk);

  const atFirst = await listed();
  await overlay.write<RunRow>(await overlay.read<RunRow>(runKey), running(id));
  const after = await listed();
  await overlay.write<RunRow>(await overlay.read<RunRow>(ledgerKeys.run(other)), newRunRow(other));

  expect(atFirst).toEqual([ledgerKeys.run(other)]);
  expect(after).toEqual([runKey, ledgerKeys.run(other)]);
  expect(await listed()).toEqual([runKey]);
});

test('a row is read below once: what changes there later does not disturb a plan', async () => {
  const { below, overlay } = await anOverlay();
  const row = await overlay.read<RunRow>(runKey);
  await below.write<RunRow>(await below.read<RunRow>(runKey), running(id));

  expect(await overlay.read<RunRow>(runKey)).toEqual(row);
  expect(await overlay.write<RunRow>(row, running(id))).toMatchObject({ version: 2 });
});
