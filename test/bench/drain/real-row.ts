import type { BenchRow, RowResult } from '../bench-row.ts';
import { spreadOf } from '../measure/statistics.ts';
import { drain, type Drained } from './drain.ts';
import { deployProduct } from './drain-product.ts';
import { gatewayMs } from './latencies.ts';
import { type RealDrained, realDrain } from './real-drain.ts';

const options = { messages: 2000, requestsPerSecond: 100, latencyMs: gatewayMs, seed: 1 } as const;

/** Each takes 21 s. */
const usualRuns = 3;

/** Whether what the virtual clock says is so. */
export const realRow: BenchRow = {
  id: 'drain-real',
  title: 'drain of 2,000 uploads at 100/s by the wall clock, over sockets',
  peer: 'the same drain on the virtual clock',
  isNoiseFree: false,
  async measure({ isQuick }) {
    const { requestsPerSecond } = options;
    const simulated = await drain(options, (world) => deployProduct(world, { requestsPerSecond }));
    const runs: RealDrained[] = [];
    while (runs.length < (isQuick ? 1 : usualRuns)) runs.push(await realDrain(options));
    return resultOf(runs, simulated);
  },
};

/** The middle one of the runs by the wall clock against the virtual one. */
export function resultOf(runs: readonly RealDrained[], simulated: Pick<Drained, 'ratio'>): RowResult {
  const measured = spreadOf(runs.map(({ ratio }) => ratio)).median;
  const ratio = measured / simulated.ratio;
  const count = runs.length === 1 ? 'one run' : `the middle one of ${runs.length} runs`;
  const each = runs.map((run) => run.ratio.toFixed(3)).join(', ');
  return {
    figures: [
      {
        name: 'ratio of ratios',
        value: Math.max(ratio, 1 / ratio),
        unit: '×',
        bar: 1.1,
        detail: `${measured.toFixed(3)} of the ideal time by the wall clock, ${simulated.ratio.toFixed(3)} by the virtual one`,
      },
      {
        name: 'calls per message',
        value: spreadOf(runs.map(({ callsPerMessage }) => callsPerMessage)).median,
        unit: 'calls',
        bar: 1.05,
        stretch: 1,
        detail: `${runs.map(({ refused }) => refused).join(', ')} answers were 429`,
      },
      {
        name: 'uploads that are not one dataset',
        value: Math.max(...runs.map(({ astray }) => astray)),
        unit: 'uploads',
        bar: 0,
        detail: `of ${options.messages} in each run`,
      },
    ],
    notes: [`${count}, each ${each}`],
  };
}
