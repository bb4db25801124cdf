import { describe, expect, test } from 'vitest';
import { guardsOfDoubt, judgeStart } from '#shared/guards/guards.ts';
import type { InTheWay, StartQuestion, StartTimes } from '#shared/guards/start-question.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import { countStart, newTargetRow, type TargetRow } from '#shared/ledger/rows/target-row.ts';
import { type GuardName, guardNames } from '#shared/vocabulary/reason-codes.ts';
import { inFlight } from '../../../builders/run-rows.ts';

const ten = '2026-11-20T22:00:00.000Z';
const at = (time: string) => new Date(`2026-11-20T${time}:00.000Z`);
const iso = (time: string) => at(time).toISOString();

/** A start that is due at ten, begins a minute later and is over at six. */
const times = (fields: Partial<StartTimes> = {}): StartTimes => ({
  due: at('22:00'),
  startAt: at('22:01'),
  endsAt: new Date('2026-11-21T06:00:00.000Z'),
  plansStop: true,
  ...fields,
});

/** A start at ten that nothing speaks against; a test states only what it is about. */
function question(fields: Partial<StartQuestion> = {}): StartQuestion {
  return {
    command: { id: 'weeknights@22', issuedAt: ten, validFor: 'PT30M' },
    campaign: 'chat-bot',
    guards: { target: 'chat-bot', overlap: 'skip' },
    target: undefined,
    inTheWay: [],
    switches: [],
    blackouts: [],
    timezone: 'Europe/Dublin',
    now: at('22:00'),
    times: times(),
    ...fields,
  };
}

const on = (scope: SwitchRow['scope'], name: string) => {
  const row = { pk: `switch#${scope}#${name}`, kind: 'switch', scope, name, isOn: true } as const;
  return { ...row, by: 'ann', reason: 'CHG-7', at: ten } satisfies SwitchRow;
};
const frozen = { switches: [on('stage', 'stage')] };

const blackout = (starts: 'skip' | 'defer', from: string, to: string, campaigns?: readonly string[]) =>
  ({
    name: `${starts} ${from}`,
    starts,
    ...(campaigns === undefined ? {} : { campaigns }),
    window: { kind: 'once', from: iso(from), to: iso(to) },
  }) satisfies ResolvedBlackout;

const under = (...one: Parameters<typeof blackout>) => ({ blackouts: [blackout(...one)] });

/** A run that began at nine and ends at midnight. */
function other(fields: Parameters<typeof inFlight>[0] = {}, more: Partial<InTheWay> = {}): InTheWay {
  const entry = inFlight({
    startId: 'earlier',
    due: iso('21:00'),
    endsAt: '2026-11-21T00:00:00.000Z',
    ...fields,
  });
  return { entry, isLater: false, isPlannedStopOver: false, isEndRefused: false, ...more };
}

/** A question of a start beside that run. */
const beside = (...run: Parameters<typeof other>) => ({ inTheWay: [other(...run)] });

const stopPrevious = { target: 'chat-bot', overlap: 'stop-previous' } as const;
const gap = { target: 'chat-bot', overlap: 'allow', minimumGap: 'PT1H' } as const;
const budget = { target: 'chat-bot', overlap: 'skip', startsPerMonth: 1 } as const;
const used = (startId: string, month = '2026-11'): TargetRow =>
  countStart(newTargetRow('chat-bot'), { month, campaign: 'chat-bot' }, startId, at('22:00'));

type Case = readonly [what: string, fields: Partial<StartQuestion>];

/** Starts by what is decided about them. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  pass: [
    ['that nothing is against passes', {}],
    ['passes a freeze whose end has passed', { switches: [{ ...on('stage', 'stage'), until: iso('21:59') }] }],
    ['is valid at the last instant', { now: at('22:30') }],
    ['is valid for an hour if it says nothing', { command: { id: 'a', issuedAt: ten }, now: at('22:59') }],
    ['that was deferred is valid from the end of its blackout', { deferredUntil: iso('23:00'), now: at('23:30') }],
    ['passes a blackout that is over when it begins', under('skip', '21:00', '22:01')],
    ['passes a blackout of another campaign', under('skip', '22:00', '23:00', ['other'])],
    ['passes a run if runs may overlap', { guards: { target: 'chat-bot', overlap: 'allow' }, ...beside() }],
    ['of a campaign that never ran passes its gap', { guards: gap, reading: {} }],
    ['of a campaign that never ran passes its gap, as a count says too', { guards: gap, reading: { runCount: 0 } }],
    ['passes at the end of the gap', { guards: gap, reading: { lastRunAt: iso('21:01') } }],
    [
      'passes an own start of another campaign',
      { guards: gap, reading: {}, ...beside({ due: iso('21:30'), campaign: 'other' }) },
    ],
    ['passes if it has its place in the month already', { guards: budget, target: used('weeknights@22') }],
    ['passes in a month of its own', { guards: budget, target: used('another', '2026-10') }],
  ],
  'skip FROZEN': [['is skipped while the stage is frozen', frozen]],
  'skip PAUSED': [
    ['is skipped while its campaign is paused', { switches: [on('campaign', 'chat-bot')] }],
    ['is skipped while its schedule is paused', { switches: [on('schedule', 'weeknights')] }],
  ],
  'skip HELD_BY_ALARM': [
    ['is skipped while an alarm holds its campaign', { switches: [on('alarm', 'chat-bot/target-5xx')] }],
  ],
  'skip MISSED_WINDOW': [
    ['is too late once its validity is over', { now: new Date(at('22:30').getTime() + 1) }],
    ['that would begin when its run is over is too late', { times: times({ endsAt: at('22:01') }) }],
  ],
  'skip BLACKOUT': [
    ['is skipped by a blackout that covers its begin', under('skip', '22:01', '23:00')],
    [
      'is skipped if one blackout skips and another defers',
      { blackouts: [blackout('defer', '22:00', '23:30'), blackout('skip', '22:00', '23:00')] },
    ],
  ],
  defer: [['is deferred by a blackout that defers', under('defer', '22:00', '23:00')]],
  'skip OVERLAP': [
    ['is skipped beside a run', beside()],
    ['does not wait for an end that is only counted', beside({ endsAt: iso('22:01'), plansStop: false })],
    [
      'does not wait for a planned stop that has its outcome',
      beside({ endsAt: iso('22:01') }, { isPlannedStopOver: true }),
    ],
    ['has no run ended whose start is later', { guards: stopPrevious, ...beside({}, { isLater: true }) }],
    [
      'has no run ended that the gateway refused to end',
      { guards: stopPrevious, ...beside({}, { isEndRefused: true }) },
    ],
  ],
  later: [
    ['waits for a run that ends before it begins', beside({ endsAt: iso('22:01') })],
    [
      'waits for a run that ends within a minute',
      { times: times({ startAt: at('22:00') }), ...beside({ endsAt: iso('22:01') }) },
    ],
    ['waits for another start in doubt', beside({ state: 'starting' })],
    ['waits for a run that is being ended', beside({ state: 'stopping' })],
    ['[E12] waits for a campaign that ran and shows no instant', { guards: gap, reading: { runCount: 3 } }],
    ['waits for a campaign that shows a last run and no instant', { guards: gap, reading: { lastRun: 'a' } }],
    [
      '[E11] waits for a campaign whose instant cannot be read',
      { guards: gap, reading: { oddLastRunAt: 'yesterday' } },
    ],
  ],
  'stop-first': [['has a run ended first', { guards: stopPrevious, ...beside() }]],
  'skip BUDGET': [
    [
      'has no run ended if its budget is used',
      { guards: { ...stopPrevious, startsPerMonth: 1 }, target: used('a'), ...beside() },
    ],
    ['is skipped once the starts of the month are used', { guards: budget, target: used('another') }],
  ],
  'skip MINIMUM_GAP': [
    [
      'has no run ended if its minimum gap is not over',
      { guards: { ...gap, ...stopPrevious }, reading: { lastRunAt: iso('21:30') }, ...beside() },
    ],
    ['is skipped within the gap', { guards: gap, reading: { lastRunAt: iso('21:30') } }],
    [
      'is skipped within the gap of an own start that is not shown',
      { guards: gap, reading: {}, ...beside({ due: iso('21:30') }) },
    ],
    ['is skipped within the gap before an own start', { guards: gap, reading: {}, ...beside({ due: iso('22:40') }) }],
    [
      'is skipped within the gap of an own start that was stopped',
      { guards: gap, reading: {}, target: { ...newTargetRow('chat-bot'), lastDue: { 'chat-bot': iso('21:30') } } },
    ],
  ],
};

function decided(fields: Partial<StartQuestion>): string {
  const judged = judgeStart(question(fields));
  return judged.kind === 'skip' ? `skip ${judged.reason}` : judged.kind;
}

describe.each(Object.entries(cases))('%s: a start', (expected, some) => {
  test.each(some)('%s', (_what, fields) => {
    expect(decided(fields)).toBe(expected);
  });
});

describe('a start', () => {
  test('in a freeze is asked all the same by every guard, and the freeze gives the reason', () => {
    const judged = judgeStart(question({ switches: [on('stage', 'stage')], guards: budget, target: used('a') }));

    expect(judged).toMatchObject({ kind: 'skip', reason: 'FROZEN', by: 'frozen' });
    expect(judged.verdicts.map(({ guard, verdict }) => `${guard} ${verdict}`)).toEqual([
      'frozen skip',
      'paused apply',
      'alarm apply',
      'validity apply',
      'blackout apply',
      'overlap apply',
      'gap apply',
      'budget skip',
    ]);
  });

  test('in doubt is asked by the guards that look at no other run', () => {
    expect(guardsOfDoubt.map(({ name }) => name)).toEqual(['frozen', 'paused', 'alarm', 'validity', 'blackout']);
  });
});

const overriding = (guards: readonly GuardName[]) => ({
  id: 'a',
  issuedAt: ten,
  validFor: 'PT30M',
  override: { guards: [...guards], reason: 'CHG-9' },
});

describe('an override', () => {
  const against: Partial<StartQuestion> = {
    switches: [on('stage', 'stage'), on('campaign', 'chat-bot'), on('alarm', 'chat-bot/target-5xx')],
    now: at('23:00'),
    ...under('skip', '22:00', '23:30'),
    inTheWay: [other()],
    guards: { ...budget, minimumGap: 'PT1H' },
    reading: { lastRunAt: iso('21:30') },
    target: used('another'),
  };

  test('of every guard lets a start pass, and says what each had against it', () => {
    const judged = judgeStart(question({ ...against, command: overriding(guardNames) }));

    expect(judged.kind).toBe('pass');
    expect(judged.verdicts.map(({ verdict }) => verdict)).toEqual(guardNames.map(() => 'overridden'));
  });

  test.each(guardNames)('of all but %s does not let it pass', (guard) => {
    const others = guardNames.filter((name) => name !== guard);

    expect(judgeStart(question({ ...against, command: overriding(others) }))).toMatchObject({
      kind: 'skip',
      by: guard,
    });
  });
});
