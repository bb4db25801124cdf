import { describe, expect, test } from 'vitest';
import type { CallFailure, Moment } from '#functions/_runs/decide/state.ts';
import {
  delayAfter,
  holdBeforeCall,
  holdBeforeStop,
  plainWaitMs,
  stopWaitMs,
  weighed,
} from '#functions/_runs/decide/waiting.ts';
import { type Given, momentOf } from './moments.ts';

const minutes = (count: number) => count * 60_000;
const stop = { id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:01:00Z' } as const;

/** A command after so many failed calls. */
const after = (failures: number, given: Given = {}) =>
  momentOf({
    ...given,
    own: { attempt: { crashes: 0, since: '2026-11-20T22:00:00.000Z', tries: failures, failures } },
  });

/** The same with other bounds of its attempt. */
const within = (moment: Moment, fields: Partial<Moment['delivery']>, slots: Partial<Moment['slots']> = {}): Moment => ({
  ...moment,
  delivery: { ...moment.delivery, ...fields },
  slots: { ...moment.slots, ...slots },
});

describe('the back-off of a failed call', () => {
  test('of a start is a quarter of what is left of its validity at most, and half a minute at least', () => {
    const start = { command: { validFor: 'PT30M' } };

    expect(delayAfter({}, after(20, { ...start, minute: 10 }))).toBe(minutes(5));
    expect(delayAfter({}, after(20, { ...start, minute: 29.9 }))).toBe(minutes(0.5));
  });

  test('of a stop is a minute at most, and after 600 receives two and a half', () => {
    expect(delayAfter({}, after(20, { command: stop }))).toBe(minutes(1));
    expect(delayAfter({ pauseMs: minutes(15) }, after(0, { command: stop }))).toBe(minutes(1));
    expect([600, 601].map((receiveCount) => stopWaitMs({ receiveCount }))).toEqual([minutes(1), minutes(2.5)]);
  });
});

test('the wait for another command grows with each delivery, to a minute, and after 300 receives to two and a half', () => {
  const waits = [1, 2, 6, 300, 301].map((receiveCount) => plainWaitMs(momentOf({ receiveCount })));

  expect(waits).toEqual([2000, 4000, minutes(1), minutes(1), minutes(2.5)]);
});

describe('before a call', () => {
  const start = momentOf({ command: { validFor: 'P1D' } });

  test.each([
    ['a closed gate', { ...start, gateWaitMs: minutes(5) }],
    ['a slot that is far', within(start, {}, { runsMs: 5000 })],
    ['too little time for the call', within(start, { remainingMs: 13_999 })],
    ['too little time behind its slot', within(start, { remainingMs: 14_500 }, { runsMs: 900 })],
  ])('%s holds a start', (_what, moment) => {
    expect(holdBeforeCall('runs', moment)?.delayMs).toBeGreaterThan(0);
  });

  test('a slot within a second is waited for in process', () => {
    expect(holdBeforeCall('runs', within(start, {}, { runsMs: 1000 }))).toBeUndefined();
  });

  test('a stop waits for its slot, if there is time for the call behind it', () => {
    const moment = momentOf({ command: stop });

    expect(holdBeforeStop(within(moment, { remainingMs: 20_000 }, { runsMs: 6000 }))).toBeUndefined();
    expect(holdBeforeStop(within(moment, { remainingMs: 19_999 }, { runsMs: 6000 }))?.delayMs).toBe(6000);
  });
});

describe('refusals that may heal', () => {
  const since = '2026-11-20T22:00:00.000Z';
  const forbidden: CallFailure = {
    applied: 'no',
    next: 'later',
    why: 'forbidden',
    evidence: { httpStatus: 403 },
    parkAfter: { tries: 3 },
  };
  const missing: CallFailure = {
    ...forbidden,
    evidence: { httpStatus: 404 },
    parkAfter: { withinMs: minutes(10) },
  };
  const refusedBefore = (status: number, count: number, by = 'an earlier attempt') =>
    momentOf({
      minute: 10,
      own: { attempt: { crashes: 0, since, tries: count, refusals: { status, count, since, by } } },
    });

  test.each([
    ['the second of three', forbidden, refusedBefore(403, 1), 'later'],
    ['the third of three', forbidden, refusedBefore(403, 2), 'park'],
    ['the first after another status', forbidden, refusedBefore(404, 2), 'later'],
    ['a second one of the attempt that met the last', forbidden, refusedBefore(403, 2, 'a1'), 'later'],
    ['ten minutes after the first', missing, refusedBefore(404, 1), 'park'],
    ['what has no patience', { ...forbidden, parkAfter: undefined }, refusedBefore(403, 9), 'later'],
  ] as const)('%s', (_what, failure, moment, next) => {
    expect(weighed(failure, moment).failure.next).toBe(next);
  });
});
