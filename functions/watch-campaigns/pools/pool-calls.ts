/** The calls of the gateway about pools, and what their answers mean. */
import type { GatewayClient, Verdict } from '#shared/gateway-client/index.ts';
import type { MadeRun, PoolRow } from '#shared/ledger/rows/run-row.ts';
import { longestRunName } from '#shared/messages/campaign-run-command.ts';
import type { RunPool } from '#shared/config/resolve/resolved-automation.ts';
import { isRefusal } from '../../_gateway/gate-moves.ts';
import { callGateway, type WatchDeps } from '../../_watch/watch-tick.ts';
import type { AskAnswer } from './decide-pool.ts';

/** What a tick needs for pools, beside the rest. */
export interface PoolDeps extends WatchDeps {
  readonly gateway: WatchDeps['gateway'] & Pick<GatewayClient, 'updateCampaignRun' | 'makeRun' | 'listRuns'>;
  /** Empties every pool: the stage is to be destroyed. @default false */
  readonly drains?: boolean;
  readonly random: () => number;
}

/** Of a successful answer: how far the gateway's clock is ahead of ours. */
type Dated<Answer> = Answer & Pick<PoolRow, 'aheadMs'>;

/** Less may be the way of an answer. */
const leastAheadMs = 5 * 60_000;

function aheadOf(date: Date | undefined, now: Date): Pick<PoolRow, 'aheadMs'> {
  const aheadMs = (date?.getTime() ?? 0) - now.getTime();
  return { aheadMs: aheadMs >= leastAheadMs ? aheadMs : undefined };
}

/** POSTs a schedule of one run. `undefined`: it may have been made. */
export async function askForRun(
  row: PoolRow,
  { campaignId, providerIds }: RunPool,
  startAt: string,
  deps: PoolDeps,
): Promise<Dated<AskAnswer> | undefined> {
  const input = { name: poolName(row), campaignId, providerIds, startAt };
  const made = await callGateway('post', async () => deps.gateway.makeRun(input), deps);
  if (made.ok) {
    const { campaignRunId, date } = made.answer;
    return { answer: 'made', made: { id: campaignRunId.toLowerCase(), startAt }, ...aheadOf(date, deps.now()) };
  }
  const { verdict } = made;
  await tellGate(row, verdict, deps);
  if (verdict.applied !== 'no') return undefined;
  return { answer: isRefused(verdict) ? 'refused' : 'later', says: verdict.why, aheadMs: row.aheadMs };
}

/** More pages would be of a gateway that does not filter by name. */
const mostPages = 20;

/** Lists the scheduled runs of a pool, or says why it could not. */
export async function listPool(row: PoolRow, deps: PoolDeps): Promise<Dated<{ runs: MadeRun[] }> | { says: string }> {
  const name = poolName(row);
  // A run may move to another page while they are read.
  const runs = new Map<string, MadeRun>();
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await callGateway('get', async () => deps.gateway.listRuns({ name, cursor }), deps);
    if (!page.ok) {
      await tellGate(row, page.verdict, deps);
      return { says: page.verdict.why };
    }
    const { campaignRuns, next, date } = page.answer;
    for (const run of campaignRuns) {
      if (run.name !== name || run.status !== 'scheduled') continue;
      const id = run.id.toLowerCase();
      runs.set(id, { id, startAt: run.startAt ?? page.at });
    }
    cursor = next;
    if (cursor === undefined) return { runs: [...runs.values()], ...aheadOf(date, deps.now()) };
  }
  return { says: `the list of runs has more than ${mostPages} pages` };
}

/** A 404 soon after a run was made may be of a gateway that does not show it everywhere yet. */
const patientTries = 3;

/** PATCHes a run that is not wanted. @returns why it may still begin; `undefined`: it never does */
export async function cancelRun(row: PoolRow, id: string, deps: PoolDeps): Promise<string | undefined> {
  const input = { campaignRunId: id, status: deps.config.gateway.status.stop };
  const done = await callGateway('patch', async () => deps.gateway.updateCampaignRun(input), deps);
  if (done.ok) return undefined;
  const { next, isAlready, reason, why } = done.verdict;
  if (next === 'applied' || isAlready === true || reason === 'CONFLICT') return undefined;
  await tellGate(row, done.verdict, deps);
  const { tries = 0 } = row.made.find((one) => one.id === id)?.cancel ?? {};
  return reason === 'RUN_NOT_FOUND' && tries >= patientTries ? undefined : why;
}

/** The gateway itself says no to this operation or request: that is about no other call. */
function isRefused(verdict: Verdict): boolean {
  return isRefusal(verdict) && verdict.pauseMs === undefined;
}

async function tellGate({ mark }: PoolRow, verdict: Verdict, { gate }: PoolDeps): Promise<void> {
  if (!isRefused(verdict)) await gate.failed(verdict, `pool ${mark}`);
}

/** The name of its runs at the gateway. */
export function poolName({ run, mark }: Pick<PoolRow, 'run' | 'mark'>): string {
  return `${run.slice(0, longestRunName - mark.length - 1)} ${mark}`;
}
