/** Ticks of the watcher and starts of the run worker over one ledger, against the strict peer. */
import type { PoolDeps } from '#functions/watch-campaigns/pools/pool-calls.ts';
import { fillPools, type PoolLooked } from '#functions/watch-campaigns/pools/fill-pools.ts';
import { openGate } from '#functions/_gateway/gate.ts';
import type { ResolvedRun, RunPool } from '#shared/config/resolve/resolved-automation.ts';
import type { GatewayClient } from '#shared/gateway-client/index.ts';
import { poolIds, poolKey, type PoolRow } from '#shared/ledger/rows/run-row.ts';
import { keptOutput } from '../../../../builders/ports.ts';
import { aResolvedGateway } from '../../../../builders/resolved-gateway.ts';
import { expectDocumented } from '../../../../builders/documented-event.ts';
import { settle } from '../../../../peer/run-life.ts';
import { peerIds } from '../../../../peer/seed.ts';
import type { PeerState } from '../../../../peer/state.ts';
import { aCommand, createUpdateBench } from '../../update-campaign-runs/harness/update-bench.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** A pool of the run `smoke`. */
export function aPool(fields: Partial<RunPool> = {}): RunPool {
  const { campaigns, providers } = peerIds;
  return { run: 'smoke', campaignId: campaigns.smoke, providerIds: [providers.first], keepReady: 16, ...fields };
}

/** What one tick may have of its own. */
export type TickOptions = Partial<PoolDeps> & { readonly makesRuns?: boolean; readonly mode?: 'act' | 'observe' };

const runWith = (pool: RunPool | undefined): ResolvedRun => ({
  name: 'smoke',
  campaign: 'chat-bot',
  campaignRunIds: [],
  pool,
  stopAfter: 'PT30M',
  guards: { target: 'chat-bot', overlap: 'allow' },
});

/** @param open - gives the client of a peer that goes by `now`, and what is at that peer */
export function createPoolStage(
  open: (now: () => Date) => {
    readonly gateway: Pick<
      GatewayClient,
      'getCampaign' | 'readCampaignRun' | 'updateCampaignRun' | 'makeRun' | 'listRuns'
    >;
    readonly state: PeerState;
  },
  keepReady = 16,
) {
  const clock: { now?: () => Date } = {};
  const { gateway, state } = open(() => clock.now?.() ?? new Date('2026-11-20T22:00:00Z'));
  let pools: readonly RunPool[] = [aPool({ keepReady })];
  const bench = createUpdateBench({ runs: { smoke: runWith(pools[0]) }, gateway });
  clock.now = bench.now;
  const output = keptOutput();
  let starts = 0;

  async function tick({ makesRuns = true, mode = 'act', ...deps }: TickOptions = {}): Promise<readonly PoolLooked[]> {
    return fillPools({
      ledger: bench.ledger,
      commands: { send: async () => {} },
      bus: {
        async publish(type, detail) {
          expectDocumented(type, detail);
          bench.events.push({ type, detail });
        },
      },
      gateway,
      gate: openGate,
      rateLimiter: { waitMs: () => 0, take: async () => {} },
      callBudgetMs: 17_000,
      remainingMs: () => 60_000,
      config: { mode, pools, gateway: aResolvedGateway({ makesRuns }) },
      reports: output,
      now: bench.now,
      random: Math.random,
      ...deps,
    });
  }

  const rowOf = async (pool = pools[0]): Promise<PoolRow | undefined> =>
    pool && bench.ledger.read<PoolRow>(poolKey(pool));

  return {
    ...bench,
    ...output,
    gateway,
    state,
    tick,
    row: rowOf,
    /** How many runs a start may take by the row of the pool. */
    async ready() {
      const row = await rowOf();
      return row === undefined ? 0 : poolIds(row, bench.now()).length;
    },
    /** A tick each minute, or each so many, for so long. */
    async tickFor(ms: number, options: TickOptions & { readonly everyMs?: number } = {}): Promise<void> {
      const { everyMs = minute, ...deps } = options;
      for (let passed = 0; passed < ms; passed += everyMs) {
        bench.passMs(everyMs);
        await tick(deps);
      }
    },
    /** A start by name; each is another command. */
    async start(delivery: Parameters<typeof bench.deliver>[1] = {}): Promise<string> {
      starts += 1;
      const command = aCommand({ id: `start-${starts}`, issuedAt: bench.now().toISOString() });
      await bench.deliver(command, delivery);
      return command.id;
    },
    /** A deployment: another pool of the run, or none. */
    deploy(pool: RunPool | undefined): void {
      pools = pool === undefined ? [] : [pool];
      bench.deployRuns({ smoke: runWith(pool) });
    },
    /** The runs at the gateway as they are now. */
    runs() {
      settle(state);
      return [...state.runs.values()];
    },
  };
}
