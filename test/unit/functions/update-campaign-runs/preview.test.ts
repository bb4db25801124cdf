import { describe, expect, test } from 'vitest';
import type { Outlook } from '../../../../functions/update-campaign-runs/preview-outlook.ts';
import { previewCommands } from '../../../../functions/update-campaign-runs/preview.ts';
import type { RunPolicy } from '../../../../functions/update-campaign-runs/run-policy.ts';
import type { ResolvedRun } from '../../../../shared/config/resolved-automation.ts';
import { ledgerKeys, type RunItem, type SwitchItem } from '../../../../shared/ledger/items.ts';
import type { CampaignRunCommand } from '../../../../shared/messages/campaign-run-command.ts';

const [first, second, third] = [1, 2, 3].map((number) => `019ba000-0000-7000-8000-00000000000${number}`) as [
  string,
  string,
  string,
];
const endOfPlan = new Date('2026-12-01T00:00:00.000Z');

/** A run with ids for three nights, stopped after eight hours. */
const nightlyRun: ResolvedRun = {
  name: 'nightly',
  campaign: 'chat-bot',
  pool: { kind: 'list', campaignRunIds: [first, second, third] },
  guards: { target: 'chat-bot', overlap: 'skip', longestRun: 'PT8H' },
};

const nightly: RunPolicy = {
  run: nightlyRun,
  campaign: 'chat-bot',
  guards: nightlyRun.guards,
  stopAfter: 'PT8H',
  inFlightFor: 'PT8H',
  nameTemplate: 'nightly {date}',
};

const gateway: Outlook['config']['gateway'] = {
  baseUrl: 'https://gateway.example.com',
  status: { start: 'running', stop: 'stopped' },
  requestsPerSecond: { datasets: 1, runs: 1, reads: 1 },
  alreadyInState: [],
  startsRepeatSafely: false,
  postMayRepeatOn: [],
};

function outlook(
  more: Partial<Outlook> & { policy?: Partial<RunPolicy>; blackouts?: Outlook['config']['blackouts'] } = {},
): Outlook {
  const { policy, blackouts = [], ...rest } = more;
  return {
    config: { mode: 'act', timezone: 'Europe/Dublin', gateway, blackouts, runs: { nightly: nightlyRun } },
    switches: [],
    guards: new Map(),
    bindings: new Map(),
    runsInFlight: [],
    deferred: [],
    campaigns: new Map(),
    policyOf: () => ({ ...nightly, ...policy }),
    ...rest,
  };
}

function start(issuedAt: string, more: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  return {
    version: 1,
    id: `weeknights@${issuedAt}`,
    action: 'start',
    run: 'nightly',
    issuedAt,
    origin: { kind: 'schedule', name: 'weeknights' },
    ...more,
  };
}

const night = (day: number, time = '22:00') => `2026-11-${day}T${time}:00.000Z`;

const yearEnd = (starts: 'skip' | 'defer', from: string, to: string): Outlook['config']['blackouts'] => [
  { name: 'year-end', starts, window: { kind: 'once', from, to } },
];

/** One line each: `20T22:00 start applied`. */
const told = (previewed: ReturnType<typeof previewCommands>) =>
  previewed.map(({ at, action, outcome, reason }) => [at.slice(8, 16), action, outcome, reason ?? ''].join(' ').trim());

/** A switch that is on. */
const on = (scope: SwitchItem['scope'], name: string): SwitchItem => ({
  pk: ledgerKeys.switch(scope, name),
  kind: 'switch',
  scope,
  name,
  isOn: true,
  by: 'ann',
  reason: 'INC-77',
  at: night(20),
});

/** What becomes of one start while these are on. */
const under = (...switches: SwitchItem[]) =>
  told(previewCommands([start(night(21))], outlook({ switches }), new Date(night(21, '23:00'))));

describe('a preview', () => {
  test('shows the exact request of a start, the stop that it plans, and the ids that are left', () => {
    const previewed = previewCommands([start(night(20), { startDelay: 'PT15M' })], outlook(), endOfPlan);

    expect(previewed).toMatchObject([
      {
        at: night(20),
        outcome: 'applied',
        requests: [
          {
            method: 'PATCH',
            path: `/backend/v1/campaign-runs/${first}`,
            body: { status: 'running', startAt: night(20, '22:15'), name: 'nightly 2026-11-20' },
          },
        ],
        stopDueAt: night(21, '06:15'),
        idsLeft: 2,
      },
      {
        at: night(21, '06:15'),
        action: 'stop',
        origin: { kind: 'watcher' },
        requests: [{ path: `/backend/v1/campaign-runs/${first}`, body: { status: 'stopped' } }],
      },
    ]);
  });

  test('takes one id per start, and the start that finds none left is parked', () => {
    const nights = [20, 21, 22, 23].map((day) => start(night(day)));

    const previewed = previewCommands(nights, outlook(), new Date(night(23, '23:00')));

    expect(told(previewed).filter((line) => line.includes('start'))).toEqual([
      '20T22:00 start applied',
      '21T22:00 start applied',
      '22T22:00 start applied',
      '23T22:00 start parked NO_RUN_LEFT',
    ]);
    expect(previewed.filter(({ action }) => action === 'start').map(({ idsLeft }) => idsLeft)).toEqual([2, 1, 0, 0]);
  });

  test('knows of the overlap of two schedules: the second is skipped and takes no id, until the stop between them', () => {
    const commands = [start(night(20)), start(night(20, '23:00')), start(night(21, '06:30'))];

    const previewed = previewCommands(commands, outlook(), new Date(night(21, '07:00')));

    expect(told(previewed)).toEqual([
      '20T22:00 start applied',
      '20T23:00 start skipped OVERLAP',
      '21T06:00 stop applied',
      '21T06:30 start applied',
    ]);
    expect(previewed[1]?.verdicts).toContainEqual(
      expect.objectContaining({ guard: 'overlap', verdict: 'skip', detail: expect.stringContaining(first) }),
    );
    expect(previewed[1]?.requests).toEqual([]);
    expect(previewed[3]).toMatchObject({ idsLeft: 1 });
  });

  test('where the campaign stops the previous run, that stop is among the requests', () => {
    const commands = [start(night(20)), start(night(20, '23:00'))];

    const previewed = previewCommands(
      commands,
      outlook({ policy: { guards: { ...nightlyRun.guards, overlap: 'stop-previous' } } }),
      endOfPlan,
    );

    expect(told(previewed)).toEqual(['20T22:00 start applied', '20T23:00 start applied', '21T07:00 stop applied']);
    expect(previewed[1]?.requests).toMatchObject([
      { path: `/backend/v1/campaign-runs/${first}`, body: { status: 'stopped' } },
      { path: `/backend/v1/campaign-runs/${second}`, body: { status: 'running' } },
    ]);
  });

  test('counts the starts of the month in the zone of the stage, and the starts that are left', () => {
    const nights = [28, 29, 30].map((day) => start(night(day)));
    // In Dublin it is December already.
    const december = start('2026-12-01T00:30:00.000Z');
    const limited = outlook({
      policy: {
        guards: { ...nightlyRun.guards, startsPerMonth: 2 },
        stopAfter: 'PT30M',
        inFlightFor: 'PT30M',
      },
    });

    const previewed = previewCommands([...nights, december], limited, new Date('2026-12-02T00:00:00.000Z'));

    const starts = previewed.filter(({ action }) => action === 'start');
    expect(told(starts)).toEqual([
      '28T22:00 start applied',
      '29T22:00 start applied',
      '30T22:00 start skipped BUDGET',
      '01T00:30 start applied',
    ]);
    expect(starts.map(({ startsLeft }) => startsLeft)).toEqual([1, 0, undefined, 1]);
  });

  test('judges the gap by the last run at the gateway, and then by the starts that it has seen itself', () => {
    const campaigns = new Map([['chat-bot', { lastRunAt: night(20, '20:00') }]]);
    const gap = outlook({
      campaigns,
      policy: {
        guards: { ...nightlyRun.guards, minimumGap: 'PT12H' },
        stopAfter: 'PT1H',
        inFlightFor: 'PT1H',
      },
    });
    const commands = [
      start(night(20)),
      start(night(21, '08:00')),
      start(night(21, '19:59')),
      start(night(21, '20:00')),
    ];

    const previewed = previewCommands(commands, gap, new Date(night(21, '20:30')));

    expect(told(previewed.filter(({ action }) => action === 'start'))).toEqual([
      '20T22:00 start skipped MINIMUM_GAP',
      '21T08:00 start applied',
      '21T19:59 start skipped MINIMUM_GAP',
      '21T20:00 start applied',
    ]);
  });

  test('a freeze, and a pause of what asks, are taken to last; a pause of another campaign concerns nobody here', () => {
    expect(under(on('stage', 'stage'))).toEqual(['21T22:00 start skipped FROZEN']);
    expect(under(on('schedule', 'weeknights'))).toEqual(['21T22:00 start skipped PAUSED']);
    expect(under(on('campaign', 'another'), on('schedule', 'another'))).toEqual(['21T22:00 start applied']);
  });

  test('a blackout that skips, skips; one that defers brings the start again at its end, the newest of each run alone', () => {
    const evening = [start(night(20, '20:00')), start(night(20, '21:00'))];
    const until = new Date(night(21, '05:00'));
    const during = [night(20, '19:00'), night(21, '04:00')] as const;

    const skipped = previewCommands(evening, outlook({ blackouts: yearEnd('skip', ...during) }), until);
    const deferred = previewCommands(evening, outlook({ blackouts: yearEnd('defer', ...during) }), until);

    expect(told(skipped)).toEqual(['20T20:00 start skipped BLACKOUT', '20T21:00 start skipped BLACKOUT']);
    expect(told(deferred)).toEqual([
      '20T20:00 start deferred',
      '20T21:00 start deferred',
      '21T04:00 start superseded',
      '21T04:00 start applied',
    ]);
    expect(deferred[0]).toMatchObject({ until: night(21, '04:00'), detail: expect.stringContaining('year-end') });
    expect(deferred[3]).toMatchObject({ id: evening[1]?.id, idsLeft: 2 });
  });

  test('a stop by name frees the campaign, and the stop that was planned is not sent any more', () => {
    const byMorning = start(night(21, '05:00'), { id: 'by-morning', action: 'stop' });

    const commands = [start(night(20)), byMorning, start(night(21, '05:30'))];
    const previewed = previewCommands(commands, outlook(), new Date(night(21, '12:00')));

    expect(told(previewed)).toEqual(['20T22:00 start applied', '21T05:00 stop applied', '21T05:30 start applied']);
    expect(previewed[1]?.requests).toMatchObject([{ path: `/backend/v1/campaign-runs/${first}` }]);
  });

  test('stops what is in flight now in the word of its start, and that run blocks nobody from then on', () => {
    const run: RunItem = {
      pk: ledgerKeys.run(third),
      kind: 'run',
      campaignRunId: third,
      run: 'nightly',
      stopDue: { at: night(20, '23:00'), commandId: 'earlier', status: 'halted' },
    };
    const inFlight = { campaignRunId: third, commandId: 'earlier', since: night(20, '15:00'), until: night(21) };
    const guard = { pk: ledgerKeys.guard('chat-bot'), kind: 'guard', name: 'chat-bot', inFlight } as const;
    const now = outlook({ runsInFlight: [run], guards: new Map([['chat-bot', guard]]) });

    const previewed = previewCommands([start(night(20)), start(night(20, '23:30'))], now, new Date(night(21, '00:00')));

    expect(told(previewed)).toEqual([
      '20T22:00 start skipped OVERLAP',
      '20T23:00 stop applied',
      '20T23:30 start applied',
    ]);
    expect(previewed[1]).toMatchObject({ id: 'earlier', run: 'nightly', requests: [{ body: { status: 'halted' } }] });
  });

  test('a stop of what was never started has nothing to stop; a run that is not configured is parked', () => {
    const stop = start(night(20), { action: 'stop' });

    expect(told(previewCommands([stop], outlook(), endOfPlan))).toEqual(['20T22:00 stop skipped NOTHING_TO_STOP']);
    const unknown = outlook({ policyOf: () => 'no run is configured' });
    expect(previewCommands([start(night(21))], unknown, endOfPlan)).toMatchObject([
      { outcome: 'parked', reason: 'CONFIG', detail: 'no run is configured' },
    ]);
  });

  test('looks no further than it is asked to, and changes nothing that it was given', () => {
    const guards = new Map();
    const bindings = new Map();

    const previewed = previewCommands([start(night(20))], outlook({ guards, bindings }), new Date(night(21, '00:00')));

    expect(told(previewed)).toEqual(['20T22:00 start applied']);
    expect([guards.size, bindings.size]).toEqual([0, 0]);
  });
});
