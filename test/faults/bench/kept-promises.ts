import { expect } from 'vitest';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { canary } from '../../integration/shared/gateway-client/clients.ts';
import type { RawGateway } from './raw-gateway.ts';

/** I2: whatever happened, nothing was made twice. */
export function madeNothingTwice(gateway: RawGateway): void {
  expect([...gateway.datasets.values()].filter((count) => count > 1)).toEqual([]);
}

/** I19: whatever is parked says why, what came in, when, and what a person can do. */
export function parkedWithReasons(rows: readonly LedgerRow[]): void {
  for (const row of rows) {
    if (!('outcome' in row) || row.outcome?.kind !== 'parked') continue;
    const { reason, detail, at } = row.outcome;
    expect(reason, row.pk).toBeDefined();
    expect(parkReasons[reason as keyof typeof parkReasons].nextStep).not.toBe('');
    expect(detail, row.pk).toMatch(/\S/);
    expect(Buffer.byteLength(detail ?? '')).toBeLessThan(4096);
    expect(at).toMatch(/^\d{4}-/);
    expect(row.openState).toBe('PARKED');
    expect('parked' in row ? row.parked : undefined).toMatchObject({
      message: expect.stringMatching(/\S/),
      attempts: expect.any(Number),
      firstSeen: expect.any(String),
      lastSeen: expect.any(String),
    });
  }
}

/** I13: one call is at most three requests. */
export function askedWithinBounds(gateway: RawGateway, method: 'POST' | 'PATCH', deliveries: number): void {
  const sent = gateway.requests.filter((request) => request.method === method);
  expect(sent.length).toBeLessThanOrEqual(3 * deliveries);
}

/** I18: the token was sent to the gateway and written nowhere. */
export function keptTheToken(...written: readonly unknown[]): void {
  expect(canary).toMatch(/canary.*7f3a9c.*Zx\+token/);
  expect(JSON.stringify(written)).not.toMatch(/canary|7f3a9c|Zx\+token/);
}
