import type { BenchRow, Figure } from '../bench-row.ts';
import { compareCpu } from '../measure/compare-cpu.ts';
import { noisiest } from '../verdict.ts';

const limits = [
  { batch: 10, bar: 3 },
  { batch: 1, bar: 3.5 },
];

/**
 * The worker alone, from the SQS event to the batch response. The command is a stop of a run:
 * parsed and checked, its rows read at once, the row of the run written, PATCHed, both rows
 * written, logged, counted, and put on the list of recent outcomes. Its AWS clients are not in it.
 */
export const record: BenchRow = {
  id: 'record',
  title: 'CPU per SQS record',
  peer: 'undici Pool.request of the same PATCH',
  isNoiseFree: false,
  async measure(options) {
    const figures: Figure[] = [];
    const asides: string[] = [];
    const spreads = [];
    for (const { batch, bar } of limits) {
      const { ratio, detail, sameTwice, wall } = await compareCpu({ subject: 'record-product', batch }, options);
      figures.push({ name: `batch of ${batch}`, value: ratio.median, unit: '×', bar, detail });
      asides.push(`batch of ${batch}: ${wall}`);
      spreads.push(sameTwice);
    }
    return { figures, notes: [], asides, sameTwice: noisiest(spreads) };
  },
};

/** The gateway client alone. */
export const clientLayer: BenchRow = {
  id: 'client-layer',
  title: 'client layer, CPU per call',
  peer: 'undici Pool.request',
  isNoiseFree: false,
  async measure(options) {
    const { ratio, detail, sameTwice, wall } = await compareCpu({ subject: 'client/client-product' }, options);
    const figures = [{ name: '', value: ratio.median, unit: '×', bar: 1.3, stretch: 1.1, detail }];
    return { figures, notes: [], asides: [wall], sameTwice };
  },
};
