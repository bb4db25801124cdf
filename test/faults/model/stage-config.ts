/**
 * The stage that the model runs: the numbers of design.md section 12, and a configuration with
 * every kind of run and rule.
 */
import type {
  ConfigPart,
  ResolvedDatasetRule,
  ResolvedRun,
  WatchedCampaign,
} from '#shared/config/resolve/resolved-automation.ts';

/** The bucket that is ours. */
export const bucket = 'uploads';

/** Of one process. */
export const datasetsPerSecond = 2;
const runsPerSecond = 0.5;

/** How the functions are deployed, and how far their clocks may be off. */
export const processes = {
  // F8: no upload is made twice by a clock that is five minutes off.
  uploads: { name: 'register-datasets', batchSize: 10, concurrency: 2, timeoutMs: 120_000, mostSkewMs: 5 * 60_000 },
  // The in-doubt wait is judged by the clock of the next worker: it holds for clocks that agree to
  // a second, as Lambda's do.
  commands: { name: 'update-campaign-runs', batchSize: 1, concurrency: 2, timeoutMs: 30_000, mostSkewMs: 500 },
  deadLetters: { name: 'park-dead-letters', batchSize: 10, concurrency: 1, timeoutMs: 30_000, mostSkewMs: 500 },
} as const;

/**
 * What a function of 30 s allows one call of runs, and one call with its record
 * (update-campaign-runs/run-gateway.ts).
 */
export const runCallTimes = { totalMs: 12_000, budgetMs: 14_000 } as const;

const file = { maxBytes: 10_000_000 };

/** One rule for each way that an upload can go. */
export const datasetRules: readonly ResolvedDatasetRule[] = [
  {
    prefix: 'datasets/checked/',
    file,
    name: '{stem}-{versionId}',
    check: 'prompt-label-csv',
    announce: true,
    locked: ['fileId'],
    thenStart: 'smoke',
  },
  // Every version of the same bytes makes the same request.
  { prefix: 'datasets/same/', file, name: 'same', check: 'none', announce: false, locked: ['fileId'] },
  { prefix: 'datasets/', fileId: '{stem}-{versionId}', name: '{stem}', check: 'none', announce: false, locked: [] },
];

/**
 * Ids of runs: three of a list, one that starts again and again, one whose campaign cannot be read,
 * an unconfigured one.
 */
export const runIds = {
  nightly: [uuid(1), uuid(2), uuid(3), uuid(4)],
  smoke: uuid(10),
  solo: uuid(11),
  foreign: uuid(12),
} as const;

const chatBot = {
  campaign: 'chat-bot',
  campaignId: uuid(99),
  guards: { target: 'chat-bot', overlap: 'skip' },
} as const;

const runs: Readonly<Record<string, ResolvedRun>> = {
  nightly: {
    ...chatBot,
    name: 'nightly',
    pool: { kind: 'list', campaignRunIds: runIds.nightly },
    stopAfter: 'PT2H',
    nameTemplate: 'nightly {date}',
  },
  smoke: {
    ...chatBot,
    name: 'smoke',
    pool: { kind: 'repeat', campaignRunId: runIds.smoke },
    stopAfter: 'PT30M',
  },
  solo: {
    name: 'solo',
    campaign: 'solo',
    guards: { target: 'solo', overlap: 'allow', longestRun: 'PT1H' },
    pool: { kind: 'repeat', campaignRunId: runIds.solo },
  },
};

/** What update-campaign-runs gets. */
export const runsConfig: ConfigPart<'update-campaign-runs'> = {
  stage: 'model',
  mode: 'act',
  timezone: 'Europe/Dublin',
  blackouts: [],
  gateway: {
    baseUrl: 'http://127.0.0.1:1',
    status: { start: 'running', stop: 'stopped' },
    requestsPerSecond: { datasets: datasetsPerSecond * 2, runs: runsPerSecond * 2, reads: 1 },
    postMayRepeatOn: [],
    alreadyInState: ['already running', 'already stopped'],
    startsRepeatSafely: false,
  },
  runs,
  requestsPerSecond: runsPerSecond,
  readsPerSecond: runsPerSecond,
};

/** What watch-campaigns looks at. */
export const watchedCampaigns: readonly WatchedCampaign[] = [
  {
    campaignId: chatBot.campaignId,
    names: [chatBot.campaign],
    runs: ['nightly', 'smoke'],
    target: chatBot.guards.target,
  },
];

function uuid(number: number): string {
  return `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}
