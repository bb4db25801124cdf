/**
 * All that a night knows of the workers: their wiring, their configuration, and how the ledger
 * tells what became of a command.
 */
import type { ConfigPart, ResolvedRun, WatchedCampaign } from '#shared/config/resolve/resolved-automation.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { resolveRepeat } from '#shared/ledger/resolve-parked.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { newRunIdPool, type RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { processes } from '../model/stage-config.ts';
import { createVirtualQueue } from '../model/world/virtual-queue.ts';
import { createVirtualTime } from '../model/world/virtual-time.ts';
import { deployWorker, updateCampaignRuns, watcherOf } from '../model/world/wired-workers.ts';
import type { WorkersWorld } from '../model/world/world.ts';
import { type CampaignShown, createNightGateway } from './night-gateway.ts';

/** A configured run; every run of a night belongs to one campaign. */
export interface NightRun {
  /** One id: started again and again. Several: one for each start. */
  readonly ids: string | readonly string[];
  readonly stopAfter?: string;
  /** @default 'PT10H' */
  readonly longestRun?: string;
  /** @default 'skip' */
  readonly overlap?: ResolvedRun['guards']['overlap'];
  readonly minimumGap?: string;
  readonly confirm?: 'runCount' | 'lastRunAt';
}

/** What differs from one night to the next. */
export interface NightOptions {
  readonly runs: Readonly<Record<string, NightRun>>;
  /** @default a campaign whose id is not configured: it cannot be read */
  readonly campaign?: CampaignShown;
  readonly blackouts?: readonly ResolvedBlackout[];
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

const firstMs = Date.parse('2026-11-20T21:00:00Z');
const gatewayPerSecond = 50;
const ignore = () => {};
const quiet = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Deploys the worker and the watcher over a gateway that counts. */
export function wireNight(options: NightOptions) {
  const time = createVirtualTime(1, firstMs);
  const ledger = createMemoryLedger();
  const commandIds = new Map<string, string>();
  const gateway = createNightGateway(time, {
    campaign: options.campaign,
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

  const settings = { ...processes.commands, mostSkewMs: 0, queue: queues.commands };
  const worker = deployWorker(world, settings, (environment, ports) => {
    const work = updateCampaignRuns(world, environment, ports, workerConfig(options));
    return {
      ...work,
      handleRecord(record, context) {
        const { id }: { readonly id: string } = JSON.parse(record.body);
        commandIds.set(context.attemptId, id);
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
    tick: watcherOf(world, { campaigns: watchedOf(options), readsPerSecond: gatewayPerSecond }),

    /** `undefined`: the command has no outcome yet. */
    async outcome(id: string): Promise<NightOutcome | undefined> {
      const row = await ledger.read<CommandRow>(ledgerKeys.command(id));
      if (row?.outcome === undefined) return undefined;
      const { kind, reason, detail } = row.outcome;
      return { kind, reason, detail, campaignRunId: row.campaignRunId };
    },

    /** What `status` lists as in flight, and `stop --all-in-flight` would stop. */
    async inFlight(): Promise<readonly { readonly campaignRunId: string; readonly run: string | undefined }[]> {
      const found = await readRunsInFlight(ledger, new Date(time.nowMs()));
      return found.map(({ row: { campaignRunId, run } }) => ({ campaignRunId, run }));
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

    /** `autopilot parked resolve --repeat`. */
    async repeat(id: string): Promise<void> {
      const row = await readCommand(id);
      const resolved = resolveRepeat(row, { by: 'ann', reason: 'CHG-7', at: new Date(time.nowMs()) });
      if (!resolved.ok) throw new Error(resolved.problem);
      await ledger.write<CommandRow>(row, resolved.row);
      queues.commands.send(row.parked?.message ?? '');
    },

    /** `autopilot bind`. */
    async bind(run: string, ids: readonly string[]): Promise<void> {
      const before = await ledger.read<RunIdPoolRow>(ledgerKeys.runIdPool(run));
      const row = before ?? newRunIdPool(run);
      await ledger.write<RunIdPoolRow>(before, { ...row, added: [...row.added, ...ids] });
    },

    /**
     * Size of the largest row in the ledger, in bytes of JSON: an item of DynamoDB holds 400 KB.
     */
    largestRow: () => Math.max(...ledger.all().map((row) => JSON.stringify(row).length)),
  };
}

function watchedOf({ campaign, runs }: NightOptions): readonly WatchedCampaign[] {
  return campaign === undefined
    ? []
    : [{ campaignId: campaign.id, names: ['chat-bot'], runs: Object.keys(runs), target: 'chat-bot' }];
}

function workerConfig({ runs, campaign, blackouts = [] }: NightOptions): ConfigPart<'update-campaign-runs'> {
  const resolved = Object.entries(runs).map(([name, run]) => [name, resolvedRun(name, run, campaign?.id)] as const);
  return {
    stage: 'night',
    mode: 'act',
    timezone: 'UTC',
    blackouts,
    gateway: {
      baseUrl: 'http://127.0.0.1:1',
      status: { start: 'running', stop: 'stopped' },
      requestsPerSecond: { datasets: 4, runs: gatewayPerSecond, reads: gatewayPerSecond },
      postMayRepeatOn: [],
      alreadyInState: ['already running', 'already stopped'],
      startsRepeatSafely: false,
    },
    runs: Object.fromEntries(resolved),
    requestsPerSecond: gatewayPerSecond,
    readsPerSecond: gatewayPerSecond,
  };
}

function resolvedRun(name: string, run: NightRun, campaignId: string | undefined): ResolvedRun {
  const { ids, stopAfter, longestRun = 'PT10H', overlap = 'skip', minimumGap, confirm } = run;
  return {
    name,
    campaign: 'chat-bot',
    campaignId,
    guards: { target: 'chat-bot', overlap, longestRun, minimumGap },
    pool: typeof ids === 'string' ? { kind: 'repeat', campaignRunId: ids } : { kind: 'list', campaignRunIds: ids },
    stopAfter,
    confirm: confirm === undefined ? undefined : { by: confirm, within: 'PT30M' },
  };
}
