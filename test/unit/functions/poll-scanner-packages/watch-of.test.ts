import { expect, test } from 'vitest';
import { watchOf } from '../../../../functions/poll-scanner-packages/watch-of.ts';
import { aWatch } from './poll-bench.ts';

test('finds the watch that the schedule names', () => {
  const watch = aWatch({ name: 'vendor' });

  expect(watchOf({ watch: 'vendor' }, [aWatch({ name: 'internal' }), watch])).toBe(watch);
});

test.each([[{ watch: 'vendro' }], [{ watch: 7 }], [{ wacht: 'vendor' }], ['vendor']])(
  'refuses %j and names the watches that there are',
  (event) => {
    expect(() => watchOf(event, [aWatch({ name: 'vendor' })])).toThrow(/configured watches: vendor$/);
  },
);
