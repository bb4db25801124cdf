import { expect, test } from 'vitest';
import { doesUpdateWait, fingerprintOf } from '#functions/poll-scanner-packages/known-packages.ts';
import { aPackage } from './poll-bench.ts';

// Another fingerprint of the same package would be a change of every package.
test('makes of a package what the ledger knows of it', () => {
  const fields = { availability: { global: true, projectIds: [['a']] }, scannerCounts: { custom: 2 }, shared: null };

  expect(fingerprintOf(aPackage('p1', fields))).toMatchInlineSnapshot(`
    {
      "direction": "request",
      "fields": {
        "availability": "dc3dc8a59c2b",
        "availableUpdate": "b9228aaa1dbc",
        "direction": "8869ad22943e",
        "id": "9e5264d410a9",
        "name": "4654ded00645",
        "scannerCounts": "407acdc09e6c",
        "scannerIds": "06394624f2cd",
        "shared": "74234e98afe7",
        "source": "c24512430ce5",
      },
      "name": "Package p1",
      "source": "vendor",
    }
  `);
});

test('sees no difference in the order of keys and lists, however deep', () => {
  const one = aPackage('p1', { availability: { global: true, projectIds: [['a'], ['b', 'c']] } });
  const other = aPackage('p1', { availability: { projectIds: [['c', 'b'], ['a']], global: true } });

  expect(fingerprintOf(one)).toEqual(fingerprintOf(other));
});

test.each([
  [null, ''],
  [true, 'true'],
  [1, '1'],
  [['a', 'b'], ['a,b']],
  [{ a: 1 }, { a: 2 }],
  [
    { a: undefined, b: 1 },
    { a: 1, b: 1 },
  ],
])('sees the difference between %j and %j', (one, other) => {
  const before = fingerprintOf(aPackage('p1', { value: one })).fields['value'];

  expect(fingerprintOf(aPackage('p1', { value: other })).fields['value']).not.toBe(before);
});

test.each([
  [{ type: 'vendor' }, 'vendor'],
  ['vendor', 'vendor'],
  [null, undefined],
  [{}, undefined],
])('reads the source %j as %j', (source, type) => {
  expect(fingerprintOf(aPackage('p1', { source })).source).toBe(type);
});

test('names a package without a name by its id, and cuts long names', () => {
  expect(fingerprintOf({ id: 'p1' }).name).toBe('p1');
  expect(fingerprintOf(aPackage('p1', { name: 'x'.repeat(5000) })).name).toHaveLength(200);
});

test.each([
  ['2026-04', true],
  [{ version: '2026-04' }, true],
  [{}, false],
  [[], false],
  [true, true],
  ['', false],
  [null, false],
  [false, false],
  ['false', false],
])('with the available update %j an update waits: %j', (availableUpdate, waits) => {
  expect(doesUpdateWait(fingerprintOf(aPackage('p1', { availableUpdate })))).toBe(waits);
});

test('if the listing says nothing of updates none waits', () => {
  expect(doesUpdateWait(fingerprintOf({ id: 'p1' }))).toBe(false);
});

test('a field named __proto__ is a field like any other', () => {
  const listed = JSON.parse('{"id":"p1","__proto__":{"a":1}}');

  expect(Object.keys(fingerprintOf(listed).fields)).toContain('__proto__');
});
