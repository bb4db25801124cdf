import { type Gate, openGate } from '#functions/_gateway/gate.ts';
import type { PoolDeps } from '#functions/watch-campaigns/pools/pool-calls.ts';
import { watchCampaigns } from '#functions/watch-campaigns/watch-campaigns.ts';
import { ConnectionLostError } from '#shared/gateway-client/index.ts';
import type { CampaignReading } from '#shared/ledger/rows/campaign-row.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import type { OutcomeKind } from '#shared/vocabulary/reason-codes.ts';
import { expectDocumented } from '../../../builders/documented-event.ts';
import { keptOutput, statusError } from '../../../builders/ports.ts';
import { aRunInFlight } from '../../../builders/run-rows.ts';
import { aResolvedGateway } from '../../../builders/resolved-gateway.ts';

export const minute = 60_000;
export const hour = 60 * minute;
const tenOClock = Date.parse('2026-11-20T22:00:00.000Z');
export const campaignId = '019ba000-0000-7000-8000-000000000201';
export const runId = aRunInFlight().campaignRunId;

/** An event as the bus got it. */
interface BusEvent {
  readonly type: string;
  readonly eventId: string;
  readonly [field: string]: unknown;
}

/** A start of `nightly` that a blackout defers to the fourth of January. */
export function aDeferredStart(fields: Partial<CommandRow> = {}): CommandRow {
  const id = fields.id ?? 'weeknights@2026-12-21T21:45:00Z';
  const from = '2026-12-21T21:45:00.000Z';
  const deferred = fields.deferred ?? { from, until: '2027-01-04T00:00:00.000Z', blackout: 'year-end freeze' };
  return {
    pk: ledgerKeys.command(id),
    kind: 'command',
    id,
    command: aStart({ id }),
    deferred,
    openState: 'DEFERRED',
    openSince: deferred.until,
    ...fields,
  };
}

/** A start of `nightly` by its schedule. */
export function aStart(fields: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  return {
    version: 1,
    id: 'weeknights@2026-12-21T21:45:00Z',
    action: 'start',
    run: 'nightly',
    issuedAt: '2026-12-21T21:45:00Z',
    validFor: 'PT30M',
    origin: { kind: 'schedule', name: 'weeknights' },
    ...fields,
  };
}

/** Of a command that has its outcome. */
export function outcomeAt(at: string, kind: OutcomeKind = 'applied'): Pick<CommandRow, 'outcome'> {
  return { outcome: { kind, at } };
}

/** Of a command that a worker tries again then. */
export function triedAt(nextTryAt: string): Pick<CommandRow, 'attempt'> {
  return { attempt: { crashes: 0, since: '2026-11-20T22:00:00.000Z', tries: 1, nextTryAt } };
}

/** A stage that makes no runs calls none of these. */
export const makesNoRuns = {
  updateCampaignRun: async () => Promise.reject(new Error('a PATCH by the watcher')),
  makeRun: async () => Promise.reject(new Error('a run was made')),
  listRuns: async () => Promise.reject(new Error('runs were listed')),
};

/** Ticks over a ledger in memory, with a gateway, a queue, a bus and a clock that remember. */
export function createWatchBench(
  options: {
    readonly mode?: 'act' | 'observe';
    readonly ledger?: Ledger;
    readonly readsRuns?: boolean;
    readonly results?: PoolDeps['config']['results'];
  } = {},
) {
  const ledger = options.ledger ?? createMemoryLedger();
  const sent: CampaignRunCommand[] = [];
  const events: BusEvent[] = [];
  const asked: string[] = [];
  const told: string[] = [];
  const { lines, log, count, level, linesOf, counted } = keptOutput();
  let reading: CampaignReading | 'lost' = { lastRunAt: '2026-11-19T22:00:04.118Z' };
  const runs = new Map<string, object | number>();
  const readRuns: string[] = [];
  let nowMs = tenOClock;

  const gateway: PoolDeps['gateway'] = {
    ...makesNoRuns,
    async getCampaign(input) {
      asked.push(input.campaignId);
      if (reading === 'lost') throw new ConnectionLostError('GET', undefined);
      return { campaign: { id: input.campaignId, ...reading } };
    },
    async readCampaignRun({ campaignRunId }) {
      readRuns.push(campaignRunId);
      const shown = runs.get(campaignRunId) ?? 404;
      if (typeof shown !== 'number') return { campaignRun: { id: campaignRunId, ...shown } };
      throw statusError(shown, { namesResource: true }, 'GET');
    },
  };
  const gate: Gate = {
    ...openGate,
    failed: async (_verdict, about) => void told.push(`failed ${about}`),
    answered: async () => void told.push('answered'),
  };
  async function put(row: LedgerRow): Promise<void> {
    await ledger.write<LedgerRow>(await ledger.read(row.pk), row);
  }

  async function tick(deps: Partial<PoolDeps> = {}): Promise<TickAnswer> {
    return watchCampaigns({
      ledger,
      commands: { send: async (body) => void sent.push(JSON.parse(body)) },
      bus: {
        async publish(type, detail) {
          expectDocumented(type, detail);
          events.push({ type, ...detail });
        },
      },
      gateway,
      gate,
      rateLimiter: { waitMs: () => 0, take: async () => {} },
      callBudgetMs: 17_000,
      remainingMs: () => 60_000,
      config: {
        mode: options.mode ?? 'act',
        gateway: aResolvedGateway({ readsRuns: options.readsRuns }),
        results: options.results,
      },
      reports: { log, count, level },
      now: () => new Date(nowMs),
      random: () => 0.5,
      ...deps,
    });
  }

  return {
    ledger,
    /** Commands in the queue. */
    sent,
    events,
    /** Campaigns that were read, one entry a read. */
    asked,
    /** What the gate was told. */
    told,
    lines,
    tick,
    eventsOf: (type: string) => events.filter((event) => event.type === type),
    counted,
    linesOf,
    now: () => new Date(nowMs),
    setNow: (instant: string) => void (nowMs = Date.parse(instant)),
    passMs: (ms: number) => void (nowMs += ms),
    /** A tick each minute, for so long. */
    async tickFor(ms: number, deps: Partial<PoolDeps> = {}): Promise<void> {
      for (let passed = 0; passed < ms; passed += minute) {
        nowMs += minute;
        await tick(deps);
      }
    },
    /** The campaign reads like this from now on; or each read of it is lost. */
    show: (next: CampaignReading | 'lost') => void (reading = next),
    /** The run reads like this from now on; a number is the status of a refusal. */
    showRun: (shown: object | number, id = runId) => void runs.set(id, shown),
    /** Runs that were read, one entry a read. */
    readRuns,
    /** Writes a row as it is, whatever was there. */
    put,
    /** The runs in flight as the row of their target has them. */
    inFlight: async () => (await ledger.read<TargetRow>(ledgerKeys.target('chat-bot')))?.runs,
  };
}
