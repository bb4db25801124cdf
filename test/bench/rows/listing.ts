import { join } from 'node:path';
import type { BenchRow, Figure } from '../bench-row.ts';
import { bundledSubject } from '../measure/bundled-subject.ts';
import { compareCpu } from '../measure/compare-cpu.ts';
import { widest } from '../measure/statistics.ts';
import { openResponder } from '../responder/open-responder.ts';

const raw = {
  name: 'undici and JSON.parse',
  file: join(import.meta.dirname, '..', 'subjects', 'listing-undici.ts'),
};

/** The first ten pages meet an engine that has compiled nothing; the thousand are a walk that compares, after one that took the baseline. */
const walks = [
  { name: '1,000 pages', pages: 1000, warmUp: 1, bar: 1.35, stretch: 1.2 },
  { name: 'first 10 pages', pages: 10, warmUp: 0, bar: 1.5, stretch: 1.25 },
];

/** A poll of scanner packages, as a whole and its client alone. */
export const listing: BenchRow = {
  id: 'listing',
  title: 'listing of 100 packages a page, CPU',
  peer: 'undici and JSON.parse',
  isNoiseFree: false,
  async measure({ random, rounds }) {
    await using responder = await openResponder();
    await using poll = await bundledSubject('listing-product');
    await using client = await bundledSubject('listing-client');
    const figures: Figure[] = [];
    const notes = [
      'a poll with the fingerprint of every field of every package and their comparison, the ledger a map in memory',
    ];
    const spreads = [];
    for (const { name, pages, warmUp, bar, stretch } of walks) {
      const result = await compareCpu(
        {
          product: { name: 'poll', file: poll.file },
          peer: raw,
          others: [{ name: 'the client alone, every page checked', file: client.file }],
          input: { origin: responder.origin, pages },
          warmUp,
          times: 1,
          rounds,
        },
        { random },
      );
      figures.push({ name, value: result.ratio.median, unit: '×', bar, stretch, detail: result.detail });
      notes.push(...result.notes.map((note) => `${name}: ${note}`));
      spreads.push(result.sameTwice);
    }
    return { figures, notes, sameTwice: widest(spreads) };
  },
};
