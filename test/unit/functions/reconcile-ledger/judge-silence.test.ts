import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastOccurrences } from '#functions/reconcile-ledger/judge-silence.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { occurrence, dayMs, friday, hourMs, judge, nightly } from './silence-bench.ts';

const later = (ms: number) => new Date(friday.getTime() + ms);
const first = '2026-11-20T22:00:00Z';
const ended = (at: string, outcome: Omit<NonNullable<CommandRow['outcome']>, 'at'>) =>
  occurrence(nightly, at, { outcome: { ...outcome, at } });
const among =
  (...rows: readonly CommandRow[]) =>
  (id: string) =>
    rows.find((row) => row.id === id);

describe('a schedule that cannot be silent yet', () => {
  test('is one that is new: what lies before its first tick does not count', () => {
    const now = later(30 * dayMs);

    expect(judge(nightly, { now, since: now })).toEqual({});
  });
});

test('a command without an outcome for more than a day counts as no start', () => {
  const rows = [occurrence(nightly, first), occurrence(nightly, '2026-11-21T22:00:00Z')];
  const judged = judge(nightly, { now: later(36.1 * hourMs), commandOf: among(...rows) });

  expect(judged.silent).toMatchObject({ missed: 1, reason: 'NO_OUTCOME' });
});

test('what a silence came to is short, so that one row has that of every schedule', () => {
  const parked = among(ended(first, { kind: 'parked', reason: 'VALIDATION', detail: 'no '.repeat(1000) }));
  const { silent } = judge(nightly, { now: later(12 * hourMs), commandOf: parked });

  expect(silent).toMatchObject({ reason: 'VALIDATION' });
  expect(Buffer.byteLength(silent?.detail ?? '')).toBeLessThanOrEqual(256);
});

test('a start in doubt is a start: the run may be running, and a person is asked about it', () => {
  const row = ended(first, { kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' });
  const inDoubt = { ...row, mayHaveRun: { from: first, until: first } };

  expect(judge(nightly, { now: later(12 * hourMs), commandOf: among(inDoubt) }).startedAt).toBeDefined();
});

describe('a blackout', () => {
  const once: ResolvedBlackout = {
    name: 'freeze',
    starts: 'skip',
    window: { kind: 'once', from: '2026-11-20T00:00:00.000Z', to: '2026-11-25T00:00:00.000Z' },
  };

  const skipped = among(ended(first, { kind: 'skipped', reason: 'BLACKOUT' }));
  const now = later(dayMs);

  test('that has an end does not count, unless the setting says so', () => {
    const facts = { now, commandOf: skipped, blackouts: [once] };

    expect(judge(nightly, facts).silent).toBeUndefined();
    expect(judge(nightly, { ...facts, also: ['blackouts'] }).silent).toMatchObject({
      missed: 1,
      reason: 'BLACKOUT',
    });
  });

  test('that has an end excuses a schedule that sent nothing meanwhile', () => {
    expect(judge(nightly, { now, blackouts: [once] }).silent).toBeUndefined();
  });

  test('of another campaign excuses nothing', () => {
    expect(judge(nightly, { now, blackouts: [{ ...once, campaigns: ['other'] }] }).silent).toBeDefined();
  });

  test('that ends in more than a year has no end, and rings', () => {
    const window = { kind: 'once', from: '2026-11-20T00:00:00.000Z', to: '2099-01-01T00:00:00.000Z' } as const;

    expect(judge(nightly, { now, commandOf: skipped, blackouts: [{ ...once, window }] }).silent).toBeDefined();
  });

  test('that defers a start is waited for, and the start counts', () => {
    const deferred = { from: '2026-11-20T22:00:00.000Z', until: '2026-11-25T00:00:00.000Z', blackout: 'freeze' };
    const facts = { now, blackouts: [{ ...once, starts: 'defer' as const }] };
    const waits = judge(nightly, { ...facts, commandOf: among(occurrence(nightly, first, { deferred })) });
    const started = { ...ended(first, { kind: 'applied' }), deferred };

    expect(waits).toEqual({});
    expect(judge(nightly, { ...facts, commandOf: among(started) }).startedAt).toBe('2026-11-20T22:00:00.000Z');
  });
});

describe('a stage that only observes', () => {
  test('rings nothing', () => {
    expect(judge(nightly, { now: later(5 * dayMs), mode: 'observe' })).toEqual({});
  });

  test('rings if the setting says so', () => {
    const judged = judge(nightly, { now: later(dayMs), mode: 'observe', also: ['observe'] });

    expect(judged.silent).toMatchObject({ missed: 1, reason: 'OBSERVED' });
  });
});

describe('other expressions', () => {
  test('at() rings at its one occurrence whatever the number, and for a day', () => {
    const once = { ...nightly, expression: 'at(2026-11-20T22:00:00)', silentAfter: 3 };
    const rings = judge(once, { now: later(11 * hourMs) });

    expect(rings.silent?.silentSince).toBe('2026-11-20T22:00:00.000Z');
    expect(judge(once, { now: later(35 * hourMs) }).silent).toBeUndefined();
  });

  test('rate() is counted from its startDate', () => {
    const rate = { ...nightly, expression: 'rate(6 hours)', startDate: '2026-11-20T13:00:00.000Z' };

    expect(lastOccurrences(rate, later(8 * hourMs)).map((at) => at.toISOString())).toEqual([
      '2026-11-20T19:00:00.000Z',
      '2026-11-20T13:00:00.000Z',
    ]);
    expect(judge(rate, { now: later(8 * hourMs) }).silent).toMatchObject({ missed: 2 });
  });
});

const outcomes = fc.constantFrom('applied', 'skipped', 'parked', 'superseded', 'absent');

test('whatever came: silent exactly if the last silentAfter occurrences started nothing', () => {
  fc.assert(
    fc.property(
      fc.array(outcomes, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      (nights, silentAfter) => {
        const schedule = { ...nightly, silentAfter };
        const rows = nights.flatMap((kind, index) => {
          const at = `${later(index * dayMs + 10 * hourMs)
            .toISOString()
            .slice(0, 19)}Z`;
          return kind === 'absent' ? [] : [occurrence(schedule, at, { outcome: { kind, at } })];
        });

        const { silent } = judge(schedule, { now: later(nights.length * dayMs), commandOf: among(...rows) });

        const withoutStart = nights.toReversed().findIndex((kind) => kind === 'applied');
        const count = withoutStart === -1 ? nights.length : withoutStart;
        const seen = Math.min(count, 2 * silentAfter + 6);
        expect(silent?.missed ?? 0).toBe(count >= silentAfter ? seen : 0);
      },
    ),
    propertyRuns(40),
  );
});
