import { describe, expect, test } from 'vitest';
import {
  freed,
  newGuardRow,
  type Reservation,
  reservationOf,
  reservationsAt,
  withDeferred,
  withoutReservation,
  withReservation,
} from '#shared/ledger/rows/guard-row.ts';
import { at, minute, sentStart } from '../../../functions/_runs/decide/command-states.ts';

const guard = newGuardRow('chat-bot');
const of = (campaignRunId: string, fields: Partial<Reservation> = {}): Reservation => ({
  ...reservationOf(campaignRunId, sentStart({ startId: `start of ${campaignRunId}`, plannedStop: undefined })),
  ...fields,
});
const runsAt = (row: typeof guard, minutesAfter: number) =>
  reservationsAt(row, at(minutesAfter)).map(({ campaignRunId }) => campaignRunId);

/** The end of a run so many minutes after ten. */
const end = (campaignRunId: string, minutesAfter: number) => ({
  campaignRunId,
  startId: `start of ${campaignRunId}`,
  at: minute(minutesAfter),
});

describe('a reservation', () => {
  test('is made of the start: from its effect to its end, with its planned stop', () => {
    expect(reservationOf('run', sentStart({ effectAt: minute(15), startAt: minute(15) }))).toEqual({
      campaignRunId: 'run',
      startId: 'at-ten',
      issuedAt: minute(0),
      since: minute(15),
      until: minute(30),
      plannedStopAt: minute(30),
    });
  });

  test('counts until its end, or until its planned stop is applied', () => {
    const row = withReservation(withReservation(guard, of('a')), of('b', { plannedStopAt: minute(30) }));

    expect(runsAt(row, 29.9)).toEqual(['a', 'b']);
    expect(runsAt(row, 30)).toEqual(['b']);
    expect(reservationsAt(undefined, at(0))).toEqual([]);
  });

  test('takes the place of an earlier one of the same run', () => {
    const row = withReservation(withReservation(guard, of('a')), of('a', { startId: 'again' }));

    expect(row.reservations).toMatchObject([{ startId: 'again' }]);
  });

  test('goes back if its start never began, and leaves no trace', () => {
    expect(withoutReservation(withReservation(guard, of('a')), 'a')).toEqual(guard);
  });
});

describe('a run that ended', () => {
  test('frees its place, and is kept as one of the last two that ended', () => {
    const ended = ['a', 'b', 'c'].reduce(
      (row, run, index) => freed(withReservation(row, of(run)), end(run, index)),
      guard,
    );

    expect(ended.reservations).toEqual([]);
    expect(ended.ended).toEqual([
      { startId: 'start of b', at: minute(1) },
      { startId: 'start of c', at: minute(2) },
    ]);
  });

  test('frees no place that a later start of the same run has taken', () => {
    const taken = withReservation(guard, of('a', { startId: 'later' }));

    expect(runsAt(freed(taken, end('a', 5)), 6)).toEqual(['a']);
  });

  test('is kept once', () => {
    expect(freed(freed(guard, end('a', 1)), end('a', 2)).ended).toEqual([{ startId: 'start of a', at: minute(2) }]);
  });
});

test('of the deferred starts of each run the one that was noted last is kept', () => {
  const noted = [
    ['nightly', 'a'],
    ['smoke', 'b'],
    ['nightly', 'c'],
  ].reduce((row, [run = '', id = '']) => withDeferred(row, run, { id, issuedAt: minute(0) }), guard);

  expect(noted.deferred).toEqual({
    nightly: { id: 'c', issuedAt: minute(0) },
    smoke: { id: 'b', issuedAt: minute(0) },
  });
});
