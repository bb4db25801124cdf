import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  changedRows,
  fingerprintOf,
  type Fingerprints,
  hashOfFilters,
  mostPackages,
  readWatch,
  WatchTooLargeError,
} from '#functions/poll-scanner-packages/known-packages.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { PackageFingerprint } from '#shared/ledger/rows/watch-row.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { aPackage } from './poll-bench.ts';

/** A ledger whose watch `vendor` knows these. */
async function knowing(packages: Fingerprints) {
  const ledger = createMemoryLedger();
  const known = await readWatch('vendor', '', ledger);
  const changes = changedRows('vendor', known, packages);
  await known.head.write(known.head.current(), changes);
  return { known: await readWatch('vendor', '', ledger), changes };
}

function fingerprints(count: number, fields: Readonly<Record<string, unknown>> = {}): Map<string, PackageFingerprint> {
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const id = `019ba000-0000-7000-8000-${String(index).padStart(12, '0')}`;
      return [id, fingerprintOf(aPackage(id, { ...fields, index }))];
    }),
  );
}

const fingerprint = fc.record(
  {
    name: fc.string(),
    direction: fc.string(),
    source: fc.string(),
    missing: fc.constant(1),
    fields: fc.dictionary(fc.string(), fc.stringMatching(/^[0-9a-f]{12}$/), { maxKeys: 5 }),
  },
  { requiredKeys: ['name', 'fields'] },
);

test('packages are read as they were written, whatever their ids and fields are named', async () => {
  const packages = fc.array(fc.tuple(fc.string({ minLength: 1 }), fingerprint), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(packages, async (entries) => {
      const wanted = new Map(entries);

      const { known } = await knowing(wanted);

      expect(textOf(known.packages)).toEqual(textOf(wanted));
      expect(changedRows('vendor', known, wanted)).toEqual([]);
    }),
    propertyRuns(50),
  );
});

/** What is known, in an order of its own; as JSON, since a field may be named __proto__. */
function textOf(packages: Fingerprints): string {
  const entries = [...packages].map(([id, { fields, ...rest }]) => [id, inOrder(rest), inOrder(fields)] as const);
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function inOrder(fields: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

test('a package that changed is one row, in whatever order the packages are listed', async () => {
  const { known } = await knowing(fingerprints(200));
  const next = new Map([...known.packages].toReversed());
  const [first = ''] = next.keys();
  next.set(first, fingerprintOf(aPackage(first, { index: 'another' })));

  expect(changedRows('vendor', known, new Map([...known.packages].toReversed()))).toEqual([]);
  expect(changedRows('vendor', known, next)).toHaveLength(1);
});

test('as many packages as a watch may have, with twice the fields of the interface, are one transaction', async () => {
  const more = Object.fromEntries(Array.from({ length: 18 }, (_, index) => [`another field ${index}`, index]));

  const { changes, known } = await knowing(fingerprints(mostPackages, more));

  expect(known.packages.size).toBe(mostPackages);
  expect(changes.length).toBeLessThan(100);
  const bytes = changes.reduce((sum, { after }) => sum + Buffer.byteLength(JSON.stringify(after)), 0);
  // Beside a head row of at most 400 KB.
  expect(bytes).toBeLessThan(3.6 * 1024 * 1024);
});

test('packages with more fields than the rows take are refused before anything is written', async () => {
  const more = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field ${index}`, index]));

  const refused = knowing(fingerprints(mostPackages, more));

  await expect(refused).rejects.toBeInstanceOf(WatchTooLargeError);
  await expect(refused).rejects.toThrow(/^the watch vendor of scannerPackages lists packages with up to 67 fields/);
});

test('filters are the same in any order', () => {
  expect(hashOfFilters({ source: 'vendor', search: 'x' })).toBe(hashOfFilters({ search: 'x', source: 'vendor' }));
  expect(hashOfFilters({ source: 'vendor' })).not.toBe(hashOfFilters({ source: 'internal' }));
});
