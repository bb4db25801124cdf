import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInstant } from '#gateway/http/request-input.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

test('reads every instant that the platform writes', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
      (date) => {
        expect(parseInstant(date.toISOString())?.getTime()).toBe(date.getTime());
      },
    ),
    propertyRuns(),
  );
});

test('takes offsets, microseconds and missing seconds', () => {
  expect(parseInstant('2026-03-02T23:15+01:00')?.toISOString()).toBe('2026-03-02T22:15:00.000Z');
  expect(parseInstant('2025-07-30T14:53:13.900184Z')?.toISOString()).toBe('2025-07-30T14:53:13.900Z');
});

test.each([
  '',
  'now',
  '2026-03-02',
  '2026-03-02T22:15:00',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-03-02T24:00:00Z',
  '2026-03-02T22:60:00Z',
  '2026-03-02t22:00:00z',
  ' 2026-03-02T22:00:00Z',
])('refuses "%s"', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});
