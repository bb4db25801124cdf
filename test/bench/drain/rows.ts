import type { BenchRow, Figure } from '../bench-row.ts';
import { deployProduct, drain, type Drained, type DrainOptions } from './drain.ts';
import { secondsOfStarts } from './starts.ts';

const messages = 10_000;
const rates = [100, 500] as const;

export const drainRow: BenchRow = {
  id: 'drain',
  title: 'drain of 10,000 uploads at the rate of the function, and of 100 starts; virtual clock',
  peer: 'messages ÷ rate',
  isNoiseFree: true,
  async measure() {
    const figures: Figure[] = [];
    for (const requestsPerSecond of rates) {
      const options = { messages, requestsPerSecond, seed: 1 };
      figures.push(...figuresOf(options, await drain(options, (world) => deployProduct(world, { requestsPerSecond }))));
    }
    const { seconds, detail } = await secondsOfStarts();
    figures.push({ name: 'the last of 100 starts at once', value: seconds, unit: 's', bar: 300, stretch: 240, detail });
    return { figures, notes: ['below 1.00: the gateway accepts one second of its rate at once'] };
  },
};

/** What a drain came to, against the bars. */
function figuresOf(
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
