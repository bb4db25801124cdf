import type { BenchRow, Figure } from '../bench-row.ts';
import { productDeliveries } from './bench-world.ts';
import { drainWithPeer, type PeerDrained, triedConcurrencies } from './best-concurrency.ts';
import { drain, type Drained, type DrainOptions } from './drain.ts';
import { deployProduct, uploadsConcurrency } from './drain-product.ts';
import { gatewayMs, lambdaScaling } from './latencies.ts';
import { drainPeers, peerBatchSize, peerQueue } from './peers.ts';
import { realRow } from './real-row.ts';

const messages = 10_000;
const rates = [100, 500] as const;
const seed = 1;

const virtual: BenchRow = {
  id: 'drain',
  title: "drain of 10,000 uploads at the function's own rate, virtual clock",
  peer: 'messages ÷ rate',
  isNoiseFree: true,
  async measure({ isQuick }) {
    const figures: Figure[] = [];
    const notes: string[] = [];
    for (const requestsPerSecond of rates) {
      const ours = await ourDrain(requestsPerSecond);
      figures.push(...figuresOf({ messages, requestsPerSecond }, ours));
      if (!isQuick) notes.push(...(await notesOf(requestsPerSecond)));
    }
    if (!isQuick) notes.push(...peerSettings);
    return { figures, notes };
  },
};

/** The rows of the drain. */
export const drainRows: readonly BenchRow[] = [virtual, realRow];

async function ourDrain(requestsPerSecond: number): Promise<Drained> {
  return drain({ messages, requestsPerSecond, seed }, (world) => deployProduct(world, { requestsPerSecond }));
}

/** What a drain came to, against the bars. */
export function figuresOf(
  { messages: uploads, requestsPerSecond: rate }: Pick<DrainOptions, 'messages' | 'requestsPerSecond'>,
  drained: Drained,
): readonly Figure[] {
  const { ratio, callsPerMessage, deadLetters, done, doneTwice, usage } = drained;
  const environmentSeconds = (usage.busyMs / uploads).toFixed(0);
  return [
    {
      name: `time at ${rate}/s`,
      value: ratio,
      unit: '×',
      bar: 1.15,
      stretch: 1.03,
      detail: `${usage.atOnce} environments, ${environmentSeconds} ms of Lambda for each upload`,
    },
    {
      name: `calls per message at ${rate}/s`,
      value: callsPerMessage,
      unit: 'calls',
      bar: 1.05,
      stretch: 1,
      detail: `${drained.refused} answers were 429`,
    },
    {
      name: `healthy dead letters at ${rate}/s`,
      value: drained.astray,
      unit: 'messages',
      bar: 0,
      detail: `of ${uploads} uploads ${uploads - done} not done, ${doneTwice} done more than once, ${deadLetters} in the dead-letter queue`,
    },
  ];
}

/** What somebody has to know who reads the figures of the peers. */
const peerSettings: readonly string[] = [
  `K is the maximum concurrency. Peers send the ${peerBatchSize} records of a batch at once and give up after ${peerQueue.maxReceiveCount} deliveries, the least that AWS recommends; ours has ${productDeliveries}, so that dead letters of peers come of that setting too`,
  `a peer's best K of ${triedConcurrencies.join(', ')} has the fewest dead letters, of these the least time, and of these the fewest calls. To choose it, somebody has to know the gateway's rate and its latency (${gatewayMs} ms here), and to choose again whenever either changes; ours is told the rate alone`,
  'below 1.00: the gateway takes a second of its rate at once before it holds anybody to it; ours does not count on that',
];

/** What the same backlog comes to without pacing, in other hands, and while Lambda still adds environments. */
async function notesOf(requestsPerSecond: number): Promise<readonly string[]> {
  const options = { messages, requestsPerSecond, seed };
  const at = `at ${requestsPerSecond}/s`;
  const unpaced = await drain(options, (world) => deployProduct(world, { requestsPerSecond, isPaced: false }));
  const scaled = await drain(options, (world) => deployProduct(world, { requestsPerSecond, scaling: lambdaScaling }));
  const notes = [
    textOf(`ours without pacing ${at}`, unpaced),
    textOf(`ours while Lambda adds 300 a minute ${at}`, scaled),
  ];
  for (const peer of drainPeers) {
    const { asOurs, best } = await drainWithPeer(options, peer, uploadsConcurrency(requestsPerSecond));
    const nameOf = ({ concurrency }: PeerDrained) => `${peer.name} with K = ${concurrency} ${at}`;
    notes.push(textOf(`${nameOf(asOurs)}, as ours`, asOurs.drained));
    notes.push(textOf(`${nameOf(best)}, its best`, best.drained));
  }
  return notes;
}

function textOf(name: string, { ratio, callsPerMessage, deadLetters, refused }: PeerDrained['drained']): string {
  const calls = callsPerMessage.toFixed(2);
  return `${name}: ${ratio.toFixed(2)} times the ideal, ${calls} calls a message, ${refused} answers 429, ${deadLetters} healthy dead letters`;
}
