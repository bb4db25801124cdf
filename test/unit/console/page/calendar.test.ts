import { describe, expect, test } from 'vitest';
import type { CalendarAnswer } from '#console/api.ts';
import { barsOf, lanesOf, piecesOf } from '#console/nights/lanes.ts';
import { marksOf } from '#console/nights/marks.ts';
import { nextMark, positionsOf } from '#console/page/calendar/move-focus.ts';
import { entry, plannedEntry, stands } from '../../../integration/console/page/run-facts.ts';

const dublin = 'Europe/Dublin';
const now = Date.parse('2026-10-25T12:00:00Z');

const empty: CalendarAnswer = {
  now: '2026-10-25T12:00:00Z',
  asOf: '2026-10-25T12:00:00Z',
  timezone: dublin,
  past: [],
  planned: [],
  blackouts: [],
  bands: [],
  clockChanges: [],
  unread: [],
  problems: [],
};

/** A start has a run; the one of the test's own is in `runs`. */
const ended = (id: string, action: 'start' | 'stop', at: string, more: object = {}) =>
  entry(id, {
    action,
    at,
    campaignRunId: 'r1',
    ...(action === 'start' ? { run: stands(id, { startAt: at }) } : {}),
    ...more,
  });

const plan = (id: string, action: 'start' | 'stop', at: string, more: object = {}) =>
  plannedEntry(id, { action, at, ...more });

/** How the run of a start ended. */
const stoppedBy = (stopId: string, startAt: string, endedAt: string) => ({
  stopId,
  run: stands(stopId.replace('-stop', ''), { state: 'stopped', tone: 'plain', startAt, endedAt }),
});

const lanes = (answer: Partial<CalendarAnswer>) =>
  lanesOf(
    { ...empty, ...answer },
    { from: Date.parse('2026-10-24T00:00:00Z'), until: Date.parse('2026-10-26T12:00:00Z'), now, zone: dublin },
  );

describe('a lane', () => {
  test('has a night of wall clock, from noon to noon, also in the night whose clock goes back', () => {
    // 2026-10-25 has 25 hours in Dublin; both 01:30 stand at the same place.
    const [, saturday] = lanes({
      past: [ended('a', 'start', '2026-10-25T00:30:00Z'), ended('b', 'start', '2026-10-25T01:30:00Z')],
    });

    expect(saturday?.date).toBe('2026-10-24');
    expect(saturday?.marks.map(({ minutes }) => minutes)).toEqual([810, 810]);
  });

  test('takes the piece of an interval that falls into its night', () => {
    const [from, until] = [Date.parse('2026-11-01T22:00:00Z'), Date.parse('2026-11-02T12:00:00Z')];

    expect(piecesOf({ from, until: from + 7_200_000 }, dublin)).toEqual([
      { date: '2026-11-01', from: 600, until: 720 },
    ]);
    // One that ends at noon has nothing in the next night.
    expect(piecesOf({ from, until }, dublin)).toEqual([{ date: '2026-11-01', from: 600, until: 1440 }]);
  });

  test('keeps a piece visible that ends within the repeated hour', () => {
    const [from, until] = [Date.parse('2026-10-25T00:50:00Z'), Date.parse('2026-10-25T01:10:00Z')];

    expect(piecesOf({ from, until }, dublin)).toEqual([{ date: '2026-10-24', from: 830, until: 831 }]);
  });

  test('puts runs that overlap on two tracks', () => {
    const [, saturday] = lanes({
      past: [
        ended(
          'a',
          'start',
          '2026-10-24T14:00:00Z',
          stoppedBy('a-stop', '2026-10-24T14:00:00Z', '2026-10-24T16:00:00Z'),
        ),
        ended('a-stop', 'stop', '2026-10-24T16:00:00Z'),
        ended('b', 'start', '2026-10-24T15:00:00Z', {
          campaignRunId: 'r2',
          name: 'smoke',
          ...stoppedBy('b-stop', '2026-10-24T15:00:00Z', '2026-10-24T17:00:00Z'),
        }),
        ended('b-stop', 'stop', '2026-10-24T17:00:00Z', { campaignRunId: 'r2', name: 'smoke' }),
      ],
    });

    expect(saturday?.tracks).toBe(2);
    expect(saturday?.marks.map(({ mark, track }) => [mark.id, track])).toEqual([
      ['a', 0],
      ['b', 1],
      ['a-stop', 0],
      ['b-stop', 1],
    ]);
  });
});

// A lifted freeze without a planned end was drawn until now, and one with such an end until that.
test.each([
  ['that lasts without an end goes up to now', {}, 13],
  ['that will end automatically goes up to that time', { until: '2026-10-26T06:00:00Z' }, 18],
  ['that was lifted ends there', { to: '2026-10-25T21:00:00Z' }, 9],
  [
    'that was lifted before its planned end ends there',
    { to: '2026-10-25T21:00:00Z', until: '2026-10-26T06:00:00Z' },
    9,
  ],
])('a freeze %s', (_which, end, hours) => {
  const freeze = {
    scope: 'stage',
    name: 'stage',
    by: 'ann',
    reason: 'INC-77',
    from: '2026-10-25T18:00:00Z',
    ...end,
  } as const;

  const bands = lanesOf(
    { ...empty, now: '2026-10-26T01:00:00Z', bands: [freeze] },
    {
      from: Date.parse('2026-10-25T12:00:00Z'),
      until: Date.parse('2026-10-26T11:00:00Z'),
      now: Date.parse('2026-10-26T01:00:00Z'),
      zone: 'UTC',
    },
  ).flatMap((lane) => lane.bands);

  expect(bands).toMatchObject([{ from: 6 * 60, until: hours * 60, kind: 'frozen', says: 'frozen by ann: INC-77' }]);
});

test('a lane names what begins to block starts, but no blackout of every night', () => {
  const held = { by: 'ann', reason: 'INC-77', from: '2026-10-24T20:00:00Z', to: '2026-10-24T21:00:00Z' };
  const [, saturday] = lanes({
    bands: [
      { ...held, scope: 'stage', name: 'stage' },
      { ...held, scope: 'schedule', name: 'weeknights' },
    ],
    blackouts: [
      { name: 'release', starts: 'skip', from: '2026-10-24T22:00:00Z', until: '2026-10-25T10:00:00Z' },
      { name: 'backup', starts: 'defer', from: '2026-10-24T14:00:00Z', until: '2026-10-24T15:00:00Z' },
    ],
  });

  expect(saturday?.names).toMatchObject([
    { minutes: 9 * 60, says: 'frozen by ann' },
    { minutes: 9 * 60, says: 'paused schedule weeknights by ann' },
    { minutes: 11 * 60, says: 'blackout release' },
  ]);
  expect(saturday?.bands.map(({ kind }) => kind)).toEqual(['frozen', 'paused']);
});

/** From when until when each bar is drawn, by day and time. */
const bars = (answer: Partial<CalendarAnswer>) =>
  barsOf({ ...empty, ...answer }, now).map(({ from, until, isPlanned }) => {
    const [start, end] = [from, until].map((instant) => new Date(instant).toISOString().slice(8, 16));
    return `${start} to ${end}${isPlanned ? ', planned' : ''}`;
  });

const deferred = plan('a', 'start', '2026-10-25T21:45:00Z', { outcome: 'deferred', until: '2026-10-26T00:00:00Z' });

test.each<[what: string, answer: Partial<CalendarAnswer>, drawn: readonly string[]]>([
  [
    'a run in flight is full up to now, and dashed to the stop that is planned',
    {
      past: [ended('a', 'start', '2026-10-25T10:00:00Z')],
      planned: [plan('s', 'stop', '2026-10-25T15:00:00Z')],
    },
    ['25T10:00 to 25T12:00', '25T12:00 to 25T15:00, planned'],
  ],
  [
    'a planned run ends at a scheduled stop, if that comes before the planned one',
    {
      planned: [
        plan('a', 'start', '2026-10-25T22:00:00Z', { stopDueAt: '2026-10-26T08:00:00Z' }),
        plan('s', 'stop', '2026-10-26T06:00:00Z'),
      ],
    },
    ['25T22:00 to 26T06:00, planned'],
  ],
  [
    'a run of the past begins and ends as it did, whatever the times of the commands',
    {
      past: [
        ended('a', 'start', '2026-10-24T21:45:00Z', stoppedBy('s', '2026-10-24T22:00:00Z', '2026-10-25T06:01:00Z')),
      ],
    },
    ['24T22:00 to 25T06:01'],
  ],
  [
    'a planned run begins and ends as the plan says',
    {
      planned: [
        plan('a', 'start', '2026-10-25T21:45:00Z', {
          effectAt: '2026-10-25T22:00:00Z',
          endsAt: '2026-10-26T06:00:00Z',
          stopDueAt: '2026-10-26T08:00:00Z',
        }),
      ],
    },
    ['25T22:00 to 26T06:00, planned'],
  ],
  // It had a bar of each: an overlap that no guard would allow.
  [
    'a start that a blackout will defer is drawn once, where it will begin',
    { planned: [deferred, plan('a', 'start', '2026-10-26T00:00:00Z', { endsAt: '2026-10-26T06:00:00Z' })] },
    ['26T00:00 to 26T06:00, planned'],
  ],
  [
    'a start that a blackout will defer is drawn to its stop',
    { planned: [deferred, plan('s', 'stop', '2026-10-26T05:00:00Z')] },
    ['26T00:00 to 26T05:00, planned'],
  ],
  [
    'a start that was cancelled before it began, or made no run, is not drawn',
    {
      past: (['cancelled', 'not-started', 'observed', 'deferred', 'waiting'] as const).map((state) =>
        ended('a', 'start', '2026-10-24T10:00:00Z', { run: stands('a', { state }) }),
      ),
    },
    [],
  ],
])('the bar of %s', (_what, answer, drawn) => {
  expect(bars(answer)).toEqual(drawn);
});

describe('a mark', () => {
  // A night that failed was green, and its mark stood where its command was asked for.
  test('of a start stands where its run begins, in the colour of how that ended', () => {
    const start = ended('a', 'start', '2026-10-24T21:45:00Z', {
      run: stands('a', { state: 'failed', tone: 'bad', says: 'failed: acme', startAt: '2026-10-24T22:03:00Z' }),
    });

    expect(marksOf({ ...empty, past: [start] })).toMatchObject([
      { at: Date.parse('2026-10-24T22:03:00Z'), state: 'failed', tone: 'bad', detail: 'failed: acme' },
    ]);
  });

  test('of a skip stands where it was due, with the reason and its sentence', () => {
    const refusals = [{ guard: 'frozen', verdict: 'skip', detail: 'by ann' }];
    const skip = ended('a', 'start', '2026-10-24T22:05:00Z', {
      askedAt: '2026-10-24T22:00:00Z',
      outcome: 'skipped',
      reason: 'FROZEN',
      refusals,
      run: undefined,
    });

    expect(marksOf({ ...empty, past: [skip] })).toMatchObject([
      { at: Date.parse('2026-10-24T22:00:00Z'), state: 'skipped', tone: 'warn', detail: 'frozen: by ann' },
    ]);
  });

  test('of a start that was deferred and done later stands twice', () => {
    const start = ended('a', 'start', '2026-10-25T00:00:00Z', {
      askedAt: '2026-10-24T22:00:00Z',
      deferred: { from: '2026-10-24T22:00:00Z', until: '2026-10-25T00:00:00Z', blackout: 'release' },
    });

    expect(marksOf({ ...empty, past: [start] }).map(({ state }) => state)).toEqual(['deferred', 'running']);
  });

  test('of a start in flight and the mark of its planned stop, which has the same id, are told apart', () => {
    const marks = marksOf({
      ...empty,
      past: [ended('a', 'start', '2026-10-24T20:00:00Z')],
      planned: [plan('a', 'stop', '2026-10-25T02:00:00Z')],
    });

    expect(marks.map(({ id }) => id)).toEqual(['a', 'a']);
    expect(new Set(marks.map(({ key }) => key)).size).toBe(2);
  });

  test('is reached by the arrow keys: in time, and to the nearest of another day', () => {
    const positions = positionsOf(
      lanes({
        past: [
          ended('morning', 'start', '2026-10-24T05:00:00Z'),
          ended('evening', 'start', '2026-10-24T20:00:00Z'),
          ended('next-morning', 'start', '2026-10-25T06:00:00Z'),
        ],
        planned: [plan('next-evening', 'start', '2026-10-25T21:00:00Z')],
      }),
    );
    const keyOf = (id: string) => positions.find(({ mark }) => mark.id === id)?.mark.key;
    const reached = (from: string, key: string) => nextMark(positions, keyOf(from), key)?.mark.id;

    expect(reached('morning', 'ArrowRight')).toBe('evening');
    expect(reached('evening', 'ArrowDown')).toBe('next-evening');
    expect(reached('next-morning', 'ArrowUp')).toBe('morning');
    expect(reached('next-evening', 'Home')).toBe('morning');
    expect(reached('morning', 'ArrowLeft')).toBeUndefined();
    expect(reached('morning', 'Tab')).toBeUndefined();
  });
});
