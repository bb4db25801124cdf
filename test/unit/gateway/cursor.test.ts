import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor, pageOf } from '#gateway/operations/package-criteria.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

const cursors = fc.record({
  offset: fc.nat(),
  limit: fc.integer({ min: 1, max: 100 }),
  direction: fc.constantFrom('next' as const, 'prev' as const),
});

test('reads back every cursor that it wrote', () => {
  fc.assert(
    fc.property(cursors, (cursor) => {
      expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor);
    }),
    propertyRuns(),
  );
});

test('reads nothing else', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(decodeCursor(text)).toBeUndefined();
    }),
    propertyRuns(),
  );
});

test.each([
  { offset: -1, limit: 10, direction: 'next' },
  { offset: 0.5, limit: 10, direction: 'next' },
  { offset: 0, limit: 0, direction: 'next' },
  { offset: 0, limit: 101, direction: 'next' },
  { offset: 0, limit: 10, direction: 'up' },
  { limit: 10, direction: 'next' },
  [],
  null,
])('refuses %j, however well it is encoded', (value) => {
  expect(decodeCursor(Buffer.from(JSON.stringify(value)).toString('base64url'))).toBeUndefined();
});

test('has no neighbour at either end', () => {
  expect(pageOf([1, 2, 3], { offset: 0, limit: 3 })).toEqual({ items: [1, 2, 3], next: null, prev: null });
  expect(pageOf([], { offset: 0, limit: 3 })).toEqual({ items: [], next: null, prev: null });
});

test('leads from an odd offset back to the start, without leaving anything out', () => {
  const page = pageOf([1, 2, 3, 4], { offset: 1, limit: 2 });

  expect(page.items).toEqual([2, 3]);
  expect(decodeCursor(page.prev ?? '')?.offset).toBe(0);
});
