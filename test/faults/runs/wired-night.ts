/**
 * All that a night knows of the workers: their wiring, their configuration, and how the ledger
 * tells what became of a command.
 */
import type { ConfigPart, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { repeatMessage, resolveRepeat } from '#operator/parked/resolve-parked.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { newRunRow, type RunRow } from '#shared/ledger/rows/run-row.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { GatewayKind } from '../../builders/run-model.ts';
import { processes } from '../model/stage-config.ts';
import { createVirtualQueue } from '../model/world/virtual-queue.ts';
import { createVirtualTime } from '../model/world/virtual-time.ts';
import { deployWorker, updateCampaignRuns, watcherOf } from '../model/world/wired-workers.ts';
import type { WorkersWorld } from '../model/world/world.ts';
import { type CampaignShown, createNightGateway } from './night-gateway.ts';

/** A configured run; every run of a night belongs to one campaign, if it does not say otherwise. */
interface NightRun {
  /** One for each start. */
  readonly ids: readonly string[];
  readonly stopAfter?: string;
  /** @default 'PT10H' */
  readonly longestRun?: string;
  /** @default 'skip' */
  readonly overlap?: ResolvedRun['guards']['overlap'];
  readonly minimumGap?: string;
  /** @default 'chat-bot' */
  readonly target?: string;
}

/** The runs of a configuration, by name. */
export type NightRuns = Readonly<Record<string, NightRun>>;

/** A gateway, and what a user says of it. */
export interface NightGatewayKind {
  readonly kind: GatewayKind;
  readonly startsRepeatSafely?: boolean;
}

/** What differs from one night to the next. */
export interface NightOptions {
  readonly runs: NightRuns;
  /** @default a campaign whose id is not configured: it cannot be read */
  readonly campaign?: CampaignShown;
  readonly blackouts?: readonly ResolvedBlackout[];
  /** @default the real one: a run starts by its `startAt` */
  readonly gateway?: NightGatewayKind;
  /** @default 1 */
  readonly seed?: number;
  /** Each worker's clock differs from the true time by at most this. @default 0 */
  readonly mostSkewMs?: number;
  /** When it begins. @default at nine in the evening */
  readonly from?: string;
}

/** How a command ended, as the ledger tells it. */
export interface NightOutcome {
  readonly kind: string;
  readonly reason?: string | undefined;
  readonly detail?: string | undefined;
  /** The run that it was about. */
  readonly campaignRunId?: string | undefined;
}

/** A command that needs a person. */
interface ParkedCommand {
  readonly id: string;
  readonly reason: string | undefined;
  readonly attempts: number | undefined;
}

const atNine = '2026-11-20T21:00:00Z';
const gatewayPerSecond = 50;
/** A run starts by its `startAt`, once; the stop of one that has ended is taken. */
export const realGateway: NightGatewayKind = { kind: { starts: 'startAt' } };

const ignore = () => {};
const quiet = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Deploys the worker and the watcher over a gateway that counts. */
export function wireNight(options: NightOptions) {
  const time = createVirtualTime(options.seed ?? 1, Date.parse(options.from ?? atNine));
  const ledger = createMemoryLedger();
  const commandIds = new Map<string, string>();
  const { campaign, gateway: configured = realGateway } = options;
  let config = workerConfig(options, options.runs);
  const gateway = createNightGateway(time, {
    kind: configured.kind,
    campaign,
    commandOf: (requestId) => commandIds.get(requestId) ?? 'unknown',
  });
  const events: { readonly type: string; readonly detail: { readonly [field: string]: unknown } }[] = [];
  const queue = (name: string, visibilityMs: number) => createVirtualQueue(time, { name, visibilityMs });
  const queues = { commands: queue('commands', 180_000), uploads: queue('uploads', 720_000) };
  const world: WorkersWorld = {
    time,
    secret: { value: 'token-of-the-night' },
    log: quiet,
    metrics: { count: ignore, level: ignore, publish: ignore },
    portMs: () => 1,
    pass: ignore,
    ledger,
    gateway,
    objects: new Map(),
    events: { push: (...told) => events.push(...told.map(({ type, detail }) => ({ type, detail: { ...detail } }))) },
    queues,
  };

  const settings = { ...processes.commands, mostSkewMs: options.mostSkewMs ?? 0, queue: queues.commands };
  const worker = deployWorker(world, settings, (environment, ports) => {
    let deployed = config;
    let work = updateCampaignRuns(world, environment, ports, deployed);
    return {
      ...work,
      handleRecord(record, context) {
        const { id }: { readonly id: string } = JSON.parse(record.body);
        commandIds.set(context.attemptId, id);
        if (deployed !== config) work = updateCampaignRuns(world, environment, ports, (deployed = config));
        return work.handleRecord(record, context);
      },
    };
  });

  async function readCommand(id: string) {
    const row = await ledger.read<CommandRow>(ledgerKeys.command(id));
    if (row === undefined) throw new Error(`the ledger does not know the command ${id}`);
    return row;
  }

  return {
    time,
    gateway,
    events,
    queue: queues.commands,
    /** The worker's processes, which a test may kill. */
    worker,
    tick: watcherOf(world, { confirmWithin: confirmWithinOf(options), readsPerSecond: gatewayPerSecond }),
    /** A deployment with other runs. */
    deploy: (runs: NightRuns): void => {
      config = workerConfig(options, runs);
    },

    /** `undefined`: the command has no outcome yet. */
    async outcome(id: string): Promise<NightOutcome | undefined> {
      const row = await ledger.read<CommandRow>(ledgerKeys.command(id));
      if (row?.outcome === undefined) return undefined;
      const { kind, reason, detail } = row.outcome;
      return { kind, reason, detail, campaignRunId: row.campaignRunId };
    },

    /** What `status` lists as in flight, and `stop --all-in-flight` would stop. */
    async inFlight(): Promise<readonly { readonly campaignRunId: string; readonly run: string }[]> {
      const found = await readRunsInFlight(ledger);
      return found.map(({ entry: { campaignRunId, run } }) => ({ campaignRunId, run }));
    },

    /** What `parked list` shows. */
    async parked(): Promise<readonly ParkedCommand[]> {
      const { items } = await ledger.listOpen('PARKED');
      return items
        .filter((row): row is typeof row & CommandRow => row.kind === 'command')
        .map(({ id, outcome, parked }) => ({ id, reason: outcome?.reason, attempts: parked?.attempts }));
    },

    /** Ids of the commands that were tried and have no outcome: what `status` lists as pending. */
    async pending(): Promise<readonly string[]> {
      const { items } = await ledger.listOpen('PENDING');
      return items.filter((row): row is typeof row & CommandRow => row.kind === 'command').map(({ id }) => id);
    },

    /** The most receives of one message. */
    mostReceives: () => Math.max(0, ...queues.commands.sent().map(({ receiveCount }) => receiveCount)),

    /** `autopilot parked resolve --repeat`. */
    async repeat(id: string): Promise<void> {
      const row = await readCommand(id);
      const resolved = resolveRepeat(row, { by: 'ann', reason: 'CHG-7', at: new Date(time.nowMs()) });
      if (!resolved.ok) throw new Error(resolved.problem);
      await ledger.write<CommandRow>(row, resolved.row);
      queues.commands.send(repeatMessage(resolved.row) ?? '');
    },

    /** `autopilot bind`. */
    async bind(run: string, ids: readonly string[]): Promise<void> {
      const before = await ledger.read<RunRow>(ledgerKeys.run(run));
      const row = before ?? newRunRow(run);
      await ledger.write<RunRow>(before, { ...row, bound: [...row.bound, ...ids] });
    },

    /**
     * Size of the largest row in the ledger, in bytes of JSON: an item of DynamoDB holds 400 KB.
     */
    largestRow: () => Math.max(...ledger.all().map((row) => JSON.stringify(row).length)),
  };
}

function confirmWithinOf({ campaign, runs }: NightOptions): Readonly<Record<string, string>> {
  return campaign === undefined ? {} : Object.fromEntries(Object.keys(runs).map((name) => [name, 'PT30M']));
}

function workerConfig(
  { campaign, blackouts = [], gateway = realGateway }: NightOptions,
  runs: NightRuns,
): ConfigPart<'update-campaign-runs'> {
  const resolved = Object.entries(runs).map(([name, run]) => [name, resolvedRun(name, run, campaign?.id)] as const);
  const isByWord = gateway.kind.starts !== 'startAt';
  return {
    stage: 'night',
    mode: 'act',
    timezone: 'UTC',
    blackouts,
    gateway: {
      baseUrl: 'http://127.0.0.1:1',
      status: { start: isByWord ? 'running' : undefined, stop: 'cancelled' },
      startLead: 'PT1M',
      requestsPerSecond: { datasets: 4, runs: gatewayPerSecond, reads: gatewayPerSecond },
      postMayRepeatOn: [],
      alreadyInState: { start: [], stop: [] },
      startsRepeatSafely: !isByWord || gateway.startsRepeatSafely === true,
    },
    runs: Object.fromEntries(resolved),
    runIdsLow: 0,
    requestsPerSecond: gatewayPerSecond,
    readsPerSecond: gatewayPerSecond,
  };
}

function resolvedRun(name: string, run: NightRun, campaignId: string | undefined): ResolvedRun {
  const { ids, stopAfter, longestRun = 'PT10H', overlap = 'skip', minimumGap, target = 'chat-bot' } = run;
  return {
    name,
    campaign: 'chat-bot',
    campaignId,
    guards: { target, overlap, longestRun, minimumGap },
    campaignRunIds: ids,
    stopAfter,
    confirm: campaignId === undefined ? undefined : { within: 'PT30M' },
  };
}
