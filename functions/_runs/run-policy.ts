/** What the configuration says about a run. */
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { RunsConfig } from './decide/state.ts';

type Runs = Pick<RunsConfig, 'runs'>;

/** The run of that name. */
export function runNamed(name: string | undefined, { runs }: Runs): ResolvedRun | undefined {
  return name !== undefined && Object.hasOwn(runs, name) ? runs[name] : undefined;
}

/** The run whose list has this id. An id that an operator bound is in no list. */
export function runOfId(campaignRunId: string, { runs }: Runs): ResolvedRun | undefined {
  return Object.values(runs).find(({ campaignRunIds }) => campaignRunIds.includes(campaignRunId));
}

/** One sentence for a name that the configuration does not know. */
export function unknownName(name: string, { runs }: Runs): string {
  const known = Object.keys(runs).toSorted().join(', ');
  return `no run is configured under the name "${name}"; known are: ${known || 'none'}`;
}
