import { commandsOfMode } from '../_handler/stage-ledger.ts';
import type { GatewayClient, UpdateCampaignRunInput } from '#shared/gateway-client/index.ts';
import { type CampaignReading, readingOf } from '#shared/ledger/rows/campaign-row.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { openRows, readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import type { PreviewAnswer, Previewed } from '#shared/messages/questions.ts';
import { openGate } from '../_gateway/gate.ts';
import { askedRead, type AskedReadDeps } from '../_gateway/gateway-calls.ts';
import type { Log } from '../_handler/function-log.ts';
import type { GatewayCalls, PatchEffect, RunCommandDeps, RunsConfig } from '../_runs/decide/state.ts';

/** What a plan needs of the world: reads. */
export interface PlanDeps extends AskedReadDeps {
  readonly ledger: Pick<Ledger, 'readMany' | 'listOpen'>;
  /** What was done for real, in either mode. */
  readonly acting: Pick<Ledger, 'read'>;
  readonly gateway: Pick<GatewayClient, 'getCampaign'>;
  readonly config: Omit<RunsConfig, 'readsPerSecond' | 'runIdsLow'>;
  readonly now: () => Date;
}

/** What a plan knows and notes. */
export interface PlanSoFar {
  /** The rows as the commands before left them. */
  readonly ledger: Ledger;
  /** Starts that were in flight when the plan began. */
  readonly inFlight: readonly InFlight[];
  /** Campaigns that could not be read. */
  readonly unread: PreviewAnswer['unread'];
  /** Notes a PATCH of the command that is delivered. */
  readonly onPatch: (request: PlannedRequest, effect: PatchEffect) => Promise<void>;
  /** Notes the stop that makes room for a start. */
  readonly onSent: (body: string) => void;
}

/** A request that would be sent. */
export type PlannedRequest = Previewed['requests'][number];

/** The world of a planned command: nothing is sent, the gate is open, and a slot is always free. */
export function plannedDeps(plan: PlanSoFar, deps: PlanDeps): RunCommandDeps {
  const { ledger } = plan;
  return {
    ledger,
    acting: deps.acting,
    bus: { publish: async () => {} },
    senders: 'trusted',
    commands: commandsOfMode(deps.config.mode, { send: async (body) => plan.onSent(body) }),
    calls: plannedCalls(plan, deps),
    gate: openGate,
    rateLimiter: { waitMs: () => 0, take: async () => {} },
    callBudgetMs: 0,
    config: { ...deps.config, readsPerSecond: deps.config.requestsPerSecond, runIdsLow: 0 },
    random: () => 0.5,
    count: () => {},
  };
}

/** No line is written. An attempt that fails would be a wait that no worker has, so the question fails. */
export const planLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (_event, sentence) => {
    throw new Error(sentence);
  },
};

/** A PATCH is noted and answered as applied. A campaign is read once; from then on it reads as the noted starts leave it. */
function plannedCalls(plan: PlanSoFar, deps: PlanDeps): GatewayCalls {
  const readings = new Map<string, CampaignReading>();
  const begun: Begun[] = [];

  async function readOnce(campaignId: string): Promise<CampaignReading> {
    const earlier = readings.get(campaignId);
    if (earlier !== undefined) return earlier;
    const read = await askedRead(() => deps.gateway.getCampaign({ campaignId }), deps);
    if (!read.ok) plan.unread.push({ campaign: campaignNamed(campaignId, deps), why: read.why });
    // Of a campaign that cannot be read only this stage's own starts are known.
    const reading = read.ok
      ? readingOf(read.answer.campaign)
      : afterStarts({ runCount: 0 }, startsOf(campaignId, plan.inFlight.map(begunBy)));
    readings.set(campaignId, reading);
    return reading;
  }

  return {
    async patch(effect) {
      const { input } = effect;
      await plan.onPatch(requestOf(input), effect);
      // A stage that only observes sends nothing, so its campaigns read as before.
      if (effect.to === 'start' && deps.config.mode === 'act') {
        const runs = await readRunsInFlight(plan.ledger);
        const entry = runs.find((run) => run.entry.campaignRunId === input.campaignRunId)?.entry;
        if (entry !== undefined) begun.push({ ...begunBy(entry), at: input.startAt ?? entry.due });
      }
      return { answer: { next: 'applied' } };
    },

    async readCampaign(campaignId, { now }) {
      const at = now();
      const own = startsOf(campaignId, begun).filter((one) => Date.parse(one.at) <= at.getTime());
      const reading = afterStarts(await readOnce(campaignId), own);
      return { answer: { next: 'read', reading } };
    },

    // The watcher takes out what has ended. A planned run is none of the gateway's yet.
    readRun: async () => ({ answer: undefined }),
  };
}

function campaignNamed(campaignId: string, { config }: Pick<PlanDeps, 'config'>): string {
  return Object.values(config.runs).find((run) => run.campaignId === campaignId)?.campaign ?? campaignId;
}

/** A run that begins, as its campaign shows it. */
interface Begun {
  readonly campaignId?: string;
  readonly campaignRunId: string;
  readonly at: string;
}

function begunBy({ campaignId, campaignRunId, due }: InFlight): Begun {
  return { campaignId, campaignRunId, at: due };
}

function startsOf(campaignId: string, starts: readonly Begun[]): readonly Begun[] {
  return starts.filter((start) => start.campaignId === campaignId);
}

/** A campaign as it reads after these starts; one whose `lastRunAt` is no instant stays so. */
function afterStarts(reading: CampaignReading, starts: readonly Begun[]): CampaignReading {
  const last = starts.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1);
  if (last === undefined || reading.oddLastRunAt !== undefined) return reading;
  const runCount = reading.runCount === undefined ? undefined : reading.runCount + starts.length;
  return { runCount, lastRun: last.campaignRunId, lastRunAt: last.at };
}

/** What is undefined is not sent. */
function requestOf({ campaignRunId, status, startAt, name, preserve }: UpdateCampaignRunInput): PlannedRequest {
  const fields = Object.entries({ status, startAt, name, preserve }).filter(([, value]) => value !== undefined);
  const path = `/backend/v1/campaign-runs/${campaignRunId}`;
  return { method: 'PATCH', path, body: Object.fromEntries(fields) };
}

/**
 * A ledger over another one: what is not written yet is read there, once, and what is written stays in memory. Writes are conditional as everywhere,
 * and later reads and listings see them. The ledger below has no way to be written.
 * @example const ledger = createOverlayLedger(createDynamoDbLedger({ client, tableName }));
 */
export function createOverlayLedger(below: Pick<Ledger, 'readMany' | 'listOpen'>): Ledger {
  const rows = new Map<string, Stored>();
  const memory = createMemoryLedger(rows);
  const known = new Set<string>();
  const listed = new Set<string>();

  async function copy(pks: readonly string[]): Promise<void> {
    const missing = [...new Set(pks)].filter((pk) => !known.has(pk));
    if (missing.length === 0) return;
    const found = await below.readMany(missing);
    for (const pk of missing) {
      const row = known.has(pk) ? undefined : found.get(pk);
      known.add(pk);
      if (row !== undefined) rows.set(pk, row);
    }
  }

  return {
    async read(pk) {
      await copy([pk]);
      return memory.read(pk);
    },
    async readMany(pks) {
      await copy(pks);
      return memory.readMany(pks);
    },
    async write(before, after) {
      await copy([after.pk]);
      return memory.write(before, after);
    },
    async writeAll(changes) {
      await copy(changes.map(({ after }) => after.pk));
      return memory.writeAll(changes);
    },
    async listOpen(state, range) {
      if (!listed.has(state)) {
        listed.add(state);
        // The index is a moment old: its rows are read by key.
        const found: string[] = [];
        for await (const { pk } of openRows(below, state)) found.push(pk);
        await copy(found);
      }
      return memory.listOpen(state, range);
    },
  };
}
