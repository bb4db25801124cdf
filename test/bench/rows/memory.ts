import type { BenchRow } from '../bench-row.ts';
import { bundledSubject } from '../measure/bundled-subject.ts';
import { runSubject } from '../measure/run-subject.ts';
import { shuffled, spreadOf } from '../measure/statistics.ts';
import { openResponder } from '../responder/open-responder.ts';

/** Sizes of the listing, in pages of a hundred. */
const sizes = { small: 10, large: 1000 };

/** What a poll takes at its peak, for a listing a hundred times as long. */
export const memory: BenchRow = {
  id: 'memory',
  title: 'peak memory, 100,000 over 1,000 packages',
  peer: 'the same with 1,000 packages',
  isNoiseFree: false,
  async measure({ random, rounds }) {
    await using responder = await openResponder();
    await using product = await bundledSubject('memory-product');
    const peaks = { small: [] as number[], again: [] as number[], large: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      for (const which of shuffled(['small', 'again', 'large'] as const, random)) {
        const pages = which === 'large' ? sizes.large : sizes.small;
        const input = { origin: responder.origin, pages };
        const task = { file: product.file, input, warmUp: 0, times: 1 };
        peaks[which].push((await runSubject(task)).peakMb);
      }
    }
    const over = (values: readonly number[]) =>
      spreadOf(values.map((value, round) => value / (peaks.small[round] ?? Number.NaN)));
    return {
      figures: [
        {
          name: '',
          value: over(peaks.large).median,
          unit: '×',
          bar: 1.35,
          stretch: 1.25,
          detail: `${mb(peaks.large)} against ${mb(peaks.small)} resident at most`,
        },
      ],
      notes: [],
      sameTwice: over(peaks.again),
    };
  },
};

function mb(values: readonly number[]): string {
  return `${spreadOf(values).median.toFixed(0)} MB`;
}
