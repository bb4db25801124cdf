/** The row of a pool: the runs that Autopilot made ahead for a run, and what it asked the gateway for. Pure. */
import type { RunPool } from '../../config/resolve/resolved-automation.ts';
import { longestRunName } from '../../messages/campaign-run-command.ts';
import type { LedgerRowBase } from './row-base.ts';
import { ledgerKeys } from './row-keys.ts';

/** A pool of runs. Only `watch-campaigns` writes it, and it stays for ever. Instants are RFC 3339 in UTC. */
export interface PoolRow extends LedgerRowBase {
  readonly kind: 'pool';
  /** The configured run's name. */
  readonly run: string;
  /** Eight random letters: with the name of the run they name its runs at the gateway, and no other pool's. */
  readonly mark: string;
  readonly made: readonly MadeRun[];
  /** Requests for one run each, of the last day. */
  readonly asks: readonly PoolAsk[];
  /** Asks in a row of which no run was found. */
  readonly lost: number;
  /** A run of it may exist that no list has shown. */
  readonly everLost?: true;
  /** The last whole list. */
  readonly listed: string;
  /** The last list that failed; absent after one that did not. */
  readonly unlisted?: { readonly at: string; readonly says: string };
  /** How far the gateway's clock is ahead of ours, if that is more than a few minutes. */
  readonly aheadMs?: number;
  /** Why it is not filled, in the gateway's words. `told`: the event of it is published. */
  readonly failing?: { readonly since: string; readonly says: string; readonly told?: true };
  /** When it was last asked to be emptied. It holds for an hour. */
  readonly drain?: string;
}

/** A run that was made and that no applied start has taken. */
export interface MadeRun {
  readonly id: string;
  /** When it begins if it is neither used nor cancelled. */
  readonly startAt: string;
  /** It is being cancelled: the last try, and what came back. */
  readonly cancel?: { readonly at: string; readonly tries: number; readonly says?: string };
}

/** A request for a run. Without an answer it may have made one. */
export interface PoolAsk {
  readonly at: string;
  /** `later`: the gateway has no room, or could not be reached; `lost`: no list has shown its run. */
  readonly answer?: 'made' | 'refused' | 'later' | 'lost';
}

/** The key of the row of a pool. */
export function poolKey({ run, campaignId, providerIds }: RunPool): string {
  return ledgerKeys.pool(run, campaignId, providerIds);
}

/** A pool of which nothing was made. */
export function newPoolRow(pool: RunPool, mark: string, now: Date): PoolRow {
  const [run, at] = [pool.run, now.toISOString()];
  const index = { openState: 'POOL', openSince: at } as const;
  return { pk: poolKey(pool), kind: 'pool', ...index, run, mark, made: [], asks: [], lost: 0, listed: at };
}

/** The name of its runs at the gateway. */
export function poolName({ run, mark }: Pick<PoolRow, 'run' | 'mark'>): string {
  return `${run.slice(0, longestRunName - mark.length - 1)} ${mark}`;
}

/** The later of our clock and the gateway's. */
export function poolNow({ aheadMs = 0 }: Pick<PoolRow, 'aheadMs'>, now: Date): Date {
  return new Date(now.getTime() + aheadMs);
}

/** After an outage a start would take a run that has begun. */
const leastAheadMs = 24 * 60 * 60_000;

/** The ids that a start may take, as far as this row knows. The row of an id decides. */
export function poolIds(row: PoolRow | undefined, now: Date): readonly string[] {
  if (row === undefined) return [];
  const fromMs = poolNow(row, now).getTime() + leastAheadMs;
  return row.made
    .filter(({ cancel, startAt }) => cancel === undefined && Date.parse(startAt) > fromMs)
    .map(({ id }) => id);
}

/** With fewer unused ids a run rings. A pool is filled within the hour: at half of it something keeps it from that. */
export function lowMark({ pool }: { readonly pool?: Pick<RunPool, 'keepReady'> }, runIdsLow: number): number {
  return pool === undefined ? runIdsLow : Math.min(runIdsLow, Math.ceil(pool.keepReady / 2));
}
