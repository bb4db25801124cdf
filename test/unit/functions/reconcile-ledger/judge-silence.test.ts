import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandsToRead } from '#functions/reconcile-ledger/judge-silence.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { ScheduleMemory } from '#shared/ledger/rows/reconcile-row.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { commandRow, dayMs, friday, hourMs, judge, nightly } from './silence-bench.ts';

const knownSince = friday;
const later = (ms: number) => new Date(friday.getTime() + ms);
const first = '2026-11-20T22:00:00Z';
const known = judge(nightly, undefined, { now: knownSince });
const ended = (at: string, outcome: Omit<NonNullable<CommandRow['outcome']>, 'at'>) =>
  commandRow(nightly, at, { outcome: { ...outcome, at } });
const among =
  (...rows: readonly CommandRow[]) =>
  (id: string) =>
    rows.find((row) => row.id === id);

describe('a schedule that cannot be silent yet', () => {
  test('is one that is new: what lies before its first pass does not count', () => {
    expect(judge(nightly, undefined, { now: later(30 * dayMs) }).missed).toBeUndefined();
  });

  test('had no occurrence, or one that is under way', () => {
    const pending = among(commandRow(nightly, first));

    expect(judge(nightly, known, { now: later(9 * hourMs) })).toEqual(known);
    expect(judge(nightly, known, { now: later(10.1 * hourMs) })).toEqual(known);
    expect(judge(nightly, known, { now: later(35 * hourMs), commandOf: pending }).missed).toBeUndefined();
  });

  test('is one whose times changed: its count begins again', () => {
    const silent = judge(nightly, known, { now: later(dayMs) });
    const moved = judge({ ...nightly, expression: 'cron(0 23 * * ? *)' }, silent, { now: later(dayMs) });

    expect(silent.silentSince).toBe('2026-11-20T22:00:00.000Z');
    expect(moved).toEqual({ times: 'cron(0 23 * * ? *) UTC', judgedUntil: later(dayMs).toISOString() });
  });
});

test('a command without an outcome for more than a day counts as no start', () => {
  const rows = [commandRow(nightly, first), commandRow(nightly, '2026-11-21T22:00:00Z')];
  const judged = judge(nightly, known, { now: later(36.1 * hourMs), commandOf: among(...rows) });

  expect(judged.missed).toMatchObject({ count: 1, reason: 'NO_OUTCOME' });
});

test('a start in doubt is a start: the run may be running, and a person is asked about it', () => {
  const row = ended(first, { kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' });
  const inDoubt = { ...row, mayHaveRun: { from: first, until: first } };

  expect(judge(nightly, known, { now: later(12 * hourMs), commandOf: among(inDoubt) }).startedAt).toBeDefined();
});

test('silentAfter 3 rings at the third occurrence', () => {
  const third = { ...nightly, silentAfter: 3 };
  const nights = [1, 2, 3].map((days) => later(days * dayMs));
  let memory: ScheduleMemory = known;
  const silent = nights.map((now) => {
    memory = judge(third, memory, { now });
    return memory.silentSince;
  });

  expect(silent).toEqual([undefined, undefined, '2026-11-22T22:00:00.000Z']);
  expect(memory.missed).toMatchObject({ count: 3, first: '2026-11-20T22:00:00.000Z' });
});

describe('a blackout', () => {
  const once: ResolvedBlackout = {
    name: 'freeze',
    starts: 'skip',
    window: { kind: 'once', from: '2026-11-20T00:00:00.000Z', to: '2026-11-25T00:00:00.000Z' },
  };
  const always: ResolvedBlackout = {
    name: 'always',
    starts: 'skip',
    window: { kind: 'recurring', expression: 'cron(0 20 * * ? *)', timezone: 'UTC', lasts: 'PT4H' },
  };
  const skipped = among(ended(first, { kind: 'skipped', reason: 'BLACKOUT' }));
  const now = later(dayMs);

  test('that has an end does not count, unless the setting says so', () => {
    const facts = { now, commandOf: skipped, blackouts: [once] };

    expect(judge(nightly, known, facts).missed).toBeUndefined();
    expect(judge(nightly, known, { ...facts, also: ['blackouts'] }).missed).toMatchObject({
      count: 1,
      reason: 'BLACKOUT',
    });
  });

  test('that has an end excuses a schedule that sent nothing meanwhile', () => {
    expect(judge(nightly, known, { now, blackouts: [once] }).missed).toBeUndefined();
  });

  test('of another campaign excuses nothing', () => {
    expect(judge(nightly, known, { now, blackouts: [{ ...once, campaigns: ['other'] }] }).missed).toBeDefined();
  });

  test('that covers every occurrence has no end for the schedule, and rings', () => {
    const facts = { now, commandOf: skipped, blackouts: [always] };

    expect(judge(nightly, known, facts).missed).toMatchObject({ count: 1, reason: 'BLACKOUT' });
  });

  test('that ends in more than a year has no end, and rings', () => {
    const window = { kind: 'once', from: '2026-11-20T00:00:00.000Z', to: '2099-01-01T00:00:00.000Z' } as const;

    expect(judge(nightly, known, { now, commandOf: skipped, blackouts: [{ ...once, window }] }).missed).toBeDefined();
  });

  test('that defers a start is waited for, and the start counts', () => {
    const deferred = { from: '2026-11-20T22:00:00.000Z', until: '2026-11-25T00:00:00.000Z', blackout: 'freeze' };
    const facts = { now, blackouts: [{ ...once, starts: 'defer' as const }] };
    const waits = judge(nightly, known, { ...facts, commandOf: among(commandRow(nightly, first, { deferred })) });
    const started = { ...ended(first, { kind: 'applied' }), deferred };

    expect(waits).toEqual(known);
    expect(judge(nightly, waits, { ...facts, commandOf: among(started) }).startedAt).toBe('2026-11-20T22:00:00.000Z');
  });
});

describe('a stage that only observes', () => {
  test('rings nothing, and its nights do not count once it acts', () => {
    const observed = judge(nightly, known, { now: later(5 * dayMs), mode: 'observe' });
    const acts = judge(nightly, observed, { now: later(5 * dayMs + hourMs) });

    expect(observed.missed).toBeUndefined();
    expect(acts.missed).toBeUndefined();
  });

  test('rings if the setting says so', () => {
    const judged = judge(nightly, known, { now: later(dayMs), mode: 'observe', also: ['observe'] });

    expect(judged.missed).toMatchObject({ count: 1, reason: 'OBSERVED' });
  });
});

describe('other expressions', () => {
  test('at() rings at its one occurrence whatever the number, and for a day', () => {
    const once = { ...nightly, expression: 'at(2026-11-20T22:00:00)', silentAfter: 3 };
    const before = judge(once, undefined, { now: knownSince });
    const rings = judge(once, before, { now: later(11 * hourMs) });

    expect(rings.silentSince).toBe('2026-11-20T22:00:00.000Z');
    expect(judge(once, rings, { now: later(35 * hourMs) }).silentSince).toBeUndefined();
  });

  test('rate() is counted from its startDate', () => {
    const rate = { ...nightly, expression: 'rate(6 hours)', startDate: '2026-11-20T13:00:00.000Z' };
    const before = judge(rate, undefined, { now: knownSince });

    expect(commandsToRead(rate, before, later(8 * hourMs))).toEqual([
      'every-night@2026-11-20T13:00:00Z',
      'every-night@2026-11-20T19:00:00Z',
    ]);
    expect(judge(rate, before, { now: later(8 * hourMs) }).missed).toMatchObject({ count: 2 });
  });
});

const outcomes = fc.constantFrom('applied', 'skipped', 'parked', 'superseded', 'absent');

test('whatever came in whatever steps: silent exactly if the last silentAfter occurrences started nothing', () => {
  fc.assert(
    fc.property(
      fc.array(outcomes, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 9 }),
      (nights, silentAfter, passEveryDays) => {
        const schedule = { ...nightly, silentAfter };
        const rows = nights.flatMap((kind, index) => {
          const at = `${later(index * dayMs + 10 * hourMs)
            .toISOString()
            .slice(0, 19)}Z`;
          return kind === 'absent' ? [] : [commandRow(schedule, at, { outcome: { kind, at } })];
        });
        let memory: ScheduleMemory = known;
        for (let day = passEveryDays; day < nights.length + passEveryDays; day += passEveryDays) {
          const now = later(Math.min(day, nights.length) * dayMs);
          memory = judge(schedule, memory, { now, commandOf: among(...rows) });
        }

        const withoutStart = nights.toReversed().findIndex((kind) => kind === 'applied');
        const count = withoutStart === -1 ? nights.length : withoutStart;
        expect(memory.missed?.count ?? 0).toBe(count);
        expect(memory.silentSince !== undefined).toBe(count >= silentAfter);
      },
    ),
    propertyRuns(),
  );
});
