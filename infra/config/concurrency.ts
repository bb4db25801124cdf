import type { ResolvedGateway } from '../../shared/config/resolved-automation.ts';

/** What an event source mapping may run at once; AWS takes 2 to 1000. */
export interface MappingConcurrency {
  readonly commands: number;
  readonly uploads: number;
  readonly plans: number;
}

/** Commands are rare and each waits for the gateway: two, so that one hanging request does not hold up a stop. */
const commandsConcurrency = 2;

/** Plans only send messages; nothing outside is paced. */
const plansConcurrency = 2;

const smallest = 2;
const largest = 1000;

/** Records of one batch, as the uploads mapping takes them. */
export const uploadsBatchSize = 10;

/**
 * Measured on a virtual clock (10,000 messages): K environments paced at N/K keep the rate N where K is 7 to 10 times N × latency ÷ batch;
 * fewer leave the rate unused, more only cost.
 */
const environmentsPerBusyBatch = 8;

/** What a gateway near by needs for one request. */
const typicalLatencySeconds = 0.04;

/** How many environments of each queue worker may run at once. */
export function mappingConcurrency({ requestsPerSecond }: ResolvedGateway): MappingConcurrency {
  const wanted = Math.ceil(
    (environmentsPerBusyBatch * requestsPerSecond.datasets * typicalLatencySeconds) / uploadsBatchSize,
  );
  return {
    commands: commandsConcurrency,
    uploads: Math.min(largest, Math.max(smallest, wanted)),
    plans: plansConcurrency,
  };
}
