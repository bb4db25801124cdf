/**
 * A stage's nights in virtual time: a test sends commands, orders what the gateway answers, and
 * looks at effects and outcomes.
 */
import type { ConfigPart, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { repeatMessage, resolveRepeat } from '#operator/parked/resolve-parked.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import { aResolvedGateway } from '../../builders/resolved-gateway.ts';
import type { GatewayKind } from '../../builders/run-model.ts';
import { stintsOf } from '../judge/evidence.ts';
import { deployStage } from '../model/stage.ts';
import type { GatewayFaultName } from '../model/world/gateway-faults.ts';
import type { Asked } from '../model/world/gateway-model.ts';
import { createWorld } from '../model/world/world.ts';

export const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Ids of a night. */
export const smokeIds: readonly string[] = Array.from({ length: 40 }, (_, position) => uuid(0xa00 + position));
export const smokeId = uuid(0xa00);
export const campaignId = uuid(0xc0de);

/** The n-th id of a list of runs. */
function nightlyId(position: number): string {
  return uuid(0x1000 + position);
}

/** So many ids of one list. */
export const nightlyIds = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, position) => nightlyId(position));

/** An instant of these nights: a time of day, so many days after Friday, 20 November 2026. */
export function at(time: string, day = 0): string {
  const midnight = Date.parse('2026-11-20T00:00:00Z') + day * 24 * hourMs;
  return new Date(midnight + Date.parse(`1970-01-01T${time.length === 5 ? `${time}:00` : time}Z`)).toISOString();
}

/** A start of `smoke` by a schedule; a test states only its subject. */
export function aStart(id: string, issuedAt: string, fields: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  const origin = { kind: 'schedule', name: 'weeknights' } as const;
  return { version: 1, id, action: 'start', run: 'smoke', issuedAt, origin, ...fields };
}

/** A stop of `smoke` by a person, or of one id. */
export function aStop(id: string, issuedAt: string, fields: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  const { run, ...others } = aStart(id, issuedAt, fields);
  const isOfId = fields.campaignRunId !== undefined;
  return { ...others, ...(isOfId ? {} : { run }), action: 'stop', origin: { kind: 'operator', name: 'ann' } };
}

/** A start by a person who overrides the overlap guard. */
export function anOverride(id: string, issuedAt: string, fields: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  const override = { guards: ['overlap'], reason: 'CHG-7' } satisfies CampaignRunCommand['override'];
  return aStart(id, issuedAt, { origin: { kind: 'operator', name: 'ann' }, override, ...fields });
}

/** A configured run; every run of a night belongs to one campaign. */
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
type NightRuns = Readonly<Record<string, NightRun>>;

/** A gateway, and what a user says of it. */
export interface NightGateway {
  readonly kind: GatewayKind;
  readonly startsRepeatSafely?: boolean;
}

/** What differs from one night to the next. */
export interface NightOptions {
  readonly runs: NightRuns;
  /** Of the campaign, which can then be read. @default it is not configured */
  readonly campaignId?: string;
  readonly blackouts?: readonly ResolvedBlackout[];
  /** @default the real one: a run starts by its `startAt` */
  readonly gateway?: NightGateway;
  /** @default 1 */
  readonly seed?: number;
  /** Each worker's clock differs from the true time by at most this. @default 0 */
  readonly mostSkewMs?: number;
  /** When it begins. @default at nine in the evening */
  readonly from?: string;
}

/** A run starts by its `startAt`, once; the stop of one that has ended is taken. */
export const realGateway: NightGateway = { kind: { starts: 'startAt' } };
const gatewayPerSecond = 50;

/** Begins a night on a Friday; the watcher ticks every minute from then on. The timers of the process are still its own. */
export function openNight(options: NightOptions) {
  const { seed = 1, mostSkewMs = 0, from, gateway: configured = realGateway } = options;
  // Calls of our own take a millisecond, an answer a tenth of a second, and what is late 40 s.
  const gatewayOptions = { kind: configured.kind, latencyMs: [1, 100], lateMs: 40_000 } as const;
  const world = createWorld({ seed, from, portMs: 1, gateway: gatewayOptions });
  const { time, gateway, ledger } = world;
  const queue = world.queues.commands;
  let config = workerConfig(options, options.runs);
  const functions = deployStage(world, {
    config: () => config,
    mostSkewMs,
    readsPerSecond: gatewayPerSecond,
  });

  const commandRow = (id: string) => ledger.read<CommandRow>(ledgerKeys.command(id));
  const commandsIn = async (state: 'PARKED' | 'PENDING') =>
    (await ledger.listOpen(state)).items.filter((row): row is typeof row & CommandRow => row.kind === 'command');

  const stints = () => stintsOf(gateway.effects());
  const stintsBy = (by: string) => stints().filter((stint) => stint.by === by);

  return {
    time,
    gateway,
    queue,
    /** The worker's processes, which a test may kill. */
    worker: functions['update-campaign-runs'],
    now: () => new Date(time.nowMs()).toISOString(),
    /** A deployment with other runs. */
    deploy: (runs: NightRuns) => void (config = workerConfig(options, runs)),
    /** Puts a command into the queue when it is issued, or later. */
    send(command: CampaignRunCommand, lateMs = 0): void {
      const body = JSON.stringify(command);
      time.at(Date.parse(command.issuedAt) + lateMs - time.nowMs(), () => void queue.send(body));
    },
    /** All requests of a kind fail so until then. */
    breakUntil: (instant: string, what: Asked, fault: GatewayFaultName) =>
      gateway.breakFor(fault, Date.parse(instant) - time.nowMs(), what),
    /** Lets the night go on until this instant. */
    until: async (instant: string) => time.advance(Date.parse(instant) - time.nowMs()),
    /** Lets it go on until something is so, for an hour at most. */
    async untilSeen(isSo: () => boolean): Promise<void> {
      if (!(await time.runUntil(isSo, hourMs))) throw new Error('it was not seen within an hour');
    },
    /** PATCH requests that ask for this. */
    patchesOf: (asks: 'start' | 'stop') => gateway.requests.filter((request) => request.asks === asks),
    stints,
    stintsOf: stintsBy,
    /** Runs that began while another one was running, by the starts of both. */
    overlaps: (): readonly string[] => {
      const all = stints();
      return all.flatMap((later, position) =>
        all
          .slice(0, position)
          .filter(({ endMs }) => endMs > later.fromMs)
          .map(({ by }) => `${by} and ${later.by}`),
      );
    },
    /** How many minutes each run of a start lasted, rounded; `running`: it has not ended. */
    minutesOf: (by: string) =>
      stintsBy(by).map(({ fromMs, endMs }) =>
        endMs === Infinity ? 'running' : Math.round((endMs - fromMs) / minuteMs),
      ),

    /** How a command ended, and the run that it was about; `undefined`: it has no outcome yet. */
    async outcome(id: string) {
      const row = await commandRow(id);
      return row?.outcome && { ...row.outcome, campaignRunId: row.campaignRunId };
    },
    /** How each command ended, as words: `applied`, `skipped OVERLAP`. */
    ends: async (...ids: readonly string[]) =>
      Promise.all(
        ids.map(async (id) => {
          const { kind = 'no outcome', reason } = (await commandRow(id))?.outcome ?? {};
          return reason === undefined ? kind : `${kind} ${reason}`;
        }),
      ),
    /** What `status` lists as in flight, and `stop --all-in-flight` would stop. */
    inFlight: async () =>
      (await readRunsInFlight(ledger)).map(({ entry: { campaignRunId, run } }) => ({ campaignRunId, run })),
    /** What `parked list` shows. */
    parked: async () =>
      (await commandsIn('PARKED')).map(({ id, outcome, parked }) => ({
        id,
        reason: outcome?.reason,
        attempts: parked?.attempts,
      })),
    /** Ids of the commands that were tried and have no outcome: what `status` lists as pending. */
    pending: async () => (await commandsIn('PENDING')).map(({ id }) => id),
    /** The most receives of one message. */
    mostReceives: () => Math.max(0, ...queue.sent().map(({ receiveCount }) => receiveCount)),

    /** `autopilot parked resolve --repeat`. */
    async repeat(id: string): Promise<void> {
      const row = await commandRow(id);
      if (row === undefined) throw new Error(`the ledger does not know the command ${id}`);
      const resolved = resolveRepeat(row, { by: 'ann', reason: 'CHG-7', at: new Date(time.nowMs()) });
      if (!resolved.ok) throw new Error(resolved.problem);
      await ledger.write<CommandRow>(row, resolved.row);
      queue.send(repeatMessage(resolved.row) ?? '');
    },
  };
}

/** A night at work. */
export type Night = ReturnType<typeof openNight>;

function workerConfig(
  { campaignId: readable, blackouts = [], gateway = realGateway }: NightOptions,
  runs: NightRuns,
): ConfigPart<'update-campaign-runs'> {
  const isByWord = gateway.kind.starts !== 'startAt';
  return {
    stage: 'night',
    mode: 'act',
    timezone: 'UTC',
    blackouts,
    gateway: aResolvedGateway({
      status: { start: isByWord ? 'running' : undefined, stop: 'cancelled' },
      requestsPerSecond: { datasets: 4, runs: gatewayPerSecond, reads: gatewayPerSecond },
      startsRepeatSafely: !isByWord || gateway.startsRepeatSafely === true,
    }),
    runs: Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, resolvedRun(name, run, readable)])),
    schedules: [],
    runIdsLow: 0,
    requestsPerSecond: gatewayPerSecond,
    readsPerSecond: gatewayPerSecond,
  };
}

function resolvedRun(name: string, run: NightRun, readable: string | undefined): ResolvedRun {
  const { ids, stopAfter, longestRun = 'PT10H', overlap = 'skip', minimumGap, target = 'chat-bot' } = run;
  return {
    name,
    campaign: 'chat-bot',
    campaignId: readable,
    guards: { target, overlap, longestRun, minimumGap },
    campaignRunIds: ids,
    stopAfter,
    confirm: readable === undefined ? undefined : { within: 'PT30M' },
  };
}

function uuid(number: number): string {
  return `018f0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}
