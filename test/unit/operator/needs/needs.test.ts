import { describe, expect, test } from 'vitest';
import { countedNeeds } from '#operator/finding.ts';
import { headlineOf } from '#operator/needs/read-stage-status.ts';
import { needsOf } from '#operator/needs/needs.ts';
import { pendingSentence } from '#operator/outcomes/pending-work.ts';
import { heldByGate } from '#operator/outcomes/pending-work.ts';
import type { AlarmReport } from '#operator/switches/alarm-holds.ts';
import type { RunReport } from '#operator/run-state/run-report.ts';
import type { ReadStatus } from '#operator/status/status.ts';
import type { SilenceReason } from '#shared/vocabulary/silence-reasons.ts';
import { calm } from '../calm-status.ts';

const at = calm.now;
const until = '2026-12-06T06:00:00.000Z';
test.each([
  ['2027-01-05T00:00:00.000Z', []],
  ['2026-12-26T00:00:00.000Z', ['days.ics ends within a month: no start is blocked after it']],
  ['2026-12-01T00:00:00.000Z', ['days.ics has ended: no start is blocked after it']],
])('a calendar file that says nothing after %s', (endsAt, expected) => {
  const needs = needsOf({ ...calm, calendars: [{ blackout: 'holidays', file: 'days.ics', endsAt }] });

  expect(needs.map(({ says }) => says)).toEqual(expected);
});

const run: RunReport = {
  run: 'nightly',
  campaignRunId: '0199',
  startId: 'c1',
  state: 'running',
  tone: 'good',
  says: 'runs since 19:00',
  startAt: '2026-12-05T19:00:00.000Z',
};
const stop = { says: 'Ask for the stop again.', command: ['autopilot', 'send', 'stop', '0199'] };
const late = {
  ...run,
  state: 'stop-due',
  tone: 'bad',
  says: 'its stop was due 19:30: late by 30 min',
  next: stop,
} as const;
const doubted = {
  ...run,
  run: 'smoke',
  state: 'unanswered',
  tone: 'warn',
  says: 'asked 19:50, no answer yet: it may run since 19:50',
} as const;
const failed = {
  ...run,
  startId: 'c0',
  state: 'failed',
  tone: 'bad',
  says: 'failed after 43 min',
  endedAt: at,
} as const;
const down = {
  state: 'closed',
  since: '2026-12-05T19:40:00.000Z',
  reason: 'GET was answered 503',
  until: '2026-12-05T20:05:00.000Z',
} as const;
const freeze = { scope: 'stage', name: 'stage', by: 'ann', reason: 'INC-77', at: '2026-12-05T17:00:00.000Z' } as const;
const hold: AlarmReport = {
  scope: 'alarm',
  name: 'chat-bot/target-5xx',
  by: 'alarm target-5xx',
  reason: 'it rings',
  at,
  campaign: 'chat-bot',
  alarm: 'target-5xx',
  isHeld: true,
  isFollowed: true,
  ringsSince: '2026-12-05T19:45:00.000Z',
};
const lifted = { ...hold, isHeld: false, by: 'ann', reason: 'INC-78' };
const dead = { name: 'uploads, dead letters', isDeadLetter: true, waiting: 2, inFlight: 0, delayed: 0 };
const parked = {
  id: 'p',
  kind: 'upload',
  subject: 'k',
  reason: 'CHECK_FAILED',
  since: at,
  nextStep: 'correct it',
} as const;

function silent(reason: SilenceReason, more: object = {}): NonNullable<ReadStatus['silent']>[number] {
  return { name: 'weeknights', run: 'nightly', missed: 2, since: at, last: at, reason, meaning: 'why', ...more };
}

/** Each as `subject`, with its cause if it has one. */
function told(more: Partial<ReadStatus>): readonly string[] {
  return needsOf({ ...calm, ...more }).map(({ subject, causedBy }) =>
    causedBy === undefined ? subject : `${subject} < ${causedBy}`,
  );
}

describe('what needs attention', () => {
  test('is nothing at a stage that is well', () => {
    expect(told({ runs: [{ ...run, stopsAt: until }] })).toEqual([]);
  });

  test('begins with what runs unseen, and ends with what will run out', () => {
    const needs = needsOf({
      ...calm,
      mode: 'observe',
      switches: [{ ...freeze, until }],
      parked: [parked],
      queues: [dead],
      runs: [doubted, late],
      inFlight: [doubted, late].map(({ says, startAt }) => ({ kind: 'run', subject: says, since: startAt })),
      ids: [{ run: 'nightly', left: 1, isLow: true }],
      budgets: [{ campaign: 'chat-bot', month: '2026-12', used: 9, startsPerMonth: 9 }],
    });

    expect(needs.map(({ state, subject, says }) => `${state} ${subject}: ${says}`)).toEqual([
      "problem nightly's stop: its stop was due 19:30: late by 30 min",
      'problem dead letters: 2 in uploads, dead letters',
      'problem parked: 1 item needs a decision: 1 CHECK_FAILED',
      'problem mode: the stage only observes, so no stop is sent: 2 runs that were started for real go on',
      "problem chat-bot's budget: 9 of 9 starts of 2026-12 are used: every further one is skipped (BUDGET)",
      "warning smoke's start: asked 19:50, no answer yet: it may run since 19:50",
      "warning nightly's ids: 1 id left",
      'warning freeze: FROZEN by ann: INC-77; no start of this stage is sent, but stops are',
    ]);
  });

  const unanswered = {
    id: 'c2',
    since: '2026-12-05T19:30:00.000Z',
    tries: 4,
    lastError: 'PATCH was answered 503',
    evidence: { httpStatus: 503 },
  };
  // "down for 20 min" stood beside "no answer for 30 min", and "ok: workers call the gateway" beside both.
  test.each<[string, Partial<ReadStatus>, string]>([
    ['down', { gate: down }, 'down for 30 min: GET was answered 503'],
    ['not yet', {}, 'no good answer for 30 min to 1 item: PATCH was answered 503'],
  ])('an outage has one duration, with a gate that is %s closed', (_what, status, says) => {
    const [need] = needsOf({ ...calm, ...status, pending: [unanswered] });

    const since = { says: 'since', at: unanswered.since };
    expect(need).toMatchObject({ subject: 'gateway connection', says, moments: expect.arrayContaining([since]) });
  });

  test.each([
    ['a minute ago', { since: '2026-12-05T19:59:00.000Z' }],
    ['to one request', { evidence: { httpStatus: 404 } }],
    ['without a request', { evidence: undefined, lastError: undefined }],
  ])('an answer %s is no outage', (_what, more) => {
    expect(told({ pending: [{ ...unanswered, ...more }] })).toEqual([]);
  });

  // "ok: workers call the gateway" stood beside an edge that refused them, and one edge was two problems.
  test.each<[string, Partial<ReadStatus>, readonly string[]]>([
    ['an open gate', {}, ['before the gateway (403)']],
    ['a closed gate', { gate: down }, ['before the gateway (403)', 'gateway connection < before the gateway (403)']],
  ])('an edge that refuses is one problem, with %s', (_what, status, expected) => {
    const evidence = { httpStatus: 403, errorCode: 'BAD_STATUS', speaker: 'edge' } as const;

    expect(told({ ...status, pending: [{ ...unanswered, evidence }] })).toEqual(expected);
  });

  // One gateway that was down was counted as five to seven problems.
  test('counts one cause once, whatever follows from it', () => {
    const status = { ...calm, gate: down, runs: [late, doubted], silent: [silent('MISSED_WINDOW')] };

    expect(told(status)).toEqual([
      'gateway connection',
      "nightly's stop < gateway connection",
      "smoke's start < gateway connection",
      "weeknights's starts < gateway connection",
    ]);
    expect(countedNeeds(needsOf(status))).toEqual({ problems: 1, warnings: 0 });
  });

  test.each<[string, Partial<ReadStatus>, string]>([
    ['the freeze', { switches: [freeze], silent: [silent('FROZEN')] }, 'freeze'],
    ['observing', { mode: 'observe', silent: [silent('OBSERVED')] }, 'mode'],
    ['no id', { ids: [{ run: 'nightly', left: 0, isLow: true }], silent: [silent('NO_RUN_LEFT')] }, "nightly's ids"],
    [
      'a budget',
      {
        budgets: [{ campaign: 'chat-bot', month: '2026-12', used: 9, startsPerMonth: 9 }],
        silent: [silent('BUDGET', { campaign: 'chat-bot' })],
      },
      "chat-bot's budget",
    ],
    ['what is parked', { parked: [{ ...parked, reason: 'CONFIG' }], silent: [silent('CONFIG')] }, 'parked'],
    [
      'a disabled schedule',
      {
        silent: [silent('DISABLED')],
        schedules: [{ name: 'weeknights', expression: 'rate(1 day)', timezone: 'UTC', isEnabled: false }],
      },
      'schedule weeknights',
    ],
  ])('a schedule that starts nothing names its cause: %s', (_what, status, cause) => {
    expect(told(status)).toContain(`weeknights's starts < ${cause}`);
  });

  test.each<[string, Partial<ReadStatus>]>([
    ['a gateway that is down', { gate: down, silent: [silent('MISSED_WINDOW', { endedAt: freeze.at })] }],
    [
      'the budget of another month',
      {
        budgets: [{ campaign: 'chat-bot', month: '2026-12', used: 0, startsPerMonth: 9 }],
        silent: [silent('BUDGET', { campaign: 'chat-bot' })],
      },
    ],
    ['ids that came since', { silent: [silent('NO_RUN_LEFT')] }],
  ])('%s did not keep the starts before it', (_what, status) => {
    expect(told(status)).toContain("weeknights's starts");
  });

  test('parked starts follow from the run that has no id, and other parked work does not', () => {
    const ids = [{ run: 'nightly', left: 0, isLow: true }];
    const start = { ...parked, kind: 'command', action: 'start', run: 'nightly', reason: 'NO_RUN_LEFT' } as const;

    expect(told({ ids, parked: [start] })).toEqual(["nightly's ids", "parked < nightly's ids"]);
    expect(told({ ids, parked: [start, parked] })).toEqual(['parked', "nightly's ids"]);
  });

  test.each([
    [4, 'warning'],
    [0, 'problem'],
  ])('a pool of which no run is made says since when, with %i ready', (left, state) => {
    const failing = { since: until, says: 'Not enough permissions' };

    const [need] = needsOf({
      ...calm,
      ids: [{ run: 'nightly', left, isLow: true, pool: { keepReady: 12, begins: '2028-11-19T22:00:00Z', failing } }],
    });

    expect(need).toMatchObject({ state, next: { command: ['autopilot', 'runbook', 'RunPoolNotFilled'] } });
    expect(need?.moments).toEqual([
      { says: 'none is made since', at: until },
      { says: 'unused ones begin from', at: '2028-11-19T22:00:00Z' },
    ]);
  });

  // A new stage said in its first minute that runs are to be made manually.
  test('a pool that fills needs nothing', () => {
    expect(told({ ids: [{ run: 'nightly', left: 3, isLow: true, pool: { keepReady: 12 } }] })).toEqual([]);
  });

  // The CLI said `send stop ID`, the console `stop --all-in-flight`.
  test('the next step of a run is what its state says; a stage that observes sends no stop', () => {
    expect(needsOf({ ...calm, runs: [late] })[0]?.next).toEqual(stop);
    expect(needsOf({ ...calm, mode: 'observe', runs: [late] })[0]?.next?.says).toMatch(/^Stop it at the gateway/);
  });

  const past = { ...run, campaign: 'chat-bot', overrode: ['alarm'] } as const;
  const why = ['--reason', 'alarm target-5xx rings'];
  test.each<[string, AlarmReport, ReadStatus['runs'], readonly string[]]>([
    ['a hold', hold, [], ['runbook', 'HELD_BY_ALARM']],
    ['a hold that a run overrode', hold, [past, { ...run, campaign: 'chat-bot' }], ['send', 'stop', 'nightly', ...why]],
    ['a hold that two runs overrode', hold, [past, { ...past, run: 'smoke' }], ['stop', '--all-in-flight', ...why]],
    ['a hold whose run is being stopped', hold, [{ ...past, state: 'stopping' }], ['runbook', 'HELD_BY_ALARM']],
    ['a hold of an alarm of old', { ...hold, isFollowed: false }, [], ['resume', 'alarm', 'chat-bot/target-5xx']],
    ['a lifted hold', lifted, [{ ...past, campaign: 'other' }], ['pause', 'campaign', 'chat-bot', ...why]],
    ['a lifted hold, and a run', lifted, [{ ...past, overrode: undefined }], ['send', 'stop', 'nightly', ...why]],
  ])('%s says since when its alarm rings, and what helps now', (_what, one, runs, command) => {
    const [need] = needsOf({ ...calm, alarms: [one], runs });

    expect(need).toMatchObject({
      subject: 'alarm chat-bot/target-5xx',
      state: 'problem',
      moments: [one.isFollowed ? { says: 'rings since', at: one.ringsSince } : { says: 'since', at }],
      next: { command: ['autopilot', ...command] },
    });
  });

  test('a start that is parked is decided there', () => {
    const unseen = { ...failed, state: 'may-have-run' } as const;
    expect(told({ runs: [unseen], parked: [{ ...parked, subject: unseen.startId }] })).toEqual(['parked']);
  });
});

const schedule = { name: 'weeknights', expression: 'cron(0 22 * * ? *)', timezone: 'UTC', isEnabled: true } as const;
const starts = { ...schedule, action: 'start', run: 'nightly', next: '2026-12-05T22:00:00.000Z' } as const;

/** `good: Quiet until 22:00`. */
function headline(more: Partial<ReadStatus>): string {
  const status = { ...calm, ...more };
  const { says, until: end, tone } = headlineOf(status, needsOf(status));
  return `${tone}: ${[says, end?.slice(11, 16)].filter(Boolean).join(' ')}`;
}

const stopSent = { ...starts, action: 'stop', next: at } as const;
const [byEight, bySix] = [
  { ...run, stopsAt: '2026-12-06T08:00:00.000Z' },
  { ...run, run: 'smoke', stopsAt: until },
];

test.each<[string, Partial<ReadStatus>, string]>([
  ['nothing is scheduled', {}, 'good: Quiet: no start is scheduled'],
  ['a start is scheduled', { schedules: [stopSent, starts] }, 'good: Quiet until 22:00'],
  ['something is parked', { parked: [parked], schedules: [starts] }, 'warn: Quiet until 22:00'],
  ['it is frozen', { switches: [{ ...freeze, until }], schedules: [starts] }, 'warn: Frozen until 06:00'],
  [
    'the next start is skipped',
    { schedules: [{ ...starts, skipped: 'PAUSED' }] },
    'warn: Nothing starts: the next start of each schedule is skipped',
  ],
  // It was "Quiet until".
  [
    'a start is refused before the gateway',
    {
      runs: [{ ...run, state: 'waiting', tone: 'warn', says: 'asked 19:50, answered 403; waits' }],
      schedules: [starts],
    },
    'warn: nightly: asked 19:50, answered 403; waits',
  ],
  ['it only observes', { mode: 'observe', schedules: [starts] }, 'warn: The stage only observes: nothing starts'],
  ['an alarm rings', { alarms: [hold], schedules: [starts] }, 'bad: The alarm target-5xx holds chat-bot'],
  [
    'the hold of an alarm that rings is lifted',
    { alarms: [lifted], schedules: [starts] },
    'bad: The alarm target-5xx rings; the operator lifted its hold of chat-bot',
  ],
  ['it is frozen without an end', { switches: [freeze] }, 'warn: Frozen until you thaw it'],
  ['the gateway is down', { gate: down }, 'bad: Nothing runs, and nothing can start: the gateway connection is down'],
  ['a run is in flight', { runs: [run] }, 'good: nightly: runs since 19:00'],
  ['its run goes on too long', { runs: [byEight, late] }, 'bad: nightly: its stop was due 19:30: late by 30 min'],
  ['it only observes a run', { runs: [{ ...run, state: 'observed' }] }, 'good: Quiet: no start is scheduled'],
  ['a start has no answer', { runs: [doubted] }, 'warn: smoke: asked 19:50, no answer yet: it may run since 19:50'],
  // It was green, and no stop could be sent.
  [
    'a run is in flight and the gateway is down',
    { gate: down, runs: [run] },
    'bad: nightly: runs since 19:00; no stop can be sent: the gateway connection is down',
  ],
  ['two run', { runs: [byEight, bySix] }, 'good: nightly, smoke run; the first stops at 06:00'],
  [
    'the night had one that failed, and that was decided about',
    {
      runs: [
        { ...run, state: 'complete', score: 87, endedAt: at },
        { ...failed, run: 'smoke' },
      ],
      schedules: [starts],
    },
    'good: Last night: 2 runs: 1 failed, 1 complete (score 87). Quiet until 22:00',
  ],
])('the headline, if %s', (_what, more, expected) => {
  expect(headline(more)).toBe(expected);
});

// It said "next try 48 min ago".
test('what a gateway that is down holds is tried again at its next probe', () => {
  const pending = {
    id: 'datasets/a.csv',
    since: at,
    tries: 1,
    lastError: '503',
    nextTryAt: '2026-12-05T19:12:00.000Z',
  };

  expect(heldByGate(pending, down).nextTryAt).toBe(down.until);
  expect(heldByGate({ ...pending, nextTryAt: until }, down).nextTryAt).toBe(until);
  expect(pendingSentence(heldByGate(pending, { state: 'open' }))).toContain(pending.nextTryAt);
});
