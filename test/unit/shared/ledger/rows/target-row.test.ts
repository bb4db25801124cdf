import { describe, expect, test } from 'vitest';
import { countStart, isInDoubt, newTargetRow, startsUsed, withoutEntry } from '#shared/ledger/rows/target-row.ts';
import { aRunInFlight, targetRow } from '../../../../builders/run-rows.ts';

const row = newTargetRow('bot');
const november = { month: '2026-11', campaign: 'bot' };
const december = { month: '2026-12', campaign: 'bot' };
const now = new Date('2026-11-20T22:00:00Z');

test('a start counts once, however often it is counted', () => {
  const once = countStart(row, november, 'a', now);

  expect(startsUsed(countStart(once, november, 'a', now), november)).toBe(1);
  expect(startsUsed(countStart(once, november, 'b', now), november)).toBe(2);
});

test('a start that comes into effect in the next month after all counts there alone', () => {
  const moved = countStart(countStart(row, november, 'a', now), december, 'a', now);

  expect([startsUsed(moved, november), startsUsed(moved, december)]).toEqual([0, 1]);
});

test('campaigns that share a target have a count each', () => {
  const shared = countStart(countStart(row, november, 'a', now), { month: '2026-11', campaign: 'voice' }, 'b', now);

  expect(startsUsed(shared, november)).toBe(1);
});

test('months long ago are forgotten, so that the row stays small', () => {
  const spring = countStart(row, { month: '2026-03', campaign: 'bot' }, 'a', new Date('2026-03-10T00:00:00Z'));

  expect(Object.keys(countStart(spring, november, 'b', now).startsOfMonth ?? {})).toEqual(['2026-11']);
});

describe('the runs in flight of a target', () => {
  const first = aRunInFlight({ startId: 'first', sentAt: '2026-11-20T22:00:00.000Z' });
  const second = aRunInFlight({ startId: 'second', sentAt: '2026-11-20T23:00:00.000Z' });

  test('put its row into the index since the oldest of them, and take it out with the last', () => {
    const both = targetRow(second, first);

    expect(both).toMatchObject({ openState: 'RUN_IN_FLIGHT', openSince: first.sentAt });
    expect(withoutEntry(both, 'first')).toMatchObject({ openState: 'RUN_IN_FLIGHT', openSince: second.sentAt });
    expect(withoutEntry(targetRow(first), 'first')).toMatchObject({ runs: [], openState: undefined });
  });

  test.each([
    ['earlier than one that ended', '2026-11-20T20:00:00.000Z', '2026-11-20T21:00:00.000Z'],
    ['later', '2026-11-20T22:00:00.000Z', '2026-11-20T22:00:00.000Z'],
    ['earlier, by its offset', '2026-11-20T21:30:00.000+01:00', '2026-11-20T21:00:00.000Z'],
  ])('leave the latest due of their campaign behind: %s', (_name, due, expected) => {
    const before = {
      ...targetRow({ ...first, due }),
      lastDue: { 'chat-bot': '2026-11-20T21:00:00.000Z', other: 'kept' },
    };

    expect(withoutEntry(before, 'first').lastDue).toEqual({ 'chat-bot': expected, other: 'kept' });
  });
});

test.each([
  ['starting', 1, true],
  ['starting', 0, false],
  ['running', 1, false],
  ['stopping', 2, false],
] as const)('a %s run with %i unanswered requests is in doubt: %s', (state, unanswered, expected) => {
  expect(isInDoubt({ state, unanswered })).toBe(expected);
});
