import type { ConfigPart, ResolvedRun, RunPool } from '#shared/config/resolve/resolved-automation.ts';
import { calendarFilesOf } from '#shared/schedule/calendars.ts';
import { BadStatusError, type CampaignRunShown, type GatewayClient } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { mayAskForRuns, runReadingOf, type RunReadingsRow } from '#shared/ledger/rows/run-reading.ts';
import { freeIds, lowMark, poolIds, poolKey, type PoolRow, type RunRow } from '#shared/ledger/rows/run-row.ts';
import { monthOf, startsUsed, type TargetRow } from '#shared/ledger/rows/target-row.ts';
import { mostIdsRead, type RunIdsAnswer, runIdsQuestion, type SuppliesAnswer } from '#shared/messages/questions.ts';
import { askedRead, type AskedReadDeps } from '../_gateway/gateway-calls.ts';
import { runNamed } from '../_runs/decide/rows.ts';

/** What the answer needs of the world: reads. */
export type PoolIdsDeps = AskedReadDeps &
  Pick<SuppliesDeps, 'ledger' | 'now'> & {
    readonly config: Pick<SuppliesDeps['config'], 'runs' | 'gateway'>;
    readonly gateway: Pick<GatewayClient, 'readCampaignRun'>;
  };

type PoolId = readonly [run: ResolvedRun, campaignRunId: string];

/**
 * Answers which run ids cannot be started: the gateway shows each run (`autopilot bind`, `autopilot doctor`).
 * Reads at most 50, at the rate of reads; what is left when the time is up, or a read fails, is not read.
 * @throws Error for what is no such question, and the ledger's errors
 */
export async function answerRunIds(event: unknown, deps: PoolIdsDeps): Promise<RunIdsAnswer> {
  const asked = runIdsQuestion.parse(event);
  const ids = await idsAsked(asked, deps);
  const answer = { of: ids.length, read: 0, odd: [] as RunIdsAnswer['odd'] };
  if ((await readingOfRuns(deps.config.gateway, deps)) !== 'on')
    return { ...answer, unread: 'this stage reads no runs' };
  for (const [run, campaignRunId] of ids) {
    const read = await askedRead(async () => deps.gateway.readCampaignRun({ campaignRunId }), deps);
    const status = !read.ok && read.error instanceof BadStatusError ? read.error.status : undefined;
    // Before any run was shown, a 404 may mean that the operation is missing.
    if (!read.ok && (status !== 404 || answer.read === 0)) return { ...answer, unread: read.why };
    answer.read += 1;
    const says = read.ok ? whyNotStarted(read.answer.campaignRun, run) : 'is not found at the gateway';
    if (says !== undefined) answer.odd.push({ run: run.name, campaignRunId, says });
  }
  return answer;
}

/** Those of the question, else the next ones of every run, as many of each. */
async function idsAsked(
  { run: name, ids }: { readonly run?: string | undefined; readonly ids?: readonly string[] | undefined },
  deps: PoolIdsDeps,
): Promise<readonly PoolId[]> {
  const { config } = deps;
  const named = runNamed(name, config);
  if (ids !== undefined) return named === undefined ? [] : ids.map((id) => [named, id]);
  const runs = Object.values(config.runs);
  const most = Math.max(1, Math.floor(mostIdsRead / Math.max(1, runs.length)));
  const pools = await Promise.all(
    runs.map(async (run) => {
      const { free } = await readIdsOf(run, deps);
      return free.slice(0, most).map((id): PoolId => [run, id]);
    }),
  );
  return pools.flat().slice(0, mostIdsRead);
}

function whyNotStarted(shown: CampaignRunShown, run: Pick<ResolvedRun, 'campaign' | 'campaignId'>): string | undefined {
  const { campaignId } = shown;
  const status = runReadingOf(shown)?.status ?? 'scheduled';
  if (status !== 'scheduled') return `is ${status.replaceAll('_', ' ')}, and only a scheduled run can start`;
  const isOther = campaignId !== undefined && run.campaignId !== undefined && campaignId !== run.campaignId;
  return isOther ? `belongs to another campaign than ${run.campaign}` : undefined;
}

/** What is needed to say what is left: reads. */
export interface SuppliesDeps {
  readonly config: Pick<ConfigPart<'answer-questions'>, 'runs' | 'timezone' | 'notify' | 'blackouts'> & {
    readonly gateway: Pick<ConfigPart<'answer-questions'>['gateway'], 'readsRuns'>;
  };
  readonly ledger: Pick<Ledger, 'read'>;
  readonly now: () => Date;
}

/**
 * Answers how many ids each run has left, and how much of its month's budget each campaign has used
 * (`autopilot doctor`).
 */
export async function answerSupplies(deps: SuppliesDeps): Promise<SuppliesAnswer> {
  const { config, ledger, now } = deps;
  const runs = Object.values(config.runs);
  const month = monthOf(now(), config.timezone);
  // One run for each campaign: the budget is the campaign's.
  const budgeted = runs.filter(({ guards }) => guards.startsPerMonth !== undefined);
  const campaigns = new Map(budgeted.map((run) => [run.campaign, run]));
  const [bindings, budgets, runReadings] = await Promise.all([
    Promise.all(
      runs.map(async (run) => {
        const { free, pool } = await readIdsOf(run, deps);
        const isLow = free.length < lowMark(run, config.notify.runIdsLow);
        return { run: run.name, left: free.length, isLow, pool: run.pool && poolOf(pool, run.pool, free.length) };
      }),
    ),
    Promise.all([...campaigns.values()].map((run) => budgetOf(run, month, ledger))),
    readingOfRuns(config.gateway, deps),
  ]);
  return { bindings, budgets, runReadings, calendars: calendarFilesOf(config.blackouts) };
}

/** The ids of a run that no start has used, and the row of its pool. */
export async function readIdsOf(run: ResolvedRun, { ledger, now }: Pick<SuppliesDeps, 'ledger' | 'now'>) {
  const [row, pool] = await Promise.all([
    ledger.read<RunRow>(ledgerKeys.run(run.name)),
    run.pool && ledger.read<PoolRow>(poolKey(run.pool)),
  ]);
  return { pool, free: freeIds(row, run.campaignRunIds, poolIds(pool, now())) };
}

/** When the first unused run of a pool would begin, and what keeps it from filling. */
function poolOf(row: PoolRow | undefined, { keepReady }: RunPool, ready: number) {
  const begins = row?.made.map(({ startAt }) => startAt).toSorted()[0];
  return { keepReady, begins, failing: ready < keepReady ? row?.failing : undefined };
}

/** What a campaign with a budget has used of it. */
export async function budgetOf(
  { campaign, guards: { target, startsPerMonth = 0 } }: ResolvedRun,
  month: string,
  ledger: Pick<Ledger, 'read'>,
): Promise<SuppliesAnswer['budgets'][number]> {
  const row = await ledger.read<TargetRow>(ledgerKeys.target(target));
  return { campaign, month, used: startsUsed(row, { month, campaign }), startsPerMonth };
}

/** Whether runs are read: `undefined` without the setting, and what the gateway answered if it has no such operation. */
export async function readingOfRuns(
  { readsRuns }: SuppliesDeps['config']['gateway'],
  { ledger, now }: Pick<SuppliesDeps, 'ledger' | 'now'>,
): Promise<SuppliesAnswer['runReadings']> {
  if (readsRuns !== true) return undefined;
  const row = await ledger.read<RunReadingsRow>(ledgerKeys.runReadings());
  if (row === undefined || mayAskForRuns(row, now())) return 'on';
  return { status: row.status, missingAt: row.missingAt };
}
