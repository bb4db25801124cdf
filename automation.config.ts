/**
 * What Autopilot does for you, per stage. This file works as it stands against the example gateway of `npx autopilot start`, whose ids it
 * names. Every mistake is reported at once, with its path, before anything is deployed: `npx autopilot synth --stage prod`.
 */
import { type AutomationDocument, defineAutomation, defineStages } from 'gateway-autopilot/config';

/**
 * Runs that are scheduled far ahead at the gateway. Each start takes the next one and moves it to tonight, since a run runs once.
 * `autopilot bind nightly ID…` adds more at any time.
 */
const nightlyRuns = [
  '019ba000-0000-7000-8000-000000000301',
  '019ba000-0000-7000-8000-000000000302',
  '019ba000-0000-7000-8000-000000000303',
  '019ba000-0000-7000-8000-000000000304',
  '019ba000-0000-7000-8000-000000000305',
  '019ba000-0000-7000-8000-000000000306',
  '019ba000-0000-7000-8000-000000000307',
  '019ba000-0000-7000-8000-000000000308',
  '019ba000-0000-7000-8000-000000000309',
  '019ba000-0000-7000-8000-000000000310',
  '019ba000-0000-7000-8000-000000000311',
  '019ba000-0000-7000-8000-000000000312',
  '019ba000-0000-7000-8000-000000000313',
  '019ba000-0000-7000-8000-000000000314',
  '019ba000-0000-7000-8000-000000000315',
  '019ba000-0000-7000-8000-000000000316',
];

/** The same for the short test after a change. */
const smokeRuns = [
  '019ba000-0000-7000-8000-000000000401',
  '019ba000-0000-7000-8000-000000000402',
  '019ba000-0000-7000-8000-000000000403',
  '019ba000-0000-7000-8000-000000000404',
  '019ba000-0000-7000-8000-000000000405',
  '019ba000-0000-7000-8000-000000000406',
  '019ba000-0000-7000-8000-000000000407',
  '019ba000-0000-7000-8000-000000000408',
  '019ba000-0000-7000-8000-000000000409',
  '019ba000-0000-7000-8000-000000000410',
  '019ba000-0000-7000-8000-000000000411',
  '019ba000-0000-7000-8000-000000000412',
  '019ba000-0000-7000-8000-000000000413',
  '019ba000-0000-7000-8000-000000000414',
  '019ba000-0000-7000-8000-000000000415',
  '019ba000-0000-7000-8000-000000000416',
];

/** What every stage shares. */
const automation: Omit<AutomationDocument, 'gateway'> = {
  timezone: 'Europe/Dublin',

  campaigns: {
    'chat-bot': {
      campaignId: '019ba000-0000-7000-8000-000000000201',
      project: 'chat-app',
      overlap: 'skip', // a start while a run is in flight is skipped
      runs: {
        // Its planned stop cancels it after eight hours. The gateway keeps the data of a night.
        nightly: { campaignRunIds: nightlyRuns, stopAfter: '8 hours', name: 'nightly {date}', preserve: true },
      },
    },
    'chat-bot-smoke': {
      campaignId: '019ba000-0000-7000-8000-000000000202',
      overlap: 'skip',
      startsPerMonth: 60, // uploads and changes start it: without a budget one person who puts files could, 48 times a day
      runs: {
        // It ends by itself after 45 minutes. A score that is low, or that falls, is a finding: `autopilot scores smoke`.
        smoke: { campaignRunIds: smokeRuns, stopAfter: '2 hours', score: { atLeast: 80, mayFallBy: 5 } },
      },
    },
  },

  schedules: [
    // At 21:45 the gateway is asked to start the run at 22:00: an outage of fifteen minutes does no
    // harm.
    {
      name: 'weeknights',
      start: 'nightly',
      at: 'cron(45 21 ? * MON-FRI *)',
      validFor: '30 minutes',
      startDelay: '15 minutes',
    },
    // After those nights only. It ends what still runs; if the run has ended, nothing is to be done.
    { name: 'by-morning', stop: 'nightly', at: 'cron(0 6 ? * TUE-SAT *)' },
  ],

  scannerPackages: [
    {
      name: 'vendor',
      every: '15 minutes',
      filters: { source: 'vendor' },
      // So that a change that you make is acted on by the next look. Leave it out where packages change in batches: starts then wait for quiet.
      settle: 'none',
      onChange: [{ match: { name: '*injection*' }, start: 'smoke' }],
    },
  ],

  // A new version of a scanner shows in the configuration of a project, and nowhere else. So does one that is switched off.
  projects: [
    {
      project: 'chat-app',
      every: '15 minutes',
      onChange: [
        { match: { field: 'scanners.*.version' }, start: 'smoke' },
        { match: { field: 'scanners.*.enabled' }, start: 'smoke' },
        { match: { field: 'scanners.*.blocking' }, start: 'smoke' },
      ],
      endpoints: { groupId: '019ba000-0000-7000-8000-000000000901' },
    },
  ],

  // The longest matching prefix decides. The file itself is sent: at this gateway that is how one becomes a dataset by one request.
  datasets: [
    {
      prefix: 'datasets/pii/',
      send: 'file',
      scannerId: '019ba000-0000-7000-8000-000000000701',
      scannerPackageId: '019ba000-0000-7000-8000-000000000601',
      scannerVersions: ['2026-02'],
      check: 'prompt-label-csv',
      thenStart: 'smoke',
    },
    // A file NAME.csv.dataset.json beside the upload says what it is, with the id of a file that the gateway has; of a file that is put
    // again, only what is there now counts.
    { prefix: 'datasets/described/', sidecar: 'required', versions: 'latest', check: 'prompt-label-csv' },
    {
      prefix: 'datasets/',
      send: 'file',
      scannerId: '019ba000-0000-7000-8000-000000000702',
      scannerPackageId: '019ba000-0000-7000-8000-000000000602',
      check: 'prompt-label-csv',
    },
  ],
};

export default defineStages({
  /** `npm start`: the embedded gateway. */
  local: defineAutomation({
    ...automation,
    gateway: {
      baseUrl: 'http://127.0.0.1:4010',
      readsRuns: true,
      requestsPerSecond: { datasets: 20, runs: 10, reads: 10 }, // its own machine: no other work waits for it
    },
  }),

  /** `npm run deploy -- --stage prod`, once the address and the ids are those of your gateway. */
  prod: defineAutomation({
    ...automation,
    gateway: {
      baseUrl: 'https://gateway.example.com',
      readsRuns: true, // it has GET /backend/v1/campaign-runs/{id}: each night says how it ended
      requestsPerSecond: { datasets: 4, runs: 0.5, reads: 2 },
    },
    notify: { emails: ['soc@example.com'] }, // the people to wake
    // No person looks at the results then. Stops still go out.
    blackouts: [{ name: 'year-end', from: '2026-12-19T00:00', to: '2027-01-04T00:00' }],
  }),
});
