import { expect, test } from 'vitest';
import { readingOf } from '#shared/ledger/rows/campaign-row.ts';

test.each([
  ['a number', 41, 41],
  ['digits in a text', '41', 41],
  ['digits between blanks', ' 41 ', 41],
  ['zero', '0', 0],
  ['absent', undefined, undefined],
  ['null', null, undefined],
  ['an empty text', '', undefined],
  ['words', 'many', undefined],
  ['a fraction', 1.5, undefined],
  ['a negative number', -1, undefined],
  ['a sign', '+1', undefined],
  ['another notation', '0x10', undefined],
  ['more than a number holds', '9007199254740993', undefined],
  ['a truth', true, undefined],
])('a runCount that is %s', (_what, runCount, expected) => {
  expect(readingOf({ runCount })).toEqual({ runCount: expected });
});

test.each([
  '2026-11-20T22:00:00Z',
  '2026-11-20T22:00:04.118Z',
  '2026-11-20T22:00:04.118223+00:00',
  '2026-11-20T23:00+01:00',
  '2026-11-20 22:00:00Z',
])('a lastRunAt of %s is an instant, kept as it is written', (lastRunAt) => {
  expect(readingOf({ lastRunAt })).toEqual({ lastRunAt });
});

test.each([undefined, null, '', '   '])('a lastRunAt of %j says nothing', (lastRunAt) => {
  expect(readingOf({ lastRunAt })).toEqual({});
});

// An unreadable time used to count as no time, and so switched the minimum gap off.
test.each([
  ['a date without a time', '2026-11-20', '2026-11-20'],
  ['a local time', '2026-11-20T22:00:00', '2026-11-20T22:00:00'],
  ['a day that no calendar has', '2026-02-30T22:00:00Z', '2026-02-30T22:00:00Z'],
  ['an hour that no clock has', '2026-11-20T25:00:00Z', '2026-11-20T25:00:00Z'],
  ['words', 'yesterday evening', 'yesterday evening'],
  ['a number', 1_795_212_000, '1795212000'],
  ['an object', { at: '2026' }, '{"at":"2026"}'],
])('a lastRunAt that is %s is shown and not compared', (_what, lastRunAt, odd) => {
  expect(readingOf({ lastRunAt })).toEqual({ oddLastRunAt: odd });
});

test('an odd text is cut, so that no gateway fills a row with it', () => {
  expect(readingOf({ lastRunAt: 'x'.repeat(5000) }).oddLastRunAt).toHaveLength(100);
});

test.each([
  ['an id in capitals', '018F0000-0000-7000-8000-00000000000A', '018f0000-0000-7000-8000-00000000000a'],
  ['null', null, undefined],
  ['an empty text', ' ', undefined],
])('a lastRun that is %s', (_what, lastRun, expected) => {
  expect(readingOf({ lastRun })).toEqual({ lastRun: expected });
});
