import type { ResolvedGateway } from '#shared/config/resolve/resolved-automation.ts';
import { uploadsAtOnce } from '#shared/uploads/uploads-at-once.ts';

/** What an event source mapping may run at once; AWS takes 2 to 1000. */
export interface MappingConcurrency {
  readonly commands: number;
  readonly uploads: number;
  readonly plans: number;
}

/** Plans only send messages; nothing outside is paced. */
const plansConcurrency = 2;

const smallest = 2;
const largest = 1000;

/** Records of one batch, as the uploads mapping takes them. */
export const uploadsBatchSize = 10;

/**
 * What one upload takes beside its turn: five round trips to the ledger, one to the bucket, one to the gateway. 0.1 s with a gateway that
 * answers within 40 ms; the rest is for slower ones. `npm run bench -- --only drain` measures what comes of it.
 */
const secondsOfUpload = 0.2;

/** A start reads a dozen rows, writes half as many and calls the gateway twice; one command at a time in each environment. */
const secondsOfCommand = 0.3;

/** How many environments of each queue worker may run at once: as many as keep the rate busy, each with its share of it. */
export function mappingConcurrency({ requestsPerSecond }: ResolvedGateway): MappingConcurrency {
  return {
    // Two at least, so that one hanging request does not hold up a stop.
    commands: allowed(requestsPerSecond.runs * secondsOfCommand),
    uploads: allowed((requestsPerSecond.datasets * secondsOfUpload) / uploadsAtOnce),
    plans: plansConcurrency,
  };
}

function allowed(environments: number): number {
  return Math.min(largest, Math.max(smallest, Math.ceil(environments)));
}
