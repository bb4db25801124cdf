import { describe, expect, test } from 'vitest';
import { momentAt } from '#functions/_runs/decide/decision.ts';
import type { CallFailure, CommandState, Moment } from '#functions/_runs/decide/state.ts';
import {
  delayAfter,
  holdBeforeCall,
  holdBeforeStop,
  longestStopWaitMs,
  retryMs,
  weighed,
} from '#functions/_runs/decide/waiting.ts';
import { type CommandAttempt, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aCommand } from '../../update-campaign-runs/harness/update-bench.ts';
import { aState, at, minute, policyOf, stored } from './command-states.ts';

const seconds = (count: number) => count * 1000;
const minutes = (count: number) => count * 60_000;

const attempt = (fields: Partial<CommandAttempt> = {}): CommandAttempt => ({
  crashes: 0,
  since: minute(0),
  tries: 0,
  ...fields,
});

/** A command after so many failed calls. */
function after(failures: number, fields: Partial<CampaignRunCommand> = {}) {
  const command = aCommand({ validFor: 'PT30M', ...fields });
  const row = stored({ ...newCommandRow(command, at(0)), attempt: attempt({ failures }) });
  return aState({ command, row });
}

/** An attempt after such refusals in a row. */
const refusedBefore = (status: number, count: number, since = minute(0)) =>
  attempt({ refusals: { status, count, since } });

/** This state at that minute. */
const then = (state: CommandState, minutesLater: number): Moment =>
  momentAt(state, policyOf(state.command), at(minutesLater));

/** The next slot for a PATCH is so far away. */
const slots = (runsMs: number) => ({ runsMs, readsMs: 0, waiting: 0, spacingMs: 4000 });

describe('the back-off', () => {
  test.each([
    ['a start waits a quarter of what is left of its validity at most', 'start', 10, 5],
    ['a start without validity left waits by its failures alone: only a missing answer keeps it', 'start', 31, 60],
    ['an update waits by its failures alone', 'update', 10, 60],
    ['a stop waits a minute at most', 'stop', 10, 1],
  ] as const)('%s', (_promise, action, later, longest) => {
    expect(retryMs(then(after(10, { action }), later))).toBe(minutes(longest));
  });

  test('is doubled by each failed call, and not by each delivery', () => {
    const delays = [0, 1, 2, 3].map((failures) => retryMs(then(after(failures, { validFor: 'P1D' }), 0)));
    const ninth = after(0, { validFor: 'P1D' });

    expect(delays).toEqual([30, 60, 120, 240].map(seconds));
    expect(retryMs(then({ ...ninth, delivery: { ...ninth.delivery, receiveCount: 9 } }, 0))).toBe(seconds(30));
  });

  test('of a start is half a minute at least, however little is left', () => {
    expect(retryMs(then(after(5), 29.9))).toBe(seconds(30));
  });

  test.each([
    ['a start waits for a pause of the gateway to end', 'start', 15, 15.5],
    ['a stop asks again within a minute', 'stop', 1, 1],
  ] as const)('%s', (_promise, action, least, most) => {
    const failure: CallFailure = { kind: 'not-applied', why: 'busy', evidence: {}, pauseMs: minutes(15) };

    const delayMs = delayAfter(failure, then(after(0, { action }), 0));

    expect(delayMs).toBeGreaterThanOrEqual(minutes(least));
    expect(delayMs).toBeLessThanOrEqual(minutes(most));
  });
});

describe('refusals that may heal', () => {
  const forbidden: CallFailure = {
    kind: 'not-applied',
    why: 'forbidden',
    evidence: { httpStatus: 403 },
    patience: { status: 403, tries: 3 },
  };
  const missing: CallFailure = { ...forbidden, patience: { status: 404, withinMs: minutes(10) } };
  test.each([
    ['the first of three', forbidden, undefined, 'not-applied'],
    ['the second of three', forbidden, refusedBefore(403, 1), 'not-applied'],
    ['the third of three', forbidden, refusedBefore(403, 2), 'refused'],
    ['the first after another status', forbidden, refusedBefore(404, 2), 'not-applied'],
    ['nine minutes after the first', missing, refusedBefore(404, 5, minute(1)), 'not-applied'],
    ['ten minutes after the first', missing, refusedBefore(404, 1), 'refused'],
    ['what has no patience', { ...forbidden, patience: undefined }, refusedBefore(403, 9), 'not-applied'],
    ['what is final', { ...forbidden, kind: 'refused' }, undefined, 'refused'],
  ] as const)('%s', (_what, failure, earlier, kind) => {
    expect(weighed(failure, earlier, then(aState(), 10)).failure.kind).toBe(kind);
  });

  test('count once in an attempt, however many runs a stop by name asks for', () => {
    const { refusals } = weighed(forbidden, refusedBefore(403, 1), then(aState(), 5));
    const again = weighed(forbidden, { crashes: 0, since: minute(0), tries: 1, refusals }, then(aState(), 5));

    expect(again).toEqual({ failure: forbidden, refusals });
  });

  test('are counted in a row', () => {
    expect(weighed(forbidden, refusedBefore(403, 1), then(aState(), 5)).refusals).toEqual({
      status: 403,
      count: 2,
      since: minute(0),
      by: 'me',
    });
    expect(
      weighed({ ...forbidden, patience: undefined }, refusedBefore(403, 1), then(aState(), 5)).refusals,
    ).toBeUndefined();
  });
});

describe('before a call', () => {
  const command = aCommand({ validFor: 'P1D' });
  const state = aState({ command });
  test('nothing holds a start at an open gate with a free slot', () => {
    expect(holdBeforeCall('runs', then(state, 0))).toBeUndefined();
  });

  test.each([
    ['a closed gate', { gateWaitMs: minutes(5) }, minutes(5), undefined],
    ['a slot that is far', { slots: slots(5000) }, 4000, true],
    ['too little time for the call', { delivery: { ...state.delivery, remainingMs: 13_999 } }, 2000, undefined],
  ])('%s holds it', (_what, fields, leastMs, forSlot) => {
    const hold = holdBeforeCall('runs', then({ ...state, ...fields }, 0));

    expect(hold?.delayMs).toBeGreaterThanOrEqual(leastMs);
    expect(hold?.forSlot).toBe(forSlot);
  });

  test('a slot within a second holds it if the call behind it has too little time', () => {
    const short = { ...state, slots: slots(900), delivery: { ...state.delivery, remainingMs: 14_800 } };

    expect(holdBeforeCall('runs', then(short, 0))).toMatchObject({ forSlot: true });
  });

  test('a slot within a second holds it in process, and a slot for reads does not concern a PATCH', () => {
    const close = { ...state, slots: { ...slots(1000), readsMs: 60_000 } };

    expect(holdBeforeCall('runs', then(close, 0))).toBeUndefined();
    expect(holdBeforeCall('reads', then(close, 0))).toMatchObject({ forSlot: true });
  });

  test.each([
    ['as long as the gate is closed, if that is short', 20_000, 0, 20_000],
    ['for a minute at most', minutes(120), 0, longestStopWaitMs],
    ['for a minute since its message was sent', minutes(120), 0.75, 15_000],
    ['and then not at all', minutes(120), 1, undefined],
  ])('a closed gate holds a stop %s', (_what, gateWaitMs, minutesLater, delayMs) => {
    const stop = aState({ command: aCommand({ action: 'stop' }), gateWaitMs });

    expect(holdBeforeStop(then(stop, minutesLater))?.delayMs).toBe(delayMs);
  });

  test('a stop waits for its slot in process, and goes back if its function has no time for that', () => {
    const stop = aState({ command: aCommand({ action: 'stop' }) });

    expect(holdBeforeStop(then({ ...stop, slots: slots(16_000) }, 0))).toBeUndefined();
    expect(holdBeforeStop(then({ ...stop, slots: slots(17_000) }, 0))?.delayMs).toBe(17_000);
    expect(holdBeforeStop(then({ ...stop, slots: slots(170_000) }, 0))?.delayMs).toBe(longestStopWaitMs);
  });
});
