import { expect, test } from 'vitest';

import { instantOfWallClock, isTimeZone, wallClockAt } from '#shared/schedule/time-zone.ts';

test.each(['UTC', 'Europe/Dublin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'])(
  '%s is a time zone',
  (name) => {
    expect(isTimeZone(name)).toBe(true);
  },
);

test.each(['', 'Europe/Nowhere', '+01:00', 'europe/dublin', 'Dublin', 'Europe/Dublin ', 'GMT+25'])(
  '"%s" is none',
  (name) => {
    expect(isTimeZone(name)).toBe(false);
  },
);

test('a wall clock and its instant lead to each other, in winter and in summer', () => {
  for (const iso of ['2026-01-15T10:00:00.123Z', '2026-07-15T10:00:00.000Z', '1969-12-31T23:59:59.999Z']) {
    const instant = Date.parse(iso);

    expect(instantOfWallClock(wallClockAt(instant, 'Europe/Dublin'), 'Europe/Dublin')).toBe(instant);
  }
});

test('a whole day that a zone left out does not exist', () => {
  expect(instantOfWallClock(Date.UTC(2011, 11, 30, 12), 'Pacific/Apia')).toBeUndefined();
});
