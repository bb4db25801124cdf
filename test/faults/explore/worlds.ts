import type { RunsConfig } from '#functions/_runs/decide/state.ts';
import type { ResolvedGuards, ResolvedRun, ResolvedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds, isStageId } from '#shared/messages/command-ids.ts';
import { endedText, type GatewayKind } from '../../builders/run-model.ts';
import { atMinute } from './history.ts';

const id = (last: string) => `018f0000-0000-7000-8000-0000000000${last}`;
const campaignId = id('c0');
export const nightlyIds = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map(id);
export const smokeIds = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6'].map(id);

/** A gateway of the search, and what a user configures for it. */
export interface World {
  readonly name: string;
  readonly kind: GatewayKind;
  readonly startsRepeatSafely?: boolean;
  readonly isReadable: boolean;
  /** Runs can be read. */
  readonly readsRuns?: true;
  /** The words of an ended run are in `alreadyInState.stop`. */
  readonly knowsEnded?: true;
}

const byInstant = { starts: 'startAt' } as const;
const byWord = { starts: 'word' } as const;

/** The gateways: the real one and what it may turn out to be, and those that start by a word. */
export const worlds: readonly World[] = [
  { name: 'startAt', kind: byInstant, isReadable: false },
  { name: 'startAt, readable', kind: byInstant, isReadable: true },
  {
    name: 'startAt, a late stop 409, readable',
    kind: { ...byInstant, lateStop: 409, lateStart: 422 },
    isReadable: true,
  },
  {
    name: 'startAt, a late stop 422',
    kind: { ...byInstant, lateStop: 422, lateStart: 'names startAt' },
    isReadable: false,
  },
  {
    name: 'startAt, a late stop names status',
    kind: { ...byInstant, lateStop: 'names status' },
    isReadable: true,
    knowsEnded: true,
  },
  { name: 'startAt, its clock 90 s ahead', kind: { ...byInstant, aheadMs: 90_000 }, isReadable: true },
  {
    name: 'startAt, a late lastRun',
    kind: { ...byInstant, lastRunLagMs: 10 * 60_000, lateStart: 200 },
    isReadable: true,
  },
  {
    name: 'startAt, runs end by themselves',
    kind: { ...byInstant, runsForMs: 4 * 60_000, lateStop: 409 },
    isReadable: true,
  },
  { name: 'startAt, runs are read', kind: byInstant, isReadable: true, readsRuns: true },
  {
    name: 'startAt, runs end by themselves and are read',
    kind: { ...byInstant, runsForMs: 4 * 60_000, lateStop: 409, lastRunLagMs: 10 * 60_000 },
    isReadable: false,
    readsRuns: true,
  },
  {
    name: 'startAt, a late start names startAt, its clock 90 s ahead, runs are read',
    kind: { ...byInstant, lateStop: 422, lateStart: 'names startAt', aheadMs: 90_000 },
    isReadable: false,
    readsRuns: true,
  },
  {
    name: 'a word, runs are read',
    kind: { starts: 'word, again', runsForMs: 4 * 60_000 },
    isReadable: true,
    readsRuns: true,
  },
  { name: 'a word', kind: { starts: 'word, again' }, isReadable: false },
  { name: 'a word, readable', kind: { starts: 'word, again' }, isReadable: true },
  {
    name: 'a word, readable late, a late stop 409',
    kind: { starts: 'word, again', lastRunLagMs: 10 * 60_000, lateStop: 409 },
    isReadable: true,
  },
  { name: 'a word that repeats safely', kind: byWord, startsRepeatSafely: true, isReadable: false },
  {
    name: 'a word that repeats safely, readable',
    kind: { ...byWord, lateStop: 409 },
    startsRepeatSafely: true,
    isReadable: true,
  },
];

/** A schedule of the nightly run. */
const weeknights: ResolvedSchedule = {
  name: 'weeknights',
  action: 'start',
  run: 'nightly',
  enabled: true,
  expression: 'cron(* * * * ? *)',
  timezone: 'UTC',
};

/** Harmless stops under the ids that these starts and their stops have, which can be worked out. */
export function forgedFor(starts: readonly CampaignRunCommand[]): readonly CampaignRunCommand[] {
  return starts.flatMap(({ id: startId }) => {
    const ids = [commandIds.plannedStop(startId), commandIds.end(startId), ...(isStageId(startId) ? [startId] : [])];
    return [...ids, ...ids.map(commandIds.repeat)].map((one) =>
      commandOf('stop', 0, { id: one, campaignRunId: id('f0'), startId: undefined }),
    );
  });
}

/** What the campaign of a history says. */
export interface Campaign {
  readonly guards?: Partial<ResolvedGuards>;
  readonly stopAfter?: string;
  readonly blackouts?: RunsConfig['blackouts'];
  readonly runs?: Readonly<Record<string, Partial<ResolvedRun>>>;
}

/** The configuration of two runs of one campaign, or of those given. */
export function configOf(world: World, { guards, stopAfter, blackouts = [], runs }: Campaign): RunsConfig {
  const isByWord = world.kind.starts !== 'startAt';
  const base: Omit<ResolvedRun, 'name'> = {
    campaign: 'chat-bot',
    campaignId: world.isReadable ? campaignId : undefined,
    confirm: world.isReadable ? { within: 'PT30M' } : undefined,
    stopAfter,
    campaignRunIds: [],
    guards: { target: 'chat-bot', overlap: 'skip', longestRun: 'PT1H', ...guards },
  };
  const given = runs ?? { nightly: { campaignRunIds: nightlyIds }, smoke: { campaignRunIds: smokeIds } };
  return {
    stage: 'search',
    mode: 'act',
    blackouts,
    timezone: 'UTC',
    gateway: {
      baseUrl: 'http://127.0.0.1:1',
      status: { start: isByWord ? 'running' : undefined, stop: 'cancelled' },
      startLead: 'PT1M',
      requestsPerSecond: { datasets: 4, runs: 1, reads: 1 },
      alreadyInState: { start: [], stop: world.knowsEnded === true ? [endedText] : [] },
      startsRepeatSafely: !isByWord || world.startsRepeatSafely === true,
      postMayRepeatOn: [],
      readsRuns: world.readsRuns,
    },
    runs: Object.fromEntries(Object.entries(given).map(([name, run]) => [name, { ...base, ...run, name }])),
    schedules: [weeknights],
    runIdsLow: 0,
    requestsPerSecond: 1,
    readsPerSecond: 1,
  };
}

/** A command of a history. */
export type Kind = 'start' | 'start of a schedule' | 'start, overriding' | 'stop' | 'stop by name';

/** A command that was issued so many minutes after ten. A stop by uuid names the first id. */
export function commandOf(kind: Kind, minute: number, more: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  const action = kind.startsWith('start') ? 'start' : 'stop';
  const overriding = kind === 'start, overriding';
  const { name } = weeknights;
  const issuedAt = atMinute(minute);
  const isOfSchedule = kind === 'start of a schedule';
  return {
    version: 1,
    id: isOfSchedule ? commandIds.schedule(name, issuedAt) : `${action}-${minute}`,
    action,
    issuedAt,
    origin: isOfSchedule ? { kind: 'schedule', name } : { kind: 'operator', name: 'ann' },
    ...(kind === 'stop' ? { campaignRunId: nightlyIds[0] } : { run: 'nightly' }),
    ...(overriding ? { override: { guards: ['overlap' as const], reason: 'CHG-7' } } : {}),
    ...more,
  };
}
