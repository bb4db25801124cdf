import type { AutomationDocument } from './automation.ts';
import { type ConfigProblem, formatPath } from './config-problem.ts';

/** What is allowed and probably not meant. */
export function configWarnings(document: AutomationDocument): ConfigProblem[] {
  return [...emptyBindings(document), ...openPrefixes(document)];
}

function emptyBindings({ campaigns }: AutomationDocument): ConfigProblem[] {
  return Object.entries(campaigns).flatMap(([campaign, { runs }]) =>
    Object.entries(runs)
      .filter(([, { campaignRunIds }]) => campaignRunIds?.length === 0)
      .map(([run]) => ({
        path: formatPath(['campaigns', campaign, 'runs', run, 'campaignRunIds']),
        message: `is empty: every start is parked until ids are bound (autopilot bind ${run} ID…).`,
      })),
  );
}

function openPrefixes({ datasets = [] }: AutomationDocument): ConfigProblem[] {
  return datasets.flatMap(({ prefix }, index) =>
    prefix.endsWith('/')
      ? []
      : [
          {
            path: formatPath(['datasets', index, 'prefix']),
            message: `"${prefix}" ends without a slash, so "${prefix}-old/…" matches it too.`,
          },
        ],
  );
}
