import type { BenchRow, Figure } from '../bench-row.ts';
import { bundledSubject } from '../measure/bundled-subject.ts';
import { compareCpu } from '../measure/compare-cpu.ts';
import { openResponder } from '../responder/open-responder.ts';
import { noisiest } from '../verdict.ts';
import { bareUndici } from './client-layer.ts';

const limits = [
  { batch: 10, bar: 3 },
  { batch: 1, bar: 3.5 },
];

/**
 * The worker alone, from the SQS event to the batch response. The command is a stop of a run:
 * parsed and checked, its rows read at once, the row of the run written, PATCHed, both rows
 * written, logged, counted, and put on the list of recent outcomes. The AWS clients are in the row
 * `record-deployed`.
 */
export const record: BenchRow = {
  id: 'record',
  title: 'CPU per SQS record',
  peer: 'undici Pool.request of the same PATCH',
  isNoiseFree: false,
  async measure({ random, rounds }) {
    await using responder = await openResponder();
    await using product = await bundledSubject('record-product');
    const figures: Figure[] = [];
    const asides: string[] = [];
    const spreads = [];
    for (const { batch, bar } of limits) {
      const {
        ratio,
        detail,
        sameTwice,
        asides: walls,
      } = await compareCpu(
        {
          product: { name: 'worker', file: product.file },
          peer: bareUndici,
          input: { origin: responder.origin, batch },
          warmUp: 3000,
          times: 10_000,
          turns: 10,
          rounds,
        },
        { random },
      );
      figures.push({ name: `batch of ${batch}`, value: ratio.median, unit: '×', bar, detail });
      asides.push(...walls.map((wall) => `batch of ${batch}: ${wall}`));
      spreads.push(sameTwice);
    }
    return { figures, notes: [], asides, sameTwice: noisiest(spreads) };
  },
};
