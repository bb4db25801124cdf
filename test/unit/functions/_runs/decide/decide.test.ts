/** Each row of the table in docs/reference/ledger.md, as it is decided. */
import { describe, expect, test } from 'vitest';
import { decide } from '#functions/_runs/rounds.ts';
import { moves } from '../../../../builders/moves.ts';
import { answered, decided, type Given, momentOf, refusal } from './moments.ts';
import { begun, idRow, named, other, rows, running, stop } from './rows.ts';

test.for(rows)('row %i: %s', ([, , given, expected, event]) => {
  expect(decided(given, event)).toBe(expected);
});

test('every row of the documented table is tested, and it has each number once', () => {
  const numbers = moves.flatMap(({ moves: some }) => some.map(({ row }) => row));

  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect([...new Set(rows.map(([row]) => row))]).toEqual(numbers);
  expect(numbers.length).toBeLessThanOrEqual(22);
});

describe('the last chance', () => {
  const lastChance = { type: 'last-chance', reason: 'CRASH_LOOP', detail: 'three attempts died' } as const;

  const ended = { own: named, others: [{ ...idRow, end: { by: 'stop', how: 'stopped', at: stop.issuedAt } as const }] };
  const ordered = { command: stop, own: {}, entries: [{ ...running, state: 'stopping', orderedBy: 'stop' } as const] };

  test.each<readonly [string, Given, string]>([
    [
      'of a start in doubt leaves its run in flight, with its stop armed',
      begun(),
      'running 1, –, parked START_OUTCOME_UNKNOWN',
    ],
    ['of a start without an entry parks it', {}, '–, –, parked CRASH_LOOP'],
    ['of a start whose run was ended says that', ended, '–, –, superseded'],
    ['of a stop leaves the runs that it ordered running', ordered, 'running 0, –, parked CRASH_LOOP'],
  ])('%s', (_what, given, expected) => {
    expect(decided(given, lastChance)).toBe(expected);
  });
});

test('a command writes its own row, that of its name, of its id and of its target, and no other', () => {
  for (const [, , given, , event] of rows) {
    const moment = momentOf(given);
    const { writes } = decide(moment, event ?? { type: 'command' });
    const others = writes.filter((row) => row.kind === 'command' && row.id !== moment.sent.id);
    expect(others).toEqual([]);
    expect(new Set(writes.map(({ pk }) => pk)).size).toBe(writes.length);
  }
});

// One attempt sent the same request again and again: the run that it had to pass over was tried least.
test('a stop whose run does not answer waits while another one may still land', () => {
  const given: Given = {
    command: stop,
    own: {
      stops: {
        [running.campaignRunId]: { how: 'ordered', at: stop.issuedAt },
        [other.campaignRunId]: { how: 'ordered', at: stop.issuedAt },
      },
      tries: { [running.campaignRunId]: 1 },
    },
    entries: [
      { ...running, state: 'stopping' },
      { ...other, state: 'stopping', unanswered: 1, until: '2026-11-20T22:30:00Z' },
    ],
  };

  expect(decided(given, answered(refusal({ next: 'later' })))).toMatch(/, wait$/);
});
