import { deployProduct } from '../drain/drain-product.ts';
import { drain } from '../drain/drain.ts';

/** Uploads that are handled: a hundred full batches of one environment. */
const messages = 1000;

/** More than one environment makes: none of its uploads waits for its turn, or is refused. */
const requestsPerSecond = 1000;

/**
 * Seconds of Lambda for one upload of a full batch, none of which waits for its turn: the product's own worker on the virtual clock, which passes
 * while it waits for the ledger, the bucket and the gateway (test/bench/drain/latencies.ts). Its own CPU takes no time there.
 * @throws Error where an upload was not done
 */
export async function secondsOfUpload(): Promise<number> {
  const { done, usage } = await drain({ messages, requestsPerSecond, seed: 1 }, (world) =>
    deployProduct(world, { requestsPerSecond, isPaced: false, concurrency: 1 }),
  );
  if (done !== messages) throw new Error(`${messages - done} uploads whose time was to be counted were not done`);
  return usage.busyMs / messages / 1000;
}
