import { deployProduct } from '../drain/drain-product.ts';
import { drain } from '../drain/drain.ts';

/** Uploads that are handled: a hundred full batches. */
const messages = 1000;

/** More than one environment makes: none of its uploads waits for its turn, or is refused. */
const moreThanOneMakes = 1000;

/**
 * Seconds of Lambda for one upload of a full batch, the queue being full all the time: the
 * product's own worker on the virtual clock, which passes while it waits for the ledger, the bucket
 * and the gateway (test/bench/drain/latencies.ts), and for its turn. Its own CPU takes no time
 * there.
 * @param rate - `requestsPerSecond.datasets`, for which the function is deployed and to which it
 *   keeps. @default no upload waits for its turn
 * @throws Error if an upload was not done
 */
export async function secondsOfUpload(rate?: number): Promise<number> {
  const requestsPerSecond = rate ?? moreThanOneMakes;
  const unpaced = rate === undefined ? { isPaced: false, concurrency: 1 } : {};
  const { done, usage } = await drain({ messages, requestsPerSecond, seed: 1 }, (world) =>
    deployProduct(world, { requestsPerSecond, ...unpaced }),
  );
  if (done !== messages) throw new Error(`${messages - done} uploads whose time was to be counted were not done`);
  return usage.busyMs / messages / 1000;
}
