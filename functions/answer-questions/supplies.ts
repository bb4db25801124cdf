import type { ConfigPart, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { monthOf, startsUsed } from '#shared/guards/month-budget.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { GuardRow } from '#shared/ledger/rows/guard-row.ts';
import { freeIds, lowRunIds, type RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import type { SuppliesAnswer } from '#shared/messages/supplies.ts';

/** What the answer needs of the world: reads. */
export interface SuppliesDeps {
  readonly config: Pick<ConfigPart<'answer-questions'>, 'runs' | 'timezone'>;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly now: () => Date;
}

/** Answers how many ids each run has left, and how much of its month's budget each campaign has used (`autopilot doctor`). */
export async function answerSupplies({ config, ledger, now }: SuppliesDeps): Promise<SuppliesAnswer> {
  const runs = Object.values(config.runs);
  const month = monthOf(now(), config.timezone);
  const [bindings, budgets] = await Promise.all([
    Promise.all(runs.flatMap((run) => (run.pool.kind === 'list' ? [poolOf(run, run.pool, ledger)] : []))),
    Promise.all([...budgetedCampaigns(runs).values()].map((run) => budgetOf(run, month, ledger))),
  ]);
  return { bindings, budgets };
}

async function poolOf(
  { name }: ResolvedRun,
  { campaignRunIds }: ResolvedRun['pool'] & { readonly kind: 'list' },
  ledger: SuppliesDeps['ledger'],
): Promise<SuppliesAnswer['bindings'][number]> {
  const pool = await ledger.read<RunIdPoolRow>(ledgerKeys.runIdPool(name));
  const left = freeIds(pool, campaignRunIds).length;
  return { run: name, left, isLow: left < lowRunIds };
}

/** One run for each campaign: the budget is the campaign's. */
function budgetedCampaigns(runs: readonly ResolvedRun[]): ReadonlyMap<string, ResolvedRun> {
  return new Map(runs.filter(({ guards }) => guards.startsPerMonth !== undefined).map((run) => [run.campaign, run]));
}

async function budgetOf(
  { campaign, guards: { target, startsPerMonth = 0 } }: ResolvedRun,
  month: string,
  ledger: SuppliesDeps['ledger'],
): Promise<SuppliesAnswer['budgets'][number]> {
  const guard = await ledger.read<GuardRow>(ledgerKeys.guard(target));
  return { campaign, month, used: startsUsed(guard, { month, campaign }), startsPerMonth };
}
