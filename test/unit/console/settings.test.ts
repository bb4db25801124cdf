import { expect, test } from 'vitest';
import { type SettingsConfig, settingsTable } from '#console/routes/settings-words.ts';

const gateway = {
  baseUrl: 'https://gateway.example',
  status: { stop: 'cancelled' },
  startLead: 'PT1M',
  alreadyInState: { start: [], stop: [] },
  startsRepeatSafely: false,
  postMayRepeatOn: [],
};

// A person read PT8H, window.kind and window.expression.
test('a configuration is told in sentences, with lengths of time as people write them', () => {
  const config = {
    mode: 'observe',
    gateway: { ...gateway, requestsPerSecond: { datasets: 1, runs: 2, reads: 3 } },
    runs: {
      smoke: {
        name: 'smoke',
        campaign: 'chat-bot',
        project: 'chat-app',
        campaignRunIds: ['a'],
        stopAfter: 'PT6H',
        guards: { target: 'chat-bot', overlap: 'skip', minimumGap: 'PT90M', longestRun: 'PT12H', startsPerMonth: 31 },
        confirm: { within: 'PT30M' },
      },
    },
    blackouts: [
      {
        name: 'release',
        starts: 'skip',
        window: { kind: 'once', from: '2026-11-30T12:00:00.000Z', to: '2026-12-02T12:00:00.000Z' },
      },
      {
        name: 'backup',
        starts: 'defer',
        campaigns: ['chat-bot'],
        window: { kind: 'recurring', expression: 'cron(30 21 ? * WED *)', timezone: 'Europe/Dublin', lasts: 'PT1H' },
      },
    ],
    packageWatches: [
      {
        name: 'vendor',
        every: 'PT15M',
        expression: 'rate(15 minutes)',
        filters: { source: 'vendor' },
        onChange: [{ match: { kind: 'changed' }, start: 'smoke' }],
        settle: 'PT10M',
      },
    ],
    projectWatches: [
      { name: 'chat-app', project: 'p-1', expression: 'rate(6 hours)', onChange: [{ match: {}, start: 'smoke' }] },
      { name: 'other', project: 'p-2', expression: 'rate(1 day)', onChange: [], endpoints: { groupId: 'g' } },
    ],
    notify: {
      emails: ['soc@example.com'],
      webhooks: [{ name: 'chat', kind: 'slack' }],
      silentAfter: 2,
      silentAlso: ['blackouts'],
      runIdsLow: 14,
      also: [],
    },
    datasetRules: [
      {
        prefix: 'datasets/',
        name: '{file}',
        locked: [],
        announce: false,
        file: { maxBytes: 2_500_000 },
        check: 'prompt-label-csv',
        sidecar: { within: 'PT15M' },
        versions: 'latest',
        thenStart: 'smoke',
      },
    ],
  } as const satisfies SettingsConfig;

  expect(settingsTable(config).map(({ part, name, does }) => [part, name, does])).toEqual([
    ['Mode', 'observe', 'reads and judges everything, and sends nothing that changes the gateway'],
    ['Gateway', 'https://gateway.example', 'gets at most so many requests a second: datasets 1, runs 2, reads 3'],
    [
      'Runs',
      'smoke',
      'belongs to the campaign chat-bot, which attacks the project chat-app; each start uses one of 1 campaign run ids, then those that are bound; it is stopped after 6 h; without a stop it counts as in flight for 12 h; a start while another run of its target is in flight is skipped; starts are at least 1 h 30 min apart; at most 31 starts a month; its campaign is to show it within 30 min',
    ],
    ['Blackouts', 'release', 'skips every start; from 2026-11-30T12:00:00.000Z to 2026-12-02T12:00:00.000Z'],
    [
      'Blackouts',
      'backup',
      'defers starts of chat-bot until its end; begins at cron(30 21 ? * WED *) Europe/Dublin and lasts 1 h',
    ],
    [
      'Watches',
      'vendor',
      'lists the scanner packages every 15 minutes, of source vendor; a change with kind changed starts smoke; it waits 10 min for more changes before it starts a run',
    ],
    ['Watches', 'chat-app', 'reads the configuration of the project p-1 every 6 hours; any change starts smoke'],
    [
      'Watches',
      'other',
      'reads the configuration of the project p-2 every 1 day; a change is reported, and starts nothing; reports deprecated endpoints that are still in use, once a day',
    ],
    [
      'Upload rules',
      'datasets/',
      'registers files under it as datasets; each is sent itself, up to 2.5 MB; each is checked as prompt-label-csv; it waits for the description of a file for 15 min; only the latest version of a key is registered; then smoke is started',
    ],
    [
      'Notices',
      'notify',
      'mails go to soc@example.com; webhooks get notices: chat (slack); an alert after 2 occurrences without a start; an alert if a run has fewer than 14 unused ids; an occurrence in a blackout counts too',
    ],
  ]);
});

const day = (from: string, to: string) =>
  ({ name: 'holidays', starts: 'skip', window: { kind: 'once', from, to } }) as const;

test('a blackout of whole days is one line with each of its times', () => {
  expect(settingsTable({ blackouts: [day('a', 'b'), day('c', 'd')] })).toMatchObject([
    { part: 'Blackouts', name: 'holidays', does: 'skips every start; from a to b; from c to d' },
  ]);
});
