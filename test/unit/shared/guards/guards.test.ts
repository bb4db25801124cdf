import { describe, expect, test } from 'vitest';
import { judgeStart, timeGuards } from '#shared/guards/guards.ts';
import type { StartQuestion } from '#shared/guards/start-question.ts';
import type { ResolvedGuards } from '#shared/config/resolve/resolved-automation.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import type { SwitchRow } from '#shared/ledger/switches.ts';
import { countStart, type GuardRow, newGuardRow, type Reservation } from '#shared/ledger/rows/guard-row.ts';
import { type GuardName, guardNames } from '#shared/vocabulary/reason-codes.ts';

const ten = '2026-11-20T22:00:00.000Z';
const at = (time: string) => new Date(`2026-11-20T${time}:00.000Z`);

/** The settings of a campaign's guards. */
const settings = (fields: Partial<ResolvedGuards> = {}): ResolvedGuards => ({
  target: 'chat-bot',
  overlap: 'skip',
  ...fields,
});

/** A start at ten that nothing speaks against; a test states only what it is about. */
function question(fields: Partial<StartQuestion> = {}): StartQuestion {
  return {
    command: { id: 'weeknights@22', issuedAt: ten, validFor: 'PT30M' },
    campaign: 'chat-bot',
    guards: settings(),
    campaignRunId: 'mine',
    guard: undefined,
    ending: [],
    noRoom: [],
    switches: [],
    blackouts: [],
    timezone: 'Europe/Dublin',
    now: new Date(ten),
    effectAt: new Date(ten),
    ...fields,
  };
}

const on = (scope: SwitchRow['scope'], name: string): SwitchRow => ({
  pk: `switch#${scope}#${name}`,
  kind: 'switch',
  scope,
  name,
  isOn: true,
  by: 'ann',
  reason: 'CHG-7',
  at: ten,
});

const blackout = (starts: 'skip' | 'defer', from: string, to: string, campaigns?: readonly string[]) =>
  ({
    name: `${starts} ${from}`,
    starts,
    ...(campaigns === undefined ? {} : { campaigns }),
    window: { kind: 'once', from: at(from).toISOString(), to: at(to).toISOString() },
  }) satisfies ResolvedBlackout;

const reservation = (fields: Partial<Reservation> = {}): Reservation => ({
  campaignRunId: 'other',
  startId: 'earlier',
  issuedAt: at('21:00').toISOString(),
  since: at('21:00').toISOString(),
  until: at('23:00').toISOString(),
  ...fields,
});

/** The campaign's row with these runs in flight. */
const inFlight = (...reservations: readonly Reservation[]): GuardRow => ({ ...newGuardRow('chat-bot'), reservations });

const used = (count: number, month = '2026-11') =>
  Array.from({ length: count }, (_, index) => `c${index}`).reduce(
    (row, id) => countStart(row, { month, campaign: 'chat-bot' }, id, new Date(ten)),
    inFlight(),
  );

const override = (...guards: readonly GuardName[]) => ({
  id: 'op',
  issuedAt: ten,
  override: { guards: [...guards], reason: 'CHG-9' },
});

/** The judgement in short: `pass`, a reason, until when it is put off, or what is stopped first. */
function decision(fields: Partial<StartQuestion>): string {
  const judged = judgeStart(question(fields));
  if (judged.kind === 'skip') return judged.reason;
  if (judged.kind === 'defer') return `until ${judged.until.slice(11, 16)}`;
  if (judged.kind === 'stop-first') return `stop ${judged.runs.map((one) => one.campaignRunId).join(' ')}`;
  return judged.kind;
}

const rows: readonly [what: string, fields: Partial<StartQuestion>, decided: string][] = [
  ['nothing speaks against it', {}, 'pass'],

  ['frozen: the stage is', { switches: [on('stage', 'stage')] }, 'FROZEN'],
  ['frozen: it was, and is no more', { switches: [{ ...on('stage', 'stage'), isOn: false }] }, 'pass'],
  [
    'frozen: until this instant',
    { switches: [{ ...on('stage', 'stage'), until: at('22:00').toISOString() }], now: at('22:00') },
    'pass',
  ],
  [
    'frozen: until a minute later',
    { switches: [{ ...on('stage', 'stage'), until: at('22:01').toISOString() }], now: at('22:00') },
    'FROZEN',
  ],
  [
    'paused: its schedule, and that has ended by itself',
    { switches: [{ ...on('schedule', 'weeknights'), until: at('21:00').toISOString() }] },
    'pass',
  ],
  ['paused: its campaign', { switches: [on('campaign', 'chat-bot')] }, 'PAUSED'],
  ['paused: its schedule', { switches: [on('schedule', 'weeknights')] }, 'PAUSED'],

  ['validity: its last instant', { now: at('22:30') }, 'pass'],
  ['validity: a minute later', { now: at('22:31') }, 'MISSED_WINDOW'],
  [
    'validity: counts from the end of what put it off',
    { now: at('23:20'), deferredUntil: at('23:00').toISOString() },
    'pass',
  ],
  ['validity: over after that', { now: at('23:31'), deferredUntil: at('23:00').toISOString() }, 'MISSED_WINDOW'],

  ['blackout: skips', { blackouts: [blackout('skip', '21:30', '22:30')] }, 'BLACKOUT'],
  ['blackout: its end is not in it', { blackouts: [blackout('skip', '21:00', '22:00')] }, 'pass'],
  ['blackout: puts off', { blackouts: [blackout('defer', '21:30', '22:30')] }, 'until 22:30'],
  ['blackout: of another campaign', { blackouts: [blackout('skip', '21:00', '23:00', ['other'])] }, 'pass'],
  [
    'blackout: one that skips before one that puts off',
    { blackouts: [blackout('defer', '21:00', '23:00'), blackout('skip', '21:30', '22:30')] },
    'BLACKOUT',
  ],
  [
    'blackout: only of a campaign, and the run is unconfigured',
    {
      campaign: undefined,
      guards: settings({ target: 'x' }),
      blackouts: [blackout('skip', '21:00', '23:00', ['chat-bot'])],
    },
    'pass',
  ],

  ['overlap: a run is in flight', { guard: inFlight(reservation()) }, 'OVERLAP'],
  ['overlap: its time is over', { guard: inFlight(reservation({ until: ten })) }, 'pass'],
  ['overlap: one of two is in flight', { guard: inFlight(reservation({ until: ten }), reservation()) }, 'OVERLAP'],
  [
    'overlap: reserved by an earlier attempt of its own',
    { guard: inFlight(reservation({ startId: 'weeknights@22' })) },
    'pass',
  ],
  ['overlap: allowed', { guards: settings({ overlap: 'allow' }), guard: inFlight(reservation()) }, 'pass'],
  [
    'overlap: allowed, and the same run is in flight: one id is one run',
    { guards: settings({ overlap: 'allow' }), guard: inFlight(reservation({ campaignRunId: 'mine' })) },
    'OVERLAP',
  ],
  [
    'overlap: its time is over, and its planned stop is not applied yet',
    { guard: inFlight(reservation({ until: ten, plannedStopAt: ten })) },
    'OVERLAP',
  ],
  [
    'overlap: the same, and the start waits for that stop',
    {
      guard: inFlight(reservation({ until: ten, plannedStopAt: ten })),
      ending: [reservation({ until: ten, plannedStopAt: ten })],
    },
    'pass',
  ],
  [
    'overlap: the run in flight is stopped first',
    { guards: settings({ overlap: 'stop-previous' }), guard: inFlight(reservation()) },
    'stop other',
  ],
  [
    'overlap: a run is not stopped if there is no room for that stop',
    {
      guards: settings({ overlap: 'stop-previous' }),
      guard: inFlight(reservation()),
      noRoom: [reservation()],
    },
    'OVERLAP',
  ],

  [
    'gap: ran too short a time ago',
    { guards: settings({ minimumGap: 'PT12H' }), reading: { lastRunAt: at('10:01').toISOString() } },
    'MINIMUM_GAP',
  ],
  [
    'gap: just long enough ago',
    { guards: settings({ minimumGap: 'PT12H' }), reading: { lastRunAt: at('10:00').toISOString() } },
    'pass',
  ],
  ['gap: never ran', { guards: settings({ minimumGap: 'PT12H' }), reading: { runCount: 0 } }, 'pass'],
  [
    'gap: ran, and shows no instant',
    { guards: settings({ minimumGap: 'PT12H' }), reading: { runCount: 7 } },
    'unreadable',
  ],
  ['gap: shows neither count nor instant', { guards: settings({ minimumGap: 'PT12H' }), reading: {} }, 'unreadable'],
  [
    'gap: shows no instant that can be read',
    { guards: settings({ minimumGap: 'PT12H' }), reading: { runCount: 0, oddLastRunAt: '20.11.2026' } },
    'unreadable',
  ],
  ['gap: no gap is configured', { reading: { lastRunAt: ten } }, 'pass'],

  ['budget: the last place', { guards: settings({ startsPerMonth: 3 }), guard: used(2) }, 'pass'],
  ['budget: used up', { guards: settings({ startsPerMonth: 3 }), guard: used(3) }, 'BUDGET'],
  ['budget: of another month', { guards: settings({ startsPerMonth: 3 }), guard: used(3, '2026-10') }, 'pass'],
  [
    'budget: its own place, reserved by an earlier attempt',
    { command: { id: 'c1', issuedAt: ten }, guards: settings({ startsPerMonth: 3 }), guard: used(3) },
    'pass',
  ],
  [
    'budget: months begin on the wall of the zone',
    {
      guards: settings({ startsPerMonth: 3 }),
      guard: used(3, '2026-12'),
      timezone: 'Pacific/Auckland',
      now: new Date('2026-11-30T12:00:00Z'),
      effectAt: new Date('2026-11-30T12:00:00Z'),
      command: { id: 'x', issuedAt: '2026-11-30T12:00:00Z' },
    },
    'BUDGET',
  ],
];

describe('a start', () => {
  test.each(rows)('%s', (_what, fields, decided) => {
    expect(decision(fields)).toBe(decided);
  });
});

/** Two guards that say no, or change what another looks at. */
const pairs: readonly [what: string, fields: Partial<StartQuestion>, decided: string][] = [
  [
    'a blackout that ends inside the validity, before the start is judged',
    { now: at('22:20'), effectAt: at('22:20'), blackouts: [blackout('skip', '21:00', '22:10')] },
    'pass',
  ],
  [
    'a delay that ends after the blackout',
    { effectAt: at('22:15'), blackouts: [blackout('skip', '21:00', '22:10')] },
    'pass',
  ],
  [
    'a delay that ends inside the blackout',
    { effectAt: at('22:15'), blackouts: [blackout('defer', '22:10', '22:40')] },
    'until 22:40',
  ],
  ['a delay beyond the end of the run in flight', { effectAt: at('23:00'), guard: inFlight(reservation()) }, 'pass'],
  [
    'the same if that run is the one to be started',
    { effectAt: at('23:00'), guard: inFlight(reservation({ campaignRunId: 'mine' })) },
    'OVERLAP',
  ],
  [
    'a delay into the next month',
    { effectAt: new Date('2026-12-01T00:05:00Z'), guards: settings({ startsPerMonth: 3 }), guard: used(3) },
    'pass',
  ],
  [
    'a delay until the gap is over',
    {
      effectAt: at('22:15'),
      guards: settings({ minimumGap: 'PT12H' }),
      reading: { lastRunAt: at('10:15').toISOString() },
    },
    'pass',
  ],
  [
    'frozen, and put off: it is not kept for later',
    { switches: [on('stage', 'stage')], blackouts: [blackout('defer', '21:30', '22:30')] },
    'FROZEN',
  ],
  ['late, and put off', { now: at('22:31'), blackouts: [blackout('defer', '21:30', '23:30')] }, 'MISSED_WINDOW'],
  [
    'put off, and a run is in flight now: it may be over by then',
    { blackouts: [blackout('defer', '21:30', '23:30')], guard: inFlight(reservation()) },
    'until 23:30',
  ],
  [
    'nothing is stopped for a start that the budget refuses',
    {
      guards: settings({ overlap: 'stop-previous', startsPerMonth: 3 }),
      guard: { ...used(3), reservations: [reservation()] },
    },
    'BUDGET',
  ],
  [
    'put off, and a run is in flight at the end too: it is judged again then',
    { blackouts: [blackout('defer', '21:30', '22:30')], guard: inFlight(reservation()) },
    'until 22:30',
  ],
  [
    'put off, and the campaign ran too short a time before the end',
    {
      blackouts: [blackout('defer', '21:30', '22:30')],
      guards: settings({ minimumGap: 'PT12H' }),
      reading: { lastRunAt: at('10:31').toISOString() },
    },
    'until 22:30',
  ],
  [
    'put off, and the budget of the month of its end is used up',
    {
      blackouts: [blackout('defer', '21:30', '22:30')],
      guards: settings({ startsPerMonth: 3 }),
      guard: used(3),
    },
    'until 22:30',
  ],
  [
    'put off, and paused: it is not kept for later',
    { switches: [on('campaign', 'chat-bot')], blackouts: [blackout('defer', '21:30', '22:30')] },
    'PAUSED',
  ],
  [
    'put off before, and by another blackout once more',
    {
      now: at('22:30'),
      effectAt: at('22:30'),
      deferredUntil: at('22:30').toISOString(),
      blackouts: [blackout('defer', '22:20', '23:30')],
    },
    'until 23:30',
  ],
  [
    'put off before, and one that skips covers the end',
    {
      now: at('22:30'),
      effectAt: at('22:30'),
      deferredUntil: at('22:30').toISOString(),
      blackouts: [blackout('skip', '22:20', '23:30')],
    },
    'BLACKOUT',
  ],
  ['two say no: the first gives the reason', { switches: [on('stage', 'stage')], now: at('23:00') }, 'FROZEN'],
];

describe('guards that meet', () => {
  test.each(pairs)('%s', (_what, fields, decided) => {
    expect(decision(fields)).toBe(decided);
  });

  test('each says what it has to say, whichever decides', () => {
    const { verdicts } = judgeStart(
      question({
        switches: [on('campaign', 'chat-bot')],
        guards: settings({ startsPerMonth: 1, minimumGap: 'PT12H' }),
        reading: { runCount: 0 },
        guard: used(1),
      }),
    );

    expect(verdicts.map(({ guard: name, verdict }) => `${name} ${verdict}`)).toEqual([
      'frozen apply',
      'paused skip',
      'validity apply',
      'blackout apply',
      'overlap apply',
      'gap apply',
      'budget skip',
    ]);
    expect(verdicts[1]?.detail).toBe('campaign chat-bot paused by ann since 2026-11-20T22:00:00.000Z: CHG-7');
    expect(verdicts[6]?.detail).toBe('1 of 1 starts of chat-bot in 2026-11 are used');
  });

  test('the minimum gap says nothing before the campaign is read', () => {
    const { kind, verdicts } = judgeStart(question({ guards: settings({ minimumGap: 'PT12H' }) }));

    expect(kind).toBe('pass');
    expect(verdicts.map(({ guard: name }) => name)).not.toContain('gap');
  });

  test.each([
    ['a run is in flight until before it', '23:30', { runCount: 0 }, []],
    ['a run is in flight until after it', '22:30', { runCount: 0 }, ['overlap skip']],
    ['the campaign ran long enough before it', '22:30', { lastRunAt: at('10:30').toISOString() }, ['overlap skip']],
    [
      'the campaign ran too short a time before it',
      '22:29',
      { lastRunAt: at('10:30').toISOString() },
      ['overlap skip', 'gap skip'],
    ],
  ])('what is put off carries what holds at its end: %s', (_what, end, reading, noes) => {
    const { verdicts } = judgeStart(
      question({
        blackouts: [blackout('defer', '21:30', end)],
        guards: settings({ minimumGap: 'PT12H' }),
        reading,
        guard: inFlight(reservation()),
      }),
    );

    const against = verdicts.filter(({ verdict }) => verdict !== 'apply').map((one) => `${one.guard} ${one.verdict}`);
    expect(against).toEqual(['blackout defer', ...noes]);
  });
});

describe('an override', () => {
  const everything: Partial<StartQuestion> = {
    switches: [on('stage', 'stage'), on('campaign', 'chat-bot')],
    now: new Date('2026-11-21T04:00:00.000Z'),
    effectAt: at('22:05'),
    blackouts: [blackout('defer', '21:00', '23:00')],
    guards: settings({ startsPerMonth: 1, minimumGap: 'PT12H' }),
    reading: { lastRunAt: at('21:59').toISOString() },
    guard: { ...used(1), reservations: [reservation({ until: '2026-11-21T06:00:00.000Z' })] },
  };

  test('of every guard starts whatever each of them says, and all of it is recorded', () => {
    const command = override(...guardNames);

    const judged = judgeStart(question({ ...everything, command }));

    expect(judged.kind).toBe('pass');
    expect(judged.verdicts.map(({ verdict }) => verdict)).toEqual(guardNames.map(() => 'overridden'));
    expect(judged.verdicts.filter(({ detail }) => detail === undefined)).toEqual([]);
  });

  test.each([
    ['FROZEN', 'frozen'],
    ['PAUSED', 'paused'],
    ['MISSED_WINDOW', 'validity'],
    ['until 23:00', 'blackout'],
    ['OVERLAP', 'overlap'],
    ['MINIMUM_GAP', 'gap'],
    ['BUDGET', 'budget'],
  ] as const)('of all but one leaves that one: %s', (decided, guard) => {
    const others = guardNames.filter((name) => name !== guard);

    expect(decision({ ...everything, command: override(...others) })).toBe(decided);
  });

  test('says nothing about a guard that has nothing against it', () => {
    const { verdicts } = judgeStart(question({ command: override('budget') }));

    expect(verdicts.map(({ verdict }) => verdict)).toEqual(guardNames.map(() => 'apply'));
  });

  test('of the overlap starts beside the run in flight, and stops nothing', () => {
    const fields = {
      guards: settings({ overlap: 'stop-previous' }),
      guard: inFlight(reservation()),
    };

    expect(decision({ ...fields, command: override('overlap') })).toBe('pass');
  });
});

describe('the guards of time', () => {
  test('refuse a start whatever the row of its run says', () => {
    const names = timeGuards.map(({ name }) => name);

    expect(names).toEqual(['frozen', 'paused', 'validity']);
    expect(judgeStart(question({ guard: inFlight(reservation()) }), timeGuards)).toMatchObject({ kind: 'pass' });
    expect(judgeStart(question({ now: at('22:31') }), timeGuards)).toMatchObject({ kind: 'skip' });
  });
});
