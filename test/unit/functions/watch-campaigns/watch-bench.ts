import { type Gate, openGate } from '#functions/_gateway/gate.ts';
import type { WatchDeps } from '#functions/watch-campaigns/watched-campaign.ts';
import { watchCampaigns } from '#functions/watch-campaigns/watch-campaigns.ts';
import { BadStatusError, ConnectionLostError } from '#shared/gateway-client/index.ts';
import type { CampaignReading } from '#shared/ledger/rows/campaign-row.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RunRow, SentStart } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { expectDocumented } from '../../../builders/documented-event.ts';
import { aRunId, aRunRow, aSentStart, rowsOfStart } from '../../../builders/run-rows.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const tenOClock = Date.parse('2026-11-20T22:00:00.000Z');
export const campaignId = '019ba000-0000-7000-8000-000000000201';
export const runId = aRunId;

/** An event as the bus got it. */
export interface BusEvent {
  readonly type: string;
  readonly eventId: string;
  readonly [field: string]: unknown;
}

/** What a read of a campaign fails with. */
export type Failure = 'lost' | 'not-found';

/** Which run it is. */
export type Identity = Parameters<typeof aRunRow>[1];

/**
 * A run of `nightly` that was started at ten and goes on for eight hours; fields of its start over
 * the defaults.
 */
export function aRun(start: Partial<SentStart> = {}, identity: Identity = {}): RunRow {
  return aRunRow({ state: 'running', start: aSentStart(start) }, identity);
}

/** The same run, but its start was never answered. */
export function aRunInDoubt(start: Partial<SentStart> = {}, identity: Identity = {}): RunRow {
  const landsUntil = '2026-11-20T22:01:00.000Z';
  return aRunRow({ state: 'start-unknown', start: aSentStart(start), landsUntil }, identity);
}

/**
 * Of a start: its campaign counted 41 runs before it, and the count is to grow within half an hour.
 */
export function aConfirmation(
  fields: Partial<SentStart> = {},
): Pick<SentStart, 'campaignId' | 'reading' | 'confirm'> & Partial<SentStart> {
  return {
    campaignId,
    reading: { at: '2026-11-20T21:59:58.000Z', runCount: 41, lastRunAt: '2026-11-19T22:00:04.118Z' },
    confirm: { by: 'runCount', until: '2026-11-20T22:30:00.000Z' },
    ...fields,
  };
}

/** A start of `nightly` that a blackout defers to the fourth of January. */
export function aDeferredStart(fields: Partial<CommandRow> = {}): CommandRow {
  const id = fields.id ?? 'weeknights@2026-12-21T21:45:00Z';
  const deferred = fields.deferred ?? { until: '2027-01-04T00:00:00.000Z', blackout: 'year-end freeze' };
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

/** A command that has its outcome. */
export function anEnded(command: CampaignRunCommand, at: string, fields: Partial<CommandRow> = {}): CommandRow {
  return {
    pk: ledgerKeys.command(command.id),
    kind: 'command',
    id: command.id,
    command,
    outcome: { kind: 'applied', at },
    openState: 'ENDED',
    openSince: at,
    ...fields,
  };
}

/** Ticks over a ledger in memory, with a gateway, a queue, a bus and a clock that remember. */
export function createWatchBench(options: { readonly mode?: 'act' | 'observe'; readonly ledger?: Ledger } = {}) {
  const ledger = options.ledger ?? createMemoryLedger();
  const sent: CampaignRunCommand[] = [];
  const events: BusEvent[] = [];
  const asked: string[] = [];
  const told: string[] = [];
  const lines: { readonly level: string; readonly event: string; readonly sentence: string }[] = [];
  const counts: { readonly metric: string; readonly value: number }[] = [];
  const campaigns = new Map<string, CampaignReading & { readonly lastRun?: string }>([
    [campaignId, { runCount: 41, lastRunAt: '2026-11-19T22:00:04.118Z' }],
  ]);
  const failures = new Map<string, Failure>();
  let nowMs = tenOClock;

  const gateway: WatchDeps['gateway'] = {
    async getCampaign(input) {
      asked.push(input.campaignId);
      const failure = failures.get(input.campaignId);
      if (failure === 'lost') throw new ConnectionLostError('GET', undefined);
      const campaign = campaigns.get(input.campaignId);
      if (failure === 'not-found' || campaign === undefined) {
        throw new BadStatusError('GET', {
          status: 404,
          details: { text: 'no campaign', fields: [] },
          namesResource: true,
        });
      }
      return { campaign: { id: input.campaignId, ...campaign } };
    },
  };
  const gate: Gate = {
    ...openGate,
    failed: async (_verdict, about) => void told.push(`failed ${about}`),
    answered: async () => void told.push('answered'),
  };
  const line =
    (level: string) =>
    (event: string, sentence: string): void =>
      void lines.push({ level, event, sentence });

  async function put(row: LedgerRow): Promise<void> {
    await ledger.write<LedgerRow>(await ledger.read(row.pk), row);
  }

  async function tick(deps: Partial<WatchDeps> = {}): Promise<TickAnswer> {
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
      rateLimiter: { waitMs: () => 0, take: () => undefined },
      callBudgetMs: 17_000,
      remainingMs: () => 60_000,
      config: {
        mode: options.mode ?? 'act',
        campaigns: [{ campaignId, names: ['chat-bot'], runs: ['nightly'], target: 'chat-bot' }],
      },
      reports: {
        log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
        count: (metric, value) => void counts.push({ metric, value }),
      },
      now: () => new Date(nowMs),
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
    counted: (metric: string) => counts.filter((one) => one.metric === metric).map(({ value }) => value),
    linesOf: (event: string) => lines.filter((one) => one.event === event),
    now: () => new Date(nowMs),
    setNow: (instant: string) => void (nowMs = Date.parse(instant)),
    passMs: (ms: number) => void (nowMs += ms),
    /** A tick each minute, for so long. */
    async tickFor(ms: number, deps: Partial<WatchDeps> = {}): Promise<void> {
      for (let passed = 0; passed < ms; passed += minute) {
        nowMs += minute;
        await tick(deps);
      }
    },
    /** The campaign reads like this from now on. */
    show: (reading: CampaignReading & { readonly lastRun?: string }, id = campaignId) =>
      void campaigns.set(id, reading),
    failWith: (failure: Failure | undefined, id = campaignId) =>
      void (failure === undefined ? failures.delete(id) : failures.set(id, failure)),
    /** Writes a row as it is, whatever was there. */
    put,
    /**
     * Writes a run with the guard row, the run id pool and the command of its start, as the worker
     * leaves them.
     */
    async start(row: RunRow, command: Partial<CommandRow> = {}): Promise<void> {
      const { guard, pool } = rowsOfStart(row);
      const id = guard.reservations[0]?.startId ?? '';
      const own = { pk: ledgerKeys.command(id), kind: 'command', id, command: aStart({ id }), ...command } as const;
      for (const one of [row, guard, pool, own]) await put(one);
    },
  };
}

/** The row of a run after its stop. */
export function stopped({ campaignRunId, run }: RunRow): RunRow {
  return aRunRow({ state: 'idle', stopped: { id: 'stop-1', at: '2026-11-20T22:01:00.000Z' } }, { campaignRunId, run });
}
