import { openGate } from '#functions/_gateway/gate.ts';
import type { ProjectDeps } from '#functions/watch-projects/watched-project.ts';
import { watchProject } from '#functions/watch-projects/watch-project.ts';
import type { ResolvedProjectWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { Endpoint, GatewayConfig, Project } from '#shared/gateway-client/index.ts';
import type { ProjectWatchRow } from '#shared/ledger/rows/watch-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type InFlight, newTargetRow, withRuns } from '#shared/ledger/rows/target-row.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { expectDocumented } from '../../../builders/documented-event.ts';
import { keptOutput } from '../../../builders/ports.ts';
import { aRunInFlight } from '../../../builders/run-rows.ts';
import { type Crash, didCrash, effectsUntil } from '../poll-scanner-packages/poll-bench.ts';

/** An event as the bus got it. */
interface BusEvent {
  readonly type: string;
  readonly eventId: string;
  readonly [field: string]: unknown;
}

/** A scanner or a package in a configuration; fields over the defaults. */
export function anEntry(id: string, fields: Readonly<Record<string, unknown>> = {}) {
  return { id, blocking: 'true', enabled: 'true', mode: 'block', version: '2026-01', ...fields };
}

/** A configuration with one entry in each list; lists and fields over the defaults. */
export function aConfig(changes: GatewayConfig = {}): GatewayConfig {
  return {
    packages: [anEntry('p1')],
    scanners: [anEntry('s1')],
    providers: [{ id: 'main', name: 'Main model', enabled: true }],
    providerRouting: 'default',
    ...changes,
  };
}

/** A watch of `chat-app` that starts `smoke` on any change. */
export function aWatch(overrides: Partial<ResolvedProjectWatch> = {}): ResolvedProjectWatch {
  return {
    name: 'chat-app',
    project: 'chat-app',
    expression: 'rate(1 day)',
    onChange: [{ match: {}, start: 'smoke' }],
    ...overrides,
  };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Ticks of one watch against a gateway with a history, a ledger in memory, a clock, a queue and a
 * bus that remember.
 */
export function createProjectBench(watch: ResolvedProjectWatch = aWatch(), first: GatewayConfig | null = aConfig()) {
  const ledger = createMemoryLedger();
  const commands: CampaignRunCommand[] = [];
  const events: BusEvent[] = [];
  const { lines: logged, counts: counted, log, count } = keptOutput();
  const asked: string[] = [];
  const history: { readonly atMs: number; readonly config: GatewayConfig | null }[] = [{ atMs: 0, config: first }];
  let endpoints: readonly Endpoint[] = [];
  let nowMs = Date.parse('2026-11-20T22:00:00Z');
  let ticks = 0;

  const configOf = (instantMs: number) => history.findLast(({ atMs }) => atMs <= instantMs)?.config ?? null;
  const gateway: ProjectDeps['gateway'] = {
    async getProject({ project, configAt }) {
      asked.push(configAt ?? 'now');
      const config = configOf(configAt === undefined ? nowMs : Date.parse(configAt));
      const answered: Project = { id: '019ba000-0000-7000-8000-000000000101', name: project, config };
      return { project: structuredClone(answered) };
    },
    async listEndpoints() {
      asked.push('endpoints');
      return { endpoints: [...endpoints] };
    },
  };
  function depsOf(effect: ReturnType<typeof effectsUntil>): ProjectDeps {
    ticks += 1;
    return {
      gateway,
      gate: openGate,
      ledger: {
        ...ledger,
        write: (before, after) => effect(() => ledger.write(before, after)),
        writeAll: (changes) => effect(() => ledger.writeAll(changes)),
      },
      commands: { send: (body) => effect(async () => void commands.push(JSON.parse(body))) },
      bus: {
        publish: (type, detail) => {
          expectDocumented(type, detail);
          return effect(async () => void events.push({ type, ...detail }));
        },
      },
      reports: { log, count },
      projectOfRun: { nightly: 'chat-app', smoke: 'chat-app', other: 'support-assistant' },
      now: () => new Date(nowMs),
      remainingMs: () => 120_000,
      attemptId: `attempt-${ticks}`,
    };
  }

  async function tick(
    options: {
      readonly crash?: Crash | undefined;
      readonly deps?: Partial<ProjectDeps>;
      readonly watch?: ResolvedProjectWatch;
      readonly afterMs?: number;
    } = {},
  ): Promise<TickAnswer> {
    nowMs += options.afterMs ?? dayMs;
    return watchProject(options.watch ?? watch, { ...depsOf(effectsUntil(options.crash)), ...options.deps });
  }

  return {
    ledger,
    gateway,
    commands,
    events,
    logged,
    counted,
    /** What the gateway was asked: `now`, an instant of `configAt`, `endpoints`. */
    asked,
    tick,
    /** Ticks and dies on the way; says whether it did. */
    tickAndCrash: async (crash: Crash) => didCrash(tick({ crash })),
    row: () => ledger.read<ProjectWatchRow>(ledgerKeys.projectWatch(watch.name)),
    now: () => new Date(nowMs),
    advance: (ms: number) => void (nowMs += ms),
    /** The configuration is this one from the next hour on. */
    configure: (config: GatewayConfig | null) => void history.push({ atMs: nowMs + hourMs, config }),
    deploy: (next: readonly Endpoint[]) => void (endpoints = next),
    /** A run in flight since then. */
    async startRun(run: string, startedAt: Date, more: Partial<InFlight> = {}): Promise<string> {
      const campaignRunId = `run-of-${run}`;
      const endsAt = new Date(startedAt.getTime() + 240 * hourMs).toISOString();
      const due = startedAt.toISOString();
      const entry = aRunInFlight({ campaignRunId, run, due, endsAt, plansStop: false, ...more });
      await ledger.write(undefined, withRuns(newTargetRow(campaignRunId), [entry]));
      return campaignRunId;
    },
    eventsOf: (type: string) => events.filter((event) => event.type === type),
    startIds: () => [...new Set(commands.map(({ id }) => id))],
  };
}

/** A bench whose watch has looked once. */
export async function baselined(watch = aWatch(), first: GatewayConfig = aConfig()) {
  const bench = createProjectBench(watch, first);
  await bench.tick();
  return bench;
}
