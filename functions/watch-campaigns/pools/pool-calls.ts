/** The calls of the gateway about pools, and what their answers mean. */
import {
  BadStatusError,
  type GatewayClient,
  type GatewayError,
  InvalidInputError,
  type Verdict,
} from '#shared/gateway-client/index.ts';
import { type MadeRun, type PoolRow, poolName } from '#shared/ledger/rows/pool-row.ts';
import type { RunPool } from '#shared/config/resolve/resolved-automation.ts';
import { callGateway, type WatchDeps } from '../watched-campaign.ts';
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
export async function makeRun(
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
  const { error, verdict } = made;
  const isRefused = isOwnRefusal(error);
  await tellGate(row, made, deps);
  if (verdict.applied !== 'no') return undefined;
  return { answer: isRefused ? 'refused' : 'later', says: verdict.why, aheadMs: row.aheadMs };
}

/** More pages would be of a gateway that does not filter by name. */
const mostPages = 20;

/** Lists the scheduled runs of a pool, or says why it could not. */
export async function listRuns(row: PoolRow, deps: PoolDeps): Promise<Dated<{ runs: MadeRun[] }> | { says: string }> {
  const name = poolName(row);
  // A run may move to another page while they are read.
  const runs = new Map<string, MadeRun>();
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await callGateway('get', async () => deps.gateway.listRuns({ name, cursor }), deps);
    if (!page.ok) {
      await tellGate(row, page, deps);
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
  const { stop: status } = deps.config.gateway.status;
  const done = await callGateway(
    'patch',
    async () => deps.gateway.updateCampaignRun({ campaignRunId: id, status }),
    deps,
  );
  if (done.ok || done.verdict.next === 'applied' || done.verdict.isAlready === true) return undefined;
  await tellGate(row, done, deps);
  const { error, verdict } = done;
  const { tries = 0 } = row.made.find((one) => one.id === id)?.cancel ?? {};
  const gone = tries < patientTries ? [409, 410, 412] : [404, 409, 410, 412];
  return error instanceof BadStatusError && gone.includes(error.status) ? undefined : verdict.why;
}

/** Statuses after which the same request may succeed soon. */
const passing: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/** The gateway refuses this operation to this token, or this request: no one else has to wait for that. */
function isOwnRefusal(error: GatewayError): boolean {
  if (error instanceof InvalidInputError) return true;
  if (!(error instanceof BadStatusError) || passing.has(error.status) || error.status >= 500) return false;
  const { fields, text } = error.details;
  // Any other body is of something before the gateway.
  return fields.length > 0 || text === '';
}

async function tellGate(
  { mark }: PoolRow,
  { error, verdict }: { readonly error: GatewayError; readonly verdict: Verdict },
  { gate }: PoolDeps,
): Promise<void> {
  if (!isOwnRefusal(error)) await gate.failed(verdict, `pool ${mark}`);
}
