import { describe, expect, test } from 'vitest';
import { provenFrom, readBack } from '#shared/ledger/read-back.ts';
import { readingOf } from '#shared/ledger/rows/campaign-row.ts';
import { type GuardRow, newGuardRow, type Reservation } from '#shared/ledger/rows/guard-row.ts';
import type { ReadingAt, SentStart } from '#shared/ledger/rows/run-row.ts';
import { minute, sentStart } from '../../functions/_runs/decide/command-states.ts';

/** A campaign as the gateway shows it, read so many minutes after ten. */
const shown = (minutesAfter: number, campaign: object): ReadingAt => ({
  ...readingOf(campaign),
  at: minute(minutesAfter),
});

const byCount = { by: 'runCount', until: minute(30) } as const;
const byInstant = { by: 'lastRunAt', until: minute(30) } as const;

/**
 * A start at ten that was never answered: it can land until a minute past, and by any clock until
 * six past.
 */
const unknown = (fields: Partial<SentStart> = {}) => ({
  start: sentStart({ reading: shown(0, { runCount: 7, lastRunAt: '2026-11-19T22:00:00Z' }), ...fields }),
  landsUntil: minute(1),
});

const other = (fields: Partial<Reservation> = {}): Reservation => ({
  campaignRunId: 'another run',
  startId: 'another start',
  issuedAt: minute(-60),
  since: minute(-60),
  until: minute(60),
  ...fields,
});

const withGuard = (fields: Partial<GuardRow>): GuardRow => ({ ...newGuardRow('chat-bot'), ...fields });

describe('it began', () => {
  test.each([
    ['the count moved forward', {}, { runCount: 8, lastRunAt: '2026-11-19T22:00:00Z' }],
    ['the instant moved forward', {}, { runCount: 7, lastRunAt: minute(0) }],
    ['the count is shown as digits in a text', {}, { runCount: '8' }],
    ['the named count moved forward', { confirm: byCount }, { runCount: 8 }],
    ['the named instant moved forward', { confirm: byInstant }, { lastRunAt: minute(0) }],
  ])('if %s, at once', (_what, fields, campaign) => {
    expect(readBack(unknown(fields), shown(0.1, campaign), {})).toBe('began');
  });

  test('if the only other run in flight is its own', () => {
    const own = other({ startId: 'at-ten' });

    expect(readBack(unknown(), shown(1, { runCount: 8 }), { guard: withGuard({ reservations: [own] }) })).toBe('began');
  });

  test('if another start ended long before its first reading', () => {
    const guard = withGuard({ ended: [{ startId: 'another start', at: minute(-6.3) }] });

    expect(readBack(unknown(), shown(1, { runCount: 8 }), { guard })).toBe('began');
  });
});

describe('it did not', () => {
  test.each([
    ['count', byCount],
    ['instant', byInstant],
  ])('if the configuration names the %s, and it reads the same once nothing can land', (_what, confirm) => {
    const same = shown(6, { runCount: 7, lastRunAt: '2026-11-19T22:00:00Z' });

    expect(readBack(unknown({ confirm }), same, {})).toBe('did-not');
  });

  test('whatever the field does that the configuration does not name', () => {
    const moved = shown(6, { runCount: 7, lastRunAt: minute(0) });

    expect(readBack(unknown({ confirm: byCount }), moved, {})).toBe('did-not');
  });
});

describe('it cannot be told', () => {
  test.each([
    ['nothing was read before', { reading: undefined }, { runCount: 8 }],
    ['the configuration names no field: some gateways count a run at its end', {}, { runCount: 7 }],
    ['the named field is not shown any more', { confirm: byCount }, { lastRunAt: minute(0) }],
    ['the named field was not shown before', { confirm: byCount, reading: shown(0, {}) }, { runCount: 7 }],
    ['the count went back', { confirm: byCount }, { runCount: 6 }],
    ['the instant is a date without a time', { confirm: byInstant }, { lastRunAt: '2026-11-20' }],
    ['the instant is empty', { confirm: byInstant }, { lastRunAt: '' }],
    ['the count is no number', { confirm: byCount }, { runCount: 'many' }],
    ['it was sent over the run of another start', { replaced: {} }, { runCount: 8 }],
  ])('if %s', (_what, fields, campaign) => {
    expect(readBack(unknown(fields), shown(10, campaign), {})).toBe('cannot-tell');
  });

  test.each([
    ['the same minute', minute(0)],
    ['the last minutes, by a clock that is ahead', minute(-5.9)],
  ])('if the instant before it is of %s: some gateways show whole minutes', (_what, lastRunAt) => {
    const before = shown(0, { lastRunAt });

    expect(readBack(unknown({ confirm: byInstant, reading: before }), shown(10, { lastRunAt }), {})).toBe(
      'cannot-tell',
    );
  });

  test('if the campaign has another target since: its starts have their places elsewhere', () => {
    expect(readBack(unknown(), shown(1, { runCount: 8 }), { target: 'other' })).toBe('cannot-tell');
  });

  test('while the request may still land, by any clock', () => {
    const justBefore = shown(5.99, { runCount: 7 });

    expect(readBack(unknown({ confirm: byCount }), justBefore, {})).toBe('cannot-tell');
  });

  test('before a delayed start had its effect', () => {
    const delayed = unknown({ confirm: byCount, startAt: minute(15) });

    expect(readBack(delayed, shown(20.9, { runCount: 7 }), {})).toBe('cannot-tell');
    expect(readBack(delayed, shown(21, { runCount: 7 }), {})).toBe('did-not');
  });

  test.each([
    ['is in flight', { reservations: [other()] }],
    [
      'was in flight until now, and no tick of the watcher has closed it',
      { reservations: [other({ until: minute(0.9) })] },
    ],
    ['waits for its planned stop', { reservations: [other({ until: minute(-5), plannedStopAt: minute(-5) })] }],
    ['ended within 6 min 12 s before the first reading', { ended: [{ startId: 'another start', at: minute(-6.2) }] }],
    ['ended since', { ended: [{ startId: 'another start', at: minute(0.5) }] }],
  ])('if the campaign moved and another start %s', (_what, guard) => {
    expect(readBack(unknown(), shown(1, { runCount: 8 }), { guard: withGuard(guard) })).toBe('cannot-tell');
  });
});

test.each([
  ['what was sent at once: 5 minutes after it lands no more', {}, 6],
  ['what was delayed: 6 minutes after its effect', { startAt: minute(15) }, 21],
  ['what was delayed by less than it can land', { startAt: minute(0) }, 6],
])('a reading proves something about %s', (_what, fields, minutesAfter) => {
  expect(provenFrom(fields, minute(1))).toBe(Date.parse(minute(minutesAfter)));
});
