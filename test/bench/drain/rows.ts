import type { BenchRow, Figure } from '../bench-row.ts';
import { drain, type Drained } from './drain.ts';
import { deployProduct, uploadsConcurrency } from './drain-product.ts';
import { gatewayMs, lambdaScaling } from './latencies.ts';
import { deployPeer, drainPeers, peerQueue } from './peers.ts';
import { realDrain } from './real-drain.ts';

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
      figures.push(...figuresOf(requestsPerSecond, ours));
      if (!isQuick) notes.push(...(await notesOf(requestsPerSecond)));
    }
    return { figures, notes };
  },
};

const real: BenchRow = {
  id: 'drain-real',
  title: 'the same drain by the wall clock, over sockets to the embedded gateway',
  peer: 'the drain on the virtual clock',
  isNoiseFree: false,
  async measure() {
    const options = { messages: 2000, requestsPerSecond: 100, latencyMs: gatewayMs, seed };
    const measured = await realDrain(options);
    const { requestsPerSecond } = options;
    const simulated = await drain(options, (world) => deployProduct(world, { requestsPerSecond }));
    const ratio = measured.ratio / simulated.ratio;
    const detail = `${measured.ratio.toFixed(3)} of the ideal time by the wall clock, ${simulated.ratio.toFixed(3)} by the virtual one`;
    return {
      figures: [
        { name: 'ratio of ratios', value: Math.max(ratio, 1 / ratio), unit: '×', bar: 1.1, detail },
        {
          name: 'calls per message',
          value: measured.callsPerMessage,
          unit: 'calls',
          bar: 1.05,
          stretch: 1,
          detail: `${measured.refused} answers were 429`,
        },
      ],
      notes: [],
    };
  },
};

/** The rows of the drain. */
export const drainRows: readonly BenchRow[] = [virtual, real];

async function ourDrain(requestsPerSecond: number): Promise<Drained> {
  return drain({ messages, requestsPerSecond, seed }, (world) => deployProduct(world, { requestsPerSecond }));
}

function figuresOf(rate: number, drained: Drained): readonly Figure[] {
  const { ratio, callsPerMessage, deadLetters, done, usage } = drained;
  const environmentSeconds = (usage.busyMs / messages).toFixed(0);
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
      value: deadLetters + messages - done,
      unit: 'messages',
      bar: 0,
      detail: `${done} of ${messages} done once`,
    },
  ];
}

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
    const concurrency = uploadsConcurrency(requestsPerSecond);
    const drained = await drain({ ...options, ...peerQueue }, (world, gateway) =>
      deployPeer(world, gateway, { peer, concurrency }),
    );
    notes.push(textOf(`${peer.name} ${at}`, drained));
  }
  return notes;
}

function textOf(name: string, { ratio, callsPerMessage, deadLetters, refused }: Drained): string {
  const calls = callsPerMessage.toFixed(2);
  return `${name}: ${ratio.toFixed(2)} times the ideal, ${calls} calls a message, ${refused} answers 429, ${deadLetters} healthy dead letters`;
}
