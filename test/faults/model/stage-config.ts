/**
 * The stage that the model runs: numbers as they are deployed, and a configuration with
 * every kind of run and rule.
 */
import type { RunsConfig } from '#functions/_runs/decide/state.ts';
import type { ResolvedDatasetRule, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { endedText, type GatewayKind } from '../../builders/run-model.ts';

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
  /** The campaign of runs can be read. @default it can */
  readonly isReadable?: false;
  /** Runs can be read. @default they cannot */
  readonly readsRuns?: true;
  /** The words of an ended run are in `alreadyInState.stop`. @default they are not */
  readonly knowsEnded?: true;
}

const byInstant = { starts: 'startAt' } as const;
const byWord = { starts: 'word, again' } as const;
const endsItself = { ...byInstant, runsForMs: 20 * 60_000 } as const;
const lateLastRun = { lastRunLagMs: 10 * 60_000 } as const;

/** The real one with what it may turn out to be, and those that start by a word. */
const gateways: Readonly<Record<string, ModelledGateway>> = {
  startAt: { kind: byInstant, startsRepeatSafely: true },
  'startAt, no campaign': { kind: byInstant, startsRepeatSafely: true, isReadable: false },
  'startAt, refuses what is over': { kind: { ...byInstant, lateStop: 409, lateStart: 422 }, startsRepeatSafely: true },
  'startAt, names what is over': {
    kind: { ...byInstant, lateStop: 'names status', lateStart: 'names startAt' },
    startsRepeatSafely: true,
    knowsEnded: true,
  },
  'startAt, its clock 90 s ahead': { kind: { ...byInstant, aheadMs: 90_000 }, startsRepeatSafely: true },
  'startAt, a late lastRun': { kind: { ...byInstant, ...lateLastRun, lateStart: 200 }, startsRepeatSafely: true },
  'startAt, runs end by themselves': {
    kind: { ...endsItself, lateStop: 422, lateStart: 200 },
    startsRepeatSafely: true,
  },
  'startAt, runs are read': { kind: byInstant, startsRepeatSafely: true, readsRuns: true },
  'startAt, runs end by themselves and are read': {
    kind: { ...endsItself, ...lateLastRun, lateStop: 409, aheadMs: 90_000 },
    startsRepeatSafely: true,
    readsRuns: true,
  },
  'a word': { kind: byWord, startsRepeatSafely: false },
  'a word, no campaign': { kind: byWord, startsRepeatSafely: false, isReadable: false },
  'a word, a late lastRun': { kind: { ...byWord, ...lateLastRun, lateStop: 409 }, startsRepeatSafely: false },
  'a word, runs are read': {
    kind: { ...byWord, runsForMs: 20 * 60_000 },
    startsRepeatSafely: false,
    readsRuns: true,
  },
  'a word that repeats safely': { kind: { starts: 'word', lateStop: 409 }, startsRepeatSafely: true },
};

/** Every name. */
export const gatewayNames = Object.keys(gateways);

/** @throws Error if the model has none of that name */
export function gatewayNamed(name: string): ModelledGateway {
  const found = gateways[name];
  if (found === undefined) throw new Error(`the model has no gateway ${name}`);
  return found;
}

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

/** What differs from one history to the next in the campaign of `nightly` and `smoke`. */
export interface CampaignSettings {
  /** @default 'skip' */
  readonly overlap?: ResolvedRun['guards']['overlap'];
  /** Of `smoke`; null: it plans none. @default 'PT30M' */
  readonly stopAfter?: string | null;
  readonly minimumGap?: string;
  readonly startsPerMonth?: number;
  readonly blackouts?: RunsConfig['blackouts'];
}

/** What a deployment changes of that campaign. */
export type Change = 'nothing' | 'its target' | 'a name' | 'ids';

/** The runs whose campaign can be read. */
export const readableRuns: ReadonlySet<string> = new Set([...runIds.nightly, ...runIds.smoke]);

/** What a stage is deployed with. */
export interface Deployed {
  readonly gateway: string;
  readonly campaign?: CampaignSettings;
}

function runsOf({ gateway, campaign = {} }: Deployed, change: Change): readonly ResolvedRun[] {
  const isReadable = gatewayNamed(gateway).isReadable !== false;
  const { overlap = 'skip', stopAfter = 'PT30M', minimumGap, startsPerMonth } = campaign;
  const target = change === 'its target' ? 'another' : 'chat-bot';
  const chatBot = {
    campaign: 'chat-bot',
    campaignId: isReadable ? uuid(99) : undefined,
    confirm: isReadable ? { within: 'PT30M' } : undefined,
    guards: { target, overlap, longestRun: 'PT1H', startsPerMonth, minimumGap: isReadable ? minimumGap : undefined },
  };
  const [nightly, smoke] = change === 'ids' ? [runIds.smoke, runIds.nightly] : [runIds.nightly, runIds.smoke];
  const beside = (name: 'solo' | 'many', longestRun: string): ResolvedRun => ({
    name,
    campaign: name,
    guards: { target: name, overlap: 'allow', longestRun },
    campaignRunIds: runIds[name],
  });
  return [
    {
      ...chatBot,
      name: change === 'a name' ? 'renamed' : 'nightly',
      campaignRunIds: nightly,
      stopAfter: 'PT2H',
      nameTemplate: 'nightly {date}',
    },
    { ...chatBot, name: 'smoke', campaignRunIds: smoke, stopAfter: stopAfter ?? undefined },
    beside('solo', 'PT1H'),
    beside('many', 'PT8H'),
  ];
}

/** What update-campaign-runs gets. */
export function runsConfigOf(deployed: Deployed, change: Change = 'nothing'): RunsConfig {
  const { kind, startsRepeatSafely, readsRuns, knowsEnded } = gatewayNamed(deployed.gateway);
  return {
    stage: 'model',
    mode: 'act',
    timezone: 'Europe/Dublin',
    blackouts: deployed.campaign?.blackouts ?? [],
    gateway: {
      baseUrl: 'http://127.0.0.1:1',
      status: { start: kind.starts === 'startAt' ? undefined : 'running', stop: 'cancelled' },
      startLead: 'PT1M',
      requestsPerSecond: { datasets: datasetsPerSecond * 2, runs: runsPerSecond * 2, reads: 1 },
      postMayRepeatOn: [],
      alreadyInState: { start: [], stop: knowsEnded === true ? [endedText] : [] },
      startsRepeatSafely,
      readsRuns,
    },
    runs: Object.fromEntries(runsOf(deployed, change).map((run) => [run.name, run])),
    schedules: [],
    runIdsLow: 0,
    requestsPerSecond: runsPerSecond,
    readsPerSecond,
  };
}

function uuid(number: number): string {
  return `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}
