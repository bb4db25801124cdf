import { expect, test } from 'vitest';
import { outgoingOfPackages, withFound } from '#functions/poll-scanner-packages/package-change-set.ts';
import { countOf } from '#shared/changes/words.ts';
import type { PackageChange } from '#shared/ledger/rows/watch-row.ts';

const at = '2026-11-20T22:00:00.000Z';

function changed(from: number, to: number, field = 'availableUpdate'): PackageChange[] {
  return Array.from({ length: to - from }, (_, index) => {
    const packageId = `p${from + index}`;
    return { kind: 'changed', packageId, name: packageId, fields: [field] };
  });
}

function found(changes: readonly PackageChange[], starts: readonly string[] = []) {
  return { changes, starts, at };
}

test('changes with many fields are listed as far as a row and an event have room, and all are counted', () => {
  const fields = Array.from({ length: 60 }, (_, index) => `a field with a long name ${index}`);
  const wide = changed(0, 400).map((change) => ({ ...change, fields }));

  const set = withFound(undefined, found(wide), 'c1');
  const [event] = outgoingOfPackages('vendor', set).events;

  expect(Buffer.byteLength(JSON.stringify(set))).toBeLessThan(251_000);
  expect(Buffer.byteLength(JSON.stringify(event?.detail))).toBeLessThan(201_000);
  expect(set.changes.length).toBeGreaterThan(20);
  expect(countOf(set)).toBe(400);
});
