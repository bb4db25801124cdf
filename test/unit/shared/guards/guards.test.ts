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

/** A run that began at nine and ends at midnight. */
function other(fields: Parameters<typeof inFlight>[0] = {}, more: Partial<InTheWay> = {}): InTheWay {
  const entry = inFlight({
    startId: 'earlier',
    campaign: 'chat-bot',
    due: at('21:00').toISOString(),
    issuedAt: at('21:00').toISOString(),
    endsAt: '2026-11-21T00:00:00.000Z',
    ...fields,
  });
  return { entry, isLater: false, isPlannedStopOver: false, isEndRefused: false, ...more };
}

const stopPrevious = { target: 'chat-bot', overlap: 'stop-previous' } as const;
const gap = { target: 'chat-bot', overlap: 'allow', minimumGap: 'PT1H' } as const;
const budget = { target: 'chat-bot', overlap: 'skip', startsPerMonth: 1 } as const;
const used = (startId: string, month = '2026-11'): TargetRow =>
  countStart(newTargetRow('chat-bot'), { month, campaign: 'chat-bot' }, startId, at('22:00'));

type Case = readonly [what: string, fields: Partial<StartQuestion>, decided: string];

const cases: readonly Case[] = [
  ['that nothing is against passes', {}, 'pass'],
  ['is skipped while the stage is frozen', { switches: [on('stage', 'stage')] }, 'skip FROZEN'],
  [
    'passes a freeze that has ended by itself',
    { switches: [{ ...on('stage', 'stage'), until: at('21:59').toISOString() }] },
    'pass',
  ],
  ['is skipped while its campaign is paused', { switches: [on('campaign', 'chat-bot')] }, 'skip PAUSED'],
  [
    'is skipped while an alarm holds its campaign',
    { switches: [on('alarm', 'chat-bot/target-5xx')] },
    'skip HELD_BY_ALARM',
  ],
  ['is skipped while its schedule is paused', { switches: [on('schedule', 'weeknights')] }, 'skip PAUSED'],
  ['is valid at the last instant', { now: at('22:30') }, 'pass'],
  ['is too late after that', { now: new Date(at('22:30').getTime() + 1) }, 'skip MISSED_WINDOW'],
  ['is valid for an hour if it says nothing', { command: { id: 'a', issuedAt: ten }, now: at('22:59') }, 'pass'],
  [
    'that was deferred is valid from the end of its blackout',
    { deferredUntil: at('23:00').toISOString(), now: at('23:30') },
    'pass',
  ],
  [
    'that would begin when its run is over is too late',
    { times: times({ endsAt: at('22:01') }) },
    'skip MISSED_WINDOW',
  ],
  [
    'is skipped by a blackout that covers its begin',
    { blackouts: [blackout('skip', '22:01', '23:00')] },
    'skip BLACKOUT',
  ],
  ['passes a blackout that is over when it begins', { blackouts: [blackout('skip', '21:00', '22:01')] }, 'pass'],
  ['passes a blackout of another campaign', { blackouts: [blackout('skip', '22:00', '23:00', ['other'])] }, 'pass'],
  ['is deferred by a blackout that defers', { blackouts: [blackout('defer', '22:00', '23:00')] }, 'defer'],
  [
    'is skipped if one blackout skips and another defers',
    { blackouts: [blackout('defer', '22:00', '23:30'), blackout('skip', '22:00', '23:00')] },
    'skip BLACKOUT',
  ],
  ['is skipped beside a run', { inTheWay: [other()] }, 'skip OVERLAP'],
  [
    'passes a run if runs may overlap',
    { guards: { target: 'chat-bot', overlap: 'allow' }, inTheWay: [other()] },
    'pass',
  ],
  ['waits for a run that ends before it begins', { inTheWay: [other({ endsAt: at('22:01').toISOString() })] }, 'later'],
  [
    'waits for a run that ends within a minute',
    { times: times({ startAt: at('22:00') }), inTheWay: [other({ endsAt: at('22:01').toISOString() })] },
    'later',
  ],
  [
    'does not wait for an end that is only counted',
    { inTheWay: [other({ endsAt: at('22:01').toISOString(), plansStop: false })] },
    'skip OVERLAP',
  ],
  [
    'does not wait for a planned stop that has its outcome',
    { inTheWay: [other({ endsAt: at('22:01').toISOString() }, { isPlannedStopOver: true })] },
    'skip OVERLAP',
  ],
  ['waits for another start in doubt', { inTheWay: [other({ state: 'starting' })] }, 'later'],
  ['waits for a run that is being ended', { inTheWay: [other({ state: 'stopping' })] }, 'later'],
  ['has a run ended first', { guards: stopPrevious, inTheWay: [other()] }, 'stop-first'],
  [
    'has no run ended whose start is later',
    { guards: stopPrevious, inTheWay: [other({}, { isLater: true })] },
    'skip OVERLAP',
  ],
  [
    'has no run ended that the gateway refused to end',
    { guards: stopPrevious, inTheWay: [other({}, { isEndRefused: true })] },
    'skip OVERLAP',
  ],
  [
    'has no run ended if its budget is used',
    { guards: { ...stopPrevious, startsPerMonth: 1 }, target: used('a'), inTheWay: [other()] },
    'skip BUDGET',
  ],
  ['of a campaign that never ran passes its gap', { guards: gap, reading: {} }, 'pass'],
  [
    'of a campaign that never ran passes its gap, as a count says too',
    { guards: gap, reading: { runCount: 0 } },
    'pass',
  ],
  ['is skipped within the gap', { guards: gap, reading: { lastRunAt: at('21:30').toISOString() } }, 'skip MINIMUM_GAP'],
  ['passes at the end of the gap', { guards: gap, reading: { lastRunAt: at('21:01').toISOString() } }, 'pass'],
  [
    'is skipped within the gap of an own start that is not shown',
    { guards: gap, reading: {}, inTheWay: [other({ due: at('21:30').toISOString() })] },
    'skip MINIMUM_GAP',
  ],
  [
    'is skipped within the gap before an own start',
    { guards: gap, reading: {}, inTheWay: [other({ due: at('22:40').toISOString() })] },
    'skip MINIMUM_GAP',
  ],
  [
    'is skipped within the gap of an own start that was stopped',
    {
      guards: gap,
      reading: {},
      target: { ...newTargetRow('chat-bot'), lastDue: { 'chat-bot': at('21:30').toISOString() } },
    },
    'skip MINIMUM_GAP',
  ],
  [
    'passes an own start of another campaign',
    { guards: gap, reading: {}, inTheWay: [other({ due: at('21:30').toISOString(), campaign: 'other' })] },
    'pass',
  ],
  ['waits for a campaign that ran and shows no instant', { guards: gap, reading: { runCount: 3 } }, 'later'],
  ['waits for a campaign that shows a last run and no instant', { guards: gap, reading: { lastRun: 'a' } }, 'later'],
  [
    'waits for a campaign whose instant cannot be read',
    { guards: gap, reading: { oddLastRunAt: 'yesterday' } },
    'later',
  ],
  ['is skipped once the starts of the month are used', { guards: budget, target: used('another') }, 'skip BUDGET'],
  ['passes if it has its place in the month already', { guards: budget, target: used('weeknights@22') }, 'pass'],
  ['passes in a month of its own', { guards: budget, target: used('another', '2026-10') }, 'pass'],
];

function decided(fields: Partial<StartQuestion>): string {
  const judged = judgeStart(question(fields));
  return judged.kind === 'skip' ? `skip ${judged.reason}` : judged.kind;
}

describe('a start', () => {
  test.each(cases)('%s', (_what, fields, expected) => {
    expect(decided(fields)).toBe(expected);
  });

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

  test('has no verdict about its gap before its campaign is read', () => {
    const { verdicts } = judgeStart(question({ guards: gap }));

    expect(verdicts.map(({ guard }) => guard)).toEqual(guardNames.filter((name) => name !== 'gap'));
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
    blackouts: [blackout('skip', '22:00', '23:30')],
    inTheWay: [other()],
    guards: { ...budget, minimumGap: 'PT1H' },
    reading: { lastRunAt: at('21:30').toISOString() },
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
