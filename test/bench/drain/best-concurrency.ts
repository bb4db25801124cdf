import { drain, type Drained, type DrainOptions } from './drain.ts';
import { deployPeer, type DrainPeer, peerQueue } from './peers.ts';

/**
 * What a person tries who sets the maximum concurrency by hand; AWS takes none below 2
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html).
 */
export const triedConcurrencies = [2, 3, 4, 6, 8, 12, 20] as const;

/** A peer's drain and the maximum concurrency that it had. */
export interface PeerDrained {
  readonly concurrency: number;
  readonly drained: Pick<Drained, 'ratio' | 'callsPerMessage' | 'deadLetters' | 'refused'>;
}

/**
 * A peer in our hands, and in those of a person who has tried every concurrency on this very
 * backlog and gateway.
 */
export async function drainWithPeer(
  options: DrainOptions,
  peer: DrainPeer,
  ourConcurrency: number,
): Promise<{ readonly asOurs: PeerDrained; readonly best: PeerDrained }> {
  const asOurs = await drainWith(options, peer, ourConcurrency);
  const tried = [asOurs];
  for (const concurrency of triedConcurrencies) {
    if (concurrency !== ourConcurrency) tried.push(await drainWith(options, peer, concurrency));
  }
  return { asOurs, best: bestOf(tried) };
}

/**
 * The one that loses the fewest uploads, of these the quickest as it is printed, and of these the
 * one with the fewest calls.
 */
export function bestOf(tried: readonly PeerDrained[]): PeerDrained {
  const [best] = tried.toSorted(
    ({ drained: one }, { drained: other }) =>
      one.deadLetters - other.deadLetters ||
      Math.round(one.ratio * 100) - Math.round(other.ratio * 100) ||
      one.callsPerMessage - other.callsPerMessage,
  );
  if (best === undefined) throw new RangeError('no concurrency was tried');
  return best;
}

async function drainWith(options: DrainOptions, peer: DrainPeer, concurrency: number): Promise<PeerDrained> {
  const drained = await drain({ ...options, ...peerQueue }, (world, gateway) =>
    deployPeer(world, gateway, { peer, concurrency }),
  );
  return { concurrency, drained };
}
