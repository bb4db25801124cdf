import type { ConfigPart, ResolvedRun } from '../../shared/config/resolved-automation.ts';
import { monthOf, startsUsed } from '../../shared/guards/month-budget.ts';
import { type BindingItem, type GuardItem, ledgerKeys } from '../../shared/ledger/items.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
import type { SuppliesAnswer } from '../../shared/messages/supplies.ts';
import { freeIds, newBinding } from './binding-rows.ts';
import { lowBindingIds } from './find-start.ts';

/** What the answer needs of the world: reads. */
export interface SuppliesDeps {
  readonly config: Pick<ConfigPart<'update-campaign-runs'>, 'runs' | 'timezone'>;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly now: () => Date;
}

/** Answers how many ids each run has left, and how much of its month's budget each campaign has used (`autopilot doctor`). */
export async function answerSupplies({ config, ledger, now }: SuppliesDeps): Promise<SuppliesAnswer> {
  const runs = Object.values(config.runs);
  const month = monthOf(now(), config.timezone);
  const [bindings, budgets] = await Promise.all([
    Promise.all(runs.flatMap((run) => (run.binding.kind === 'list' ? [bindingOf(run, run.binding, ledger)] : []))),
    Promise.all([...budgetedCampaigns(runs).values()].map((run) => budgetOf(run, month, ledger))),
  ]);
  return { bindings, budgets };
}

async function bindingOf(
  { name }: ResolvedRun,
  { campaignRunIds }: ResolvedRun['binding'] & { readonly kind: 'list' },
  ledger: SuppliesDeps['ledger'],
): Promise<SuppliesAnswer['bindings'][number]> {
  const binding = (await ledger.read<BindingItem>(ledgerKeys.binding(name))) ?? newBinding(name);
  const left = freeIds(binding, campaignRunIds).length;
  return { run: name, left, isLow: left < lowBindingIds };
}

type BudgetedRun = ResolvedRun & { readonly startsPerMonth: number };

/** One run for each campaign: the budget is the campaign's. */
function budgetedCampaigns(runs: readonly ResolvedRun[]): ReadonlyMap<string, BudgetedRun> {
  return new Map(
    runs.flatMap((run) =>
      run.startsPerMonth === undefined ? [] : [[run.campaign, { ...run, startsPerMonth: run.startsPerMonth }] as const],
    ),
  );
}

async function budgetOf(
  { campaign, guardName, startsPerMonth }: BudgetedRun,
  month: string,
  ledger: SuppliesDeps['ledger'],
): Promise<SuppliesAnswer['budgets'][number]> {
  const guard = await ledger.read<GuardItem>(ledgerKeys.guard(guardName));
  return { campaign, month, used: startsUsed(guard, { month, campaign }), startsPerMonth };
}
