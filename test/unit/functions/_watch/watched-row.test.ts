import { expect, test } from 'vitest';
import { watchOf } from '#functions/_watch/watched-row.ts';

const vendor = { name: 'vendor' };

test('finds the watch that the schedule names', () => {
  expect(watchOf({ watch: 'vendor' }, [{ name: 'internal' }, vendor])).toBe(vendor);
});

test.each([[{ watch: 'vendro' }], [{ watch: 7 }], [{ wacht: 'vendor' }], ['vendor']])(
  'refuses %j and names the watches that there are',
  (event) => {
    expect(() => watchOf(event, [vendor])).toThrow(/configured watches: vendor$/);
  },
);
