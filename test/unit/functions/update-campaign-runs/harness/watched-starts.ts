import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type RunRow, startOf } from '#shared/ledger/rows/run-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { campaignId, type createUpdateBench, smokeId } from './update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

const minuteMs = 60_000;

/** What one attempt knows of the freeze. */
interface Attempt {
  /** The stage was frozen when it began. */
  readonly beganFrozen: boolean;
  /** Its last look at the switch said so; `undefined`: it never looked. */
  sawFrozen?: boolean;
}

/** A request that asked the gateway to start a run, and how the world was when it went out. */
interface SentStart {
  readonly atMs: number;
  readonly isFrozen: boolean;
  readonly attempt: Readonly<Attempt>;
  /** The list of runs in flight has it, with a planned stop. */
  readonly isArmed: boolean;
  /** Since the campaign ran, by this stage or by hand. */
  readonly sinceRunMs: number;
  /** Runs that the gateway had running then, within their windows. */
  readonly running: readonly string[];
}

/** The ledger of an attempt, with an eye on what it sees of the switch. */
export function ledgerOf(ledger: Ledger, attempt: Attempt): Ledger {
  return {
    ...ledger,
    async readMany(pks) {
      const rows = await ledger.readMany(pks);
      const key = ledgerKeys.switch('stage', 'stage');
      const freeze = rows.get(key);
      if (pks.includes(key)) attempt.sawFrozen = freeze?.kind === 'switch' && freeze.isOn;
      return rows;
    },
  };
}

/** The bench, with a record of each request that starts a run. */
export function watched(bench: Bench) {
  const starts: SentStart[] = [];
  const since = new Map<string, number>();
  let isFrozen = false;

  /** Which runs the gateway has in flight at this moment, by what it did. */
  function running(): readonly string[] {
    const nowMs = bench.now().getTime();
    return [...bench.statuses]
      .filter(([id, status]) => status === 'running' && nowMs < (since.get(id) ?? 0) + lastsMs(id))
      .map(([id]) => id);
  }

  async function sent(campaignRunId: string, attempt: Attempt): Promise<SentStart> {
    const { campaign } = await bench.gateway.getCampaign({ campaignId });
    const row = await bench.ledger.read<RunRow>(ledgerKeys.run(campaignRunId));
    const atMs = bench.now().getTime();
    return {
      atMs,
      isFrozen,
      attempt: { ...attempt },
      isArmed: row?.openState === 'RUN_IN_FLIGHT' && startOf(row)?.plannedStop !== undefined,
      sinceRunMs:
        atMs - Date.parse(typeof campaign.lastRunAt === 'string' ? campaign.lastRunAt : new Date(0).toISOString()),
      running: running().filter((id) => id !== campaignRunId),
    };
  }

  function gatewayOf(gateway: Bench['gateway'], attempt: Attempt): Bench['gateway'] {
    return {
      getCampaign: gateway.getCampaign,
      async updateCampaignRun(input) {
        if (input.status === 'running') starts.push(await sent(input.campaignRunId, attempt));
        const wasRunning = bench.statuses.get(input.campaignRunId) === 'running';
        try {
          return await gateway.updateCampaignRun(input);
        } finally {
          const isRunning = bench.statuses.get(input.campaignRunId) === 'running';
          if (isRunning && !wasRunning) since.set(input.campaignRunId, bench.now().getTime());
        }
      },
    };
  }

  return {
    starts,
    gatewayOf,
    begin: (): Attempt => ({ beganFrozen: isFrozen }),
    freeze: async (isOn: boolean) => {
      await setSwitch(bench.table, stageSwitch, { isOn, by: 'ann', reason: 'CHG-7', at: bench.now() });
      isFrozen = isOn;
    },
  };
}

/** Of the bench's configuration. */
function lastsMs(campaignRunId: string): number {
  return (campaignRunId === smokeId ? 30 : 480) * minuteMs;
}
