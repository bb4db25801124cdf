import type { ConfigParts, ResolvedAutomation } from '../../shared/config/resolved-automation.ts';
import { mappingConcurrency } from './concurrency.ts';

/** The part of the document that each function's asset carries as `config.json`. */
export function configParts(automation: ResolvedAutomation): ConfigParts {
  const { stage, timezone, gateway, runs, packageWatches, projectWatches, datasetRules, runPlans } = automation;
  const concurrency = mappingConcurrency(gateway);
  const rates = gateway.requestsPerSecond;
  return {
    // One walk at a time, by its lease in the ledger: it has the whole rate of the reads.
    'poll-scanner-packages': { stage, gateway, packageWatches, requestsPerSecond: rates.reads },
    'update-campaign-runs': {
      stage,
      timezone,
      gateway,
      runs,
      requestsPerSecond: rates.runs / concurrency.commands,
      readsPerSecond: rates.reads / concurrency.commands,
    },
    'register-datasets': { stage, gateway, datasetRules, requestsPerSecond: rates.datasets / concurrency.uploads },
    'send-run-plans': { stage, runPlans, runNames: Object.keys(runs) },
    'park-dead-letters': { stage },
    'reconcile-ledger': {
      stage,
      datasetPrefixes: datasetRules.map(({ prefix, since }) => ({ prefix, ...(since === undefined ? {} : { since }) })),
    },
    'watch-campaigns': { stage },
    'watch-projects': {
      stage,
      gateway,
      projectWatches,
      // Watches with the same period tick together, each in an environment of its own.
      requestsPerSecond: rates.reads / Math.max(1, projectWatches.length),
      projectOfRun: Object.fromEntries(
        Object.values(runs).flatMap(({ name, project }) => (project === undefined ? [] : [[name, project]])),
      ),
    },
  };
}
