/**
 * The stage that the model runs: numbers as they are deployed, and a configuration with
 * every kind of run and rule.
 */
import type { ConfigPart, ResolvedDatasetRule, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { GatewayKind } from '../../builders/run-model.ts';

/** The bucket that is ours. */
export const bucket = 'uploads';

/** Of one process. */
export const datasetsPerSecond = 2;
export const runsPerSecond = 0.5;
export const readsPerSecond = 0.5;

/** How the functions are deployed, and how far their clocks may be off. */
export const processes = {
  // F8: no upload is made twice by a clock that is five minutes off.
  uploads: { name: 'register-datasets', batchSize: 10, concurrency: 2, timeoutMs: 120_000, mostSkewMs: 5 * 60_000 },
  // Two workers' clocks may differ by a minute.
  commands: { name: 'update-campaign-runs', batchSize: 1, concurrency: 2, timeoutMs: 30_000, mostSkewMs: 30_000 },
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

/** A gateway of the model, and what a user configures for it. */
interface ModelledGateway {
  readonly kind: GatewayKind;
  readonly startsRepeatSafely: boolean;
}

/** The real one with what it may turn out to be, and those that start by a word. */
export const gateways = {
  startAt: { kind: { starts: 'startAt' }, startsRepeatSafely: true },
  'startAt, refuses what is over': {
    kind: { starts: 'startAt', lateStop: 409, lateStart: 422 },
    startsRepeatSafely: true,
  },
  'startAt, runs end by themselves': {
    kind: { starts: 'startAt', lateStop: 422, lateStart: 200, runsForMs: 20 * 60_000 },
    startsRepeatSafely: true,
  },
  'a word': { kind: { starts: 'word, again' }, startsRepeatSafely: false },
  'a word that repeats safely': { kind: { starts: 'word', lateStop: 409 }, startsRepeatSafely: true },
} as const satisfies Record<string, ModelledGateway>;

export type GatewayName = keyof typeof gateways;

/** Every name. */
export const gatewayNames = Object.keys(gateways) as readonly GatewayName[];

/** So many ids of one run; the first of them has this number. */
function ids(first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, position) => uuid(first + position));
}

/** The ids of the runs: `nightly` and `smoke` share a target, `solo` overlaps, `many` has an id for each of a backlog. */
export const runIds = {
  nightly: ids(1000, 30),
  smoke: ids(2000, 12),
  solo: ids(3000, 4),
  many: ids(4000, 60),
} as const;

/** An id that no configuration knows. */
export const foreignId = uuid(5000);

type RunName = keyof typeof runIds;

const chatBot = {
  campaign: 'chat-bot',
  campaignId: uuid(99),
  guards: { target: 'chat-bot', overlap: 'skip' },
  confirm: { within: 'PT30M' },
} as const;

const runs: Readonly<Record<RunName, ResolvedRun>> = {
  nightly: {
    ...chatBot,
    name: 'nightly',
    campaignRunIds: runIds.nightly,
    stopAfter: 'PT2H',
    nameTemplate: 'nightly {date}',
  },
  smoke: { ...chatBot, name: 'smoke', campaignRunIds: runIds.smoke, stopAfter: 'PT30M' },
  solo: {
    name: 'solo',
    campaign: 'solo',
    guards: { target: 'solo', overlap: 'allow', longestRun: 'PT1H' },
    campaignRunIds: runIds.solo,
  },
  many: {
    name: 'many',
    campaign: 'many',
    guards: { target: 'many', overlap: 'allow', longestRun: 'PT8H' },
    campaignRunIds: runIds.many,
  },
};

/** The runs whose campaign can be read. */
export const readableRuns: ReadonlySet<string> = new Set([...runIds.nightly, ...runIds.smoke]);

/** What update-campaign-runs gets. */
export function runsConfigOf(gateway: GatewayName): ConfigPart<'update-campaign-runs'> {
  const { kind, startsRepeatSafely } = gateways[gateway];
  return {
    stage: 'model',
    mode: 'act',
    timezone: 'Europe/Dublin',
    blackouts: [],
    gateway: {
      baseUrl: 'http://127.0.0.1:1',
      status: { start: kind.starts === 'startAt' ? undefined : 'running', stop: 'cancelled' },
      startLead: 'PT1M',
      requestsPerSecond: { datasets: datasetsPerSecond * 2, runs: runsPerSecond * 2, reads: 1 },
      postMayRepeatOn: [],
      alreadyInState: { start: [], stop: [] },
      startsRepeatSafely,
    },
    runs,
    schedules: [],
    runIdsLow: 0,
    requestsPerSecond: runsPerSecond,
    readsPerSecond,
  };
}

function uuid(number: number): string {
  return `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}
