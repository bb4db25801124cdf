import type { ConfigPart } from '#shared/config/resolve/resolved-automation.ts';
import { aResolvedGateway } from '../../builders/resolved-gateway.ts';
import { plainRule } from '../plain-rule.ts';
import { change } from '../subjects/change.ts';

/** The configuration of the functions that are measured, for a gateway at this address. */
export function functionConfig(
  baseUrl: string,
): ConfigPart<'update-campaign-runs'> & ConfigPart<'poll-scanner-packages'> & ConfigPart<'register-datasets'> {
  return {
    stage: 'bench',
    mode: 'act',
    blackouts: [],
    timezone: 'Europe/Dublin',
    gateway: aResolvedGateway({
      baseUrl,
      status: { stop: change.status },
      requestsPerSecond: { datasets: 4, runs: 0.5, reads: 0.5 },
    }),
    runs: {},
    schedules: [],
    packageWatches: [],
    datasetRules: [plainRule],
    requestsPerSecond: 1,
    readsPerSecond: 1,
    runIdsLow: 1,
  };
}

/** The same for a gateway of any rate: no record waits for a slot. */
export function unpacedConfig(baseUrl: string): ReturnType<typeof functionConfig> {
  const config = functionConfig(baseUrl);
  const requestsPerSecond = { datasets: unpaced, runs: unpaced, reads: unpaced };
  const gateway = { ...config.gateway, requestsPerSecond };
  return { ...config, gateway, requestsPerSecond: unpaced, readsPerSecond: unpaced };
}

/**
 * The same with a watch of so many packages, each change of which starts a run.
 */
export function watchConfig(
  baseUrl: string,
  { pages, perPage }: { readonly pages: number; readonly perPage: number },
): ReturnType<typeof functionConfig> {
  const watch = {
    name: 'vendor',
    every: 'PT15M',
    expression: 'rate(15 minutes)',
    filters: { search: `${pages} pages of ${perPage}` },
    onChange: [{ match: {}, start: 'smoke' }],
  };
  return { ...unpacedConfig(baseUrl), packageWatches: [watch] };
}

const unpaced = 1e6;
