/**
 * What Autopilot does for you, per stage. This file works as it stands against the example gateway of `npx autopilot start`, whose ids it
 * names. Every mistake is reported at once, with its path, before anything is deployed: `npx autopilot synth --stage prod`.
 */
import { type AutomationDocument, defineAutomation, defineStages } from 'gateway-autopilot/config';

const providerIds = ['019ba000-0000-7000-8000-000000000a01']; // the model providers that the runs attack

/** What every stage shares. */
const automation: Omit<AutomationDocument, 'gateway'> = {
  timezone: 'Europe/Dublin',

  campaigns: {
    'chat-bot': {
      campaignId: '019ba000-0000-7000-8000-000000000201',
      project: 'chat-app',
      overlap: 'skip', // a start while a run is in flight is skipped
      runs: {
        // Its runs are made ahead at the gateway, since a run runs once. Its planned stop cancels it after eight hours, and the gateway keeps its data.
        nightly: { providerIds, stopAfter: '8 hours', name: 'nightly {date}', preserve: true },
      },
    },
    'chat-bot-smoke': {
      campaignId: '019ba000-0000-7000-8000-000000000202',
      overlap: 'skip',
      startsPerMonth: 60, // uploads and changes start it: without a budget one person who puts files could, 48 times a day
      runs: {
        // It ends automatically after 45 minutes. A score that is low, or that falls, is a finding: `autopilot scores smoke`.
        smoke: { providerIds, keepReady: 10, stopAfter: '2 hours', score: { atLeast: 80, mayFallBy: 5 } },
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
      makesRuns: true,
      requestsPerSecond: { datasets: 20, runs: 10, reads: 10 }, // its own machine: no other work waits for it
    },
  }),

  /** `npm run deploy -- --stage prod`, once the address and the ids are those of your gateway. */
  prod: defineAutomation({
    ...automation,
    gateway: {
      baseUrl: 'https://gateway.example.com',
      readsRuns: true, // it has GET /backend/v1/campaign-runs/{id}: each night says how it ended
      makesRuns: true, // and POST /backend/v1/campaign-schedules: the token must be allowed to make schedules
      requestsPerSecond: { datasets: 4, runs: 0.5, reads: 2 },
    },
    notify: { emails: ['soc@example.com'] }, // the people to wake
    // No person looks at the results then. Stops still go out.
    blackouts: [{ name: 'year-end', from: '2026-12-19T00:00', to: '2027-01-04T00:00' }],
  }),
});
