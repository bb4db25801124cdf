import { expect, test } from 'vitest';
import { addFound, packageChanges, openChangeSet, withFound } from '#functions/poll-scanner-packages/change-set.ts';
import type { FoundInChunk, PackageChange } from '#shared/ledger/rows/watch-row.ts';

const set = openChangeSet({ id: 'c1', since: '2026-11-20T22:00:00.000Z' });

function changed(from: number, to: number, field = 'availableUpdate'): PackageChange[] {
  return Array.from({ length: to - from }, (_, index) => {
    const packageId = `p${from + index}`;
    return { kind: 'changed', packageId, name: packageId, fields: [field] };
  });
}

function found(changes: readonly PackageChange[], starts: readonly string[] = []): FoundInChunk {
  return { changeSet: 'c1', changes, more: 0, starts };
}

test('a chunk names a package and a kind once, with all of its fields, and each start once', () => {
  const before = found(changed(0, 2), ['smoke']);

  const after = addFound(before, found([...changed(1, 2, 'name'), ...changed(2, 3)], ['smoke', 'nightly']));

  expect(after.changes.map(({ packageId, fields }) => [packageId, fields])).toEqual([
    ['p0', ['availableUpdate']],
    ['p1', ['availableUpdate', 'name']],
    ['p2', ['availableUpdate']],
  ]);
  expect(after.starts).toEqual(['smoke', 'nightly']);
});

test('changes with many fields are listed as far as a row and an event have room, and all are counted', () => {
  const fields = Array.from({ length: 60 }, (_, index) => `a field with a long name ${index}`);
  const wide = (from: number, to: number) => changed(from, to).map((change) => ({ ...change, fields }));

  const chunk = addFound(undefined, found(wide(0, 200)));
  const all = Array.from({ length: 10 }, (_, index) => found(wide(index * 20, index * 20 + 20))).reduce(withFound, set);

  expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThan(61_000);
  expect(Buffer.byteLength(JSON.stringify(all))).toBeLessThan(251_000);
  expect([chunk.changes.length + chunk.more, packageChanges(all)]).toEqual([200, 200]);
  expect(Math.min(chunk.changes.length, all.changes.length)).toBeGreaterThan(20);
});

test('a chunk has nothing of a set that is closed', () => {
  const before = { ...found(changed(0, 2), ['smoke']), changeSet: 'c0', more: 7 };

  expect(addFound(before, found(changed(2, 3), ['nightly']))).toEqual(found(changed(2, 3), ['nightly']));
  expect(withFound(set, before)).toEqual(set);
  expect(withFound(set, undefined)).toEqual(set);
});

test('a chunk lists two hundred changes and a set five hundred; what is beyond is counted', () => {
  const full = addFound(addFound(undefined, found(changed(0, 150))), found(changed(150, 300)));
  const all = [full, found(changed(300, 450)), found(changed(450, 650))].reduce(withFound, set);

  expect([full.changes.length, full.more]).toEqual([200, 100]);
  expect(all.changes).toHaveLength(500);
  expect(packageChanges(all)).toBe(650);
});
