import type { BenchRow, Figure } from '../bench-row.ts';
import { drain, type Drained, type DrainOptions } from './drain.ts';
import { deployProduct } from './drain-product.ts';
import { lambdaScaling } from './latencies.ts';

const messages = 10_000;
const rates = [100, 500] as const;
const seed = 1;

/** The row of the drain. */
export const drainRow: BenchRow = {
  id: 'drain',
  title: 'drain of 10,000 uploads at the rate of the function, virtual clock',
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
    if (!isQuick) notes.push(...readNotes);
    return { figures, notes };
  },
};

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
      detail: `${usage.atOnce} environments, ${environmentSeconds} ms of Lambda an upload`,
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
      detail: `${uploads - done} not done, ${doneTwice} done twice, ${deadLetters} in the dead-letter queue`,
    },
  ];
}

/** What a reader of the notes must know. */
const readNotes: readonly string[] = [
  'each line: time over the ideal, calls a message, answers 429, healthy dead letters',
  'below 1.00: the gateway accepts one second of its rate at once',
];

/**
 * What the same backlog comes to without pacing, and while Lambda still adds environments.
 */
async function notesOf(requestsPerSecond: number): Promise<readonly string[]> {
  const options = { messages, requestsPerSecond, seed };
  const at = `${requestsPerSecond}/s`;
  const unpaced = await drain(options, (world) => deployProduct(world, { requestsPerSecond, isPaced: false }));
  const scaled = await drain(options, (world) => deployProduct(world, { requestsPerSecond, scaling: lambdaScaling }));
  return [textOf(`ours without pacing, ${at}`, unpaced), textOf(`ours while Lambda adds 300 a minute, ${at}`, scaled)];
}

function textOf(name: string, { ratio, callsPerMessage, deadLetters, refused }: Drained): string {
  const calls = callsPerMessage.toFixed(2);
  return `${name}: ${ratio.toFixed(2)}×, ${calls}, ${refused}, ${deadLetters}`;
}
