import { mappingConcurrency, uploadsBatchSize } from '#infra/config/stage-numbers.ts';
import type { WorkersWorld } from '../../faults/model/world/world.ts';
import { deployWorker, registerDatasets } from '../../faults/model/world/wired-workers.ts';
import type { FunctionOptions, VirtualFunction } from '../../faults/model/world/virtual-function.ts';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { plainRule } from '../plain-rule.ts';
import { betweenBatchesMs } from './latencies.ts';

/** How register-datasets is deployed for a rate. */
export interface ProductOptions {
  /** The function's own rate: all environments together. */
  readonly requestsPerSecond: number;
  /** @default what infra/config/stage-numbers.ts makes of the rate */
  readonly concurrency?: number;
  /** Whether each environment keeps to its share of the rate. @default true */
  readonly isPaced?: boolean;
  /** @default as the rule of the example: every file is read and checked */
  readonly check?: ResolvedDatasetRule['check'];
  readonly scaling?: FunctionOptions['scaling'];
}

/** Deploys the product's own register-datasets behind the uploads queue. */
export function deployProduct(world: WorkersWorld, options: ProductOptions): VirtualFunction {
  const { requestsPerSecond, isPaced = true, check = plainRule.check, scaling } = options;
  const concurrency = options.concurrency ?? uploadsConcurrency(requestsPerSecond);
  return deployWorker(
    world,
    {
      name: 'register-datasets',
      queue: world.queues.uploads,
      batchSize: uploadsBatchSize,
      concurrency,
      timeoutMs: 120_000,
      mostSkewMs: 0,
      betweenBatchesMs,
      ...(scaling === undefined ? {} : { scaling }),
    },
    (environment, ports) =>
      registerDatasets(world, environment, ports, {
        rules: [{ ...plainRule, check }],
        requestsPerSecond: isPaced ? requestsPerSecond / concurrency : Infinity,
      }),
  );
}

/** The maximum concurrency that a stage with this rate is deployed with. */
export function uploadsConcurrency(datasets: number): number {
  return mappingConcurrency({ requestsPerSecond: { datasets, runs: 1, reads: 1 } }).uploads;
}
