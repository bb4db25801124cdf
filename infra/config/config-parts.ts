import type {
  ConfigParts,
  ResolvedAutomation,
  WatchedCampaign,
  WatchedSchedule,
} from '#shared/config/resolve/resolved-automation.ts';
import { mappingConcurrency } from './stage-numbers.ts';

/** The part of the document that each function's asset carries as `config.json`. */
export function configParts(automation: ResolvedAutomation): ConfigParts {
  const { stage, mode, timezone, gateway, runs, blackouts } = automation;
  const { packageWatches, projectWatches, datasetRules, runPlans } = automation;
  const concurrency = mappingConcurrency(gateway);
  const rates = gateway.requestsPerSecond;
  return {
    // One walk at a time, by its lease in the ledger: it has the whole rate of the reads.
    'poll-scanner-packages': { stage, mode, gateway, packageWatches, requestsPerSecond: rates.reads },
    'update-campaign-runs': {
      stage,
      mode,
      timezone,
      gateway,
      runs,
      blackouts,
      requestsPerSecond: rates.runs / concurrency.commands,
      readsPerSecond: rates.reads / concurrency.commands,
    },
    'register-datasets': {
      stage,
      mode,
      gateway,
      datasetRules,
      requestsPerSecond: rates.datasets / concurrency.uploads,
    },
    'send-run-plans': { stage, mode, runPlans, runNames: Object.keys(runs) },
    'park-dead-letters': { stage, mode },
    'reconcile-ledger': {
      stage,
      mode,
      datasetRules,
      blackouts,
      silentAlso: automation.notify.silentAlso,
      schedules: watchedSchedules(automation),
    },
    'watch-campaigns': {
      stage,
      mode,
      gateway,
      campaigns: watchedCampaigns(runs),
      requestsPerSecond: rates.reads, // one tick a minute, and it ends before the next
    },
    'watch-projects': {
      stage,
      mode,
      gateway,
      projectWatches,
      // Watches with the same period tick together, each in an environment of its own.
      requestsPerSecond: rates.reads / Math.max(1, projectWatches.length),
      projectOfRun: Object.fromEntries(
        Object.values(runs).flatMap(({ name, project }) => (project === undefined ? [] : [[name, project]])),
      ),
    },
    'answer-questions': {
      stage,
      mode,
      timezone,
      gateway,
      runs,
      blackouts,
      packageWatches,
      projectWatches,
      datasetRules,
      runPlans,
      notify: {
        ...automation.notify,
        webhooks: automation.notify.webhooks.map(({ name, kind }) => ({ name, kind })),
      },
      requestsPerSecond: rates.reads, // a person asks one question at a time, and waits for the answer
    },
  };
}

/** Two campaigns of the configuration may be one at the gateway: it is read once. */
function watchedCampaigns(runs: ResolvedAutomation['runs']): readonly WatchedCampaign[] {
  const byId = Map.groupBy(Object.values(runs), ({ campaignId }) => campaignId);
  return [...byId].flatMap(([campaignId, its]) => {
    const [first] = its;
    if (campaignId === undefined || first === undefined) return [];
    const names = [...new Set(its.map(({ campaign }) => campaign))];
    return [{ campaignId, names, runs: its.map(({ name }) => name), target: first.guards.target }];
  });
}

/**
 * The schedules whose silence is judged: those that start a run and that the configuration has not
 * disabled.
 */
function watchedSchedules({ schedules, runs, notify }: ResolvedAutomation): readonly WatchedSchedule[] {
  return schedules
    .filter(({ action, enabled }) => action === 'start' && enabled)
    .map(({ name, run, expression, timezone, startDate, silentAfter = notify.silentAfter }) => ({
      name,
      run,
      campaign: runs[run]?.campaign,
      expression,
      timezone,
      startDate,
      silentAfter,
    }));
}
