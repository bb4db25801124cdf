import { expect, test } from 'vitest';
import { nowAnswer } from '#console/api.ts';
import { isFrozenAt, isOf, verdictOf } from '#console/page/now/verdict.ts';

const at = '2026-12-05T20:00:00Z';
const until = '2026-12-06T06:00:00Z';
const freeze = { scope: 'stage' as const, name: 'stage', by: 'ann', reason: 'INC-77', at };
const run = {
  kind: 'run',
  subject: 'nightly (0199)',
  run: 'nightly',
  since: '2026-12-05T19:00:00Z',
  state: 'started',
} as const;
const schedule = { name: 'weeknights', expression: 'cron(0 22 * * ? *)', timezone: 'UTC', isEnabled: true } as const;
const starts = { ...schedule, action: 'start', run: 'nightly', next: '2026-12-05T22:00:00Z' } as const;

function nowWith(more: object) {
  const calm = { stage: 'prod', now: at, asOf: at, mode: 'act', gate: { state: 'open' } };
  const nothing = { switches: [], queues: [], schedules: [], parked: [], inFlight: [], pending: [], recent: [] };
  return nowAnswer.parse({ ...calm, ...nothing, problems: [], ...more });
}

test.each([
  ['nothing is scheduled', {}, 'Quiet: no start is scheduled', undefined],
  [
    'a start is scheduled',
    { schedules: [{ ...starts, action: 'stop', next: at }, starts] },
    'Quiet until',
    starts.next,
  ],
  ['it is frozen', { switches: [{ ...freeze, until }], schedules: [starts] }, 'Frozen until', until],
  ['it is frozen without an end', { switches: [freeze] }, 'Frozen until a person thaws it', undefined],
  ['the gate is closed', { gate: { state: 'closed' } }, 'Nothing reaches the gateway: the gate is closed', undefined],
  ['a run is in flight', { inFlight: [{ ...run, endsAt: until }], switches: [freeze] }, 'nightly runs until', until],
  ['its run has no stop', { inFlight: [run] }, 'nightly runs; no stop is planned', undefined],
  ['its run only begins', { inFlight: [{ ...run, since: until }] }, 'nightly begins', until],
  [
    'its run goes on too long',
    { inFlight: [{ ...run, stopDueAt: '2026-12-05T19:30:00Z' }] },
    'nightly runs past its planned stop',
    undefined,
  ],
  [
    'a stage only observes a run',
    { inFlight: [{ ...run, isObserved: true }] },
    'Quiet: no start is scheduled',
    undefined,
  ],
  [
    'a request has no answer',
    { inFlight: [{ ...run, state: 'in doubt' }] },
    'nightly: no answer yet to its start',
    undefined,
  ],
  [
    'two run',
    {
      inFlight: [
        { ...run, stopDueAt: '2026-12-06T08:00:00Z' },
        { ...run, run: 'smoke', endsAt: until },
      ],
    },
    'nightly, smoke run; the first stops',
    until,
  ],
])('the sentence on top of Now, if %s', (_what, more, says, instant) => {
  expect(verdictOf(nowWith(more), Date.parse(at))).toMatchObject({ says });
  expect(verdictOf(nowWith(more), Date.parse(at)).until).toBe(instant);
});

test('a start is marked as frozen only within the freeze', () => {
  const now = nowWith({ switches: [{ ...freeze, until: '2026-12-05T22:00:00Z' }] });

  expect([starts.next, '2026-12-05T21:59:59Z'].map((instant) => isFrozenAt(now, instant))).toEqual([false, true]);
});

// One start stood in two panels, and nothing said that they were about the same request.
test('tried work belongs to the run whose request has no answer', () => {
  const doubted = { ...run, startCommandId: 'c1', inDoubtSince: at };

  expect([{ id: 'c1' }, { id: 'c2' }].map((pending) => isOf(pending, doubted))).toEqual([true, false]);
  expect(isOf({ id: 'c1' }, { ...run, startCommandId: 'c1' })).toBe(false);
});
