import type { ConfigPart, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { mayAskForRuns, type RunReadingsRow } from '#shared/ledger/rows/run-reading.ts';
import { freeIds, type RunRow } from '#shared/ledger/rows/run-row.ts';
import { monthOf, startsUsed, type TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { SuppliesAnswer } from '#shared/messages/questions.ts';

/** What the answer needs of the world: reads. */
export interface SuppliesDeps {
  readonly config: Pick<ConfigPart<'answer-questions'>, 'runs' | 'timezone' | 'notify'> & {
    readonly gateway: Pick<ConfigPart<'answer-questions'>['gateway'], 'readsRuns'>;
  };
  readonly ledger: Pick<Ledger, 'read'>;
  readonly now: () => Date;
}

/** Answers how many ids each run has left, and how much of its month's budget each campaign has used (`autopilot doctor`). */
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
        const left = await idsLeft(run, ledger);
        return { run: run.name, left, isLow: left < config.notify.runIdsLow };
      }),
    ),
    Promise.all([...campaigns.values()].map((run) => budgetOf(run, month, ledger))),
    readingOfRuns(deps),
  ]);
  return { bindings, budgets, runReadings };
}

/** How many ids of a run no start has used. */
export async function idsLeft({ name, campaignRunIds }: ResolvedRun, ledger: Pick<Ledger, 'read'>): Promise<number> {
  return freeIds(await ledger.read<RunRow>(ledgerKeys.run(name)), campaignRunIds).length;
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
export async function readingOfRuns({
  config,
  ledger,
  now,
}: Pick<SuppliesDeps, 'ledger' | 'now'> & {
  readonly config: Pick<SuppliesDeps['config'], 'gateway'>;
}): Promise<SuppliesAnswer['runReadings']> {
  if (config.gateway.readsRuns !== true) return undefined;
  const row = await ledger.read<RunReadingsRow>(ledgerKeys.runReadings());
  if (row === undefined || mayAskForRuns(row, now())) return 'on';
  return { status: row.status, missingAt: row.missingAt };
}
