import { expect, test } from 'vitest';
import { type RecentOutcome, readRecentOutcomes, rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import type { RecentRow } from '#shared/ledger/rows/stage-rows.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';

const upload = (number: number): RecentOutcome => ({
  at: '2026-11-20T19:59:00.000Z',
  worker: 'register-datasets',
  kind: 'applied',
  subject: `datasets/prompts-2026-11-20-${String(number).padStart(4, '0')}.csv`,
});

const parked: RecentOutcome = {
  at: '2026-11-20T19:59:00.000Z',
  worker: 'update-campaign-runs',
  kind: 'parked',
  reason: 'CONFLICT',
  subject: 'by morning@2026-11-20',
  detail: `PATCH answered 409: ${'x'.repeat(1000)}`,
};

test('reads what was remembered, the newest first', async () => {
  const ledger = createMemoryLedger();

  await rememberRecentOutcomes(ledger, [upload(1)]);
  await rememberRecentOutcomes(ledger, [upload(2), parked]);

  expect(await readRecentOutcomes(ledger)).toEqual([
    { ...parked, detail: `PATCH answered 409: ${'x'.repeat(80)}…` },
    upload(2),
    upload(1),
  ]);
});

test('ten everyday outcomes fit into one KB, which is what a write of them is billed for', async () => {
  const ledger = createMemoryLedger();

  await rememberRecentOutcomes(
    ledger,
    Array.from({ length: 30 }, (_, number) => upload(number)),
  );

  expect(await readRecentOutcomes(ledger)).toHaveLength(10);
  expect(await bytesOfRow(ledger)).toBeLessThanOrEqual(1024);
});

test('longer ones leave room for fewer, and never make the row larger', async () => {
  const ledger = createMemoryLedger();
  const long = { ...parked, subject: 'ü'.repeat(1000) };

  await rememberRecentOutcomes(
    ledger,
    Array.from({ length: 10 }, () => long),
  );

  const recent = await readRecentOutcomes(ledger);
  expect(recent.length).toBeGreaterThan(1);
  expect(recent.length).toBeLessThan(10);
  expect(await bytesOfRow(ledger)).toBeLessThanOrEqual(1024);
});

/** As DynamoDB keeps it, with a uuid as its writer and a version that grew for years. */
async function bytesOfRow(ledger: ReturnType<typeof createMemoryLedger>): Promise<number> {
  const row = await ledger.read<RecentRow>(ledgerKeys.recent());
  return Buffer.byteLength(JSON.stringify({ ...row, version: 1_000_000, writer: crypto.randomUUID() }));
}
