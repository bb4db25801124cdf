import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRow, Figure } from '../bench-row.ts';
import { bundledSubject } from '../measure/bundled-subject.ts';
import { compareCpu } from '../measure/compare-cpu.ts';
import { runSubject } from '../measure/run-subject.ts';
import { openResponder } from '../responder/open-responder.ts';
import { noisiest } from '../verdict.ts';

const raw = {
  name: 'undici and JSON.parse',
  file: join(import.meta.dirname, '..', 'subjects', 'listing-undici.ts'),
};

/**
 * The first ten pages meet an engine that has compiled nothing; the thousand come after a poll like
 * them in the same process.
 */
const walks = [
  { name: '1,000 pages', pages: 1000, warmUp: 1, processes: 1, bar: 1.5, stretch: 1.2 },
  { name: 'first 10 pages', pages: 10, warmUp: 0, processes: 6, bar: 2, stretch: 1.25 },
];

/**
 * A poll of scanner packages if nothing has changed, as nearly always; beside it the polls that
 * have more to do, and the client alone.
 */
export const listing: BenchRow = {
  id: 'listing',
  title: 'listing of 100 packages a page, CPU',
  peer: 'undici and JSON.parse',
  isNoiseFree: false,
  async measure({ random, rounds }) {
    await using responder = await openResponder();
    await using firstRows = await bundledSubject('first-look-rows');
    await using usual = await bundledSubject('listing-product');
    await using firstLook = await bundledSubject('listing-first-look');
    await using changed = await bundledSubject('listing-changed');
    await using client = await bundledSubject('listing-client');
    await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-bench-rows-'));
    const figures: Figure[] = [];
    const notes: string[] = [];
    const asides: string[] = [];
    const spreads = [];
    for (const { name, pages, warmUp, processes, bar, stretch } of walks) {
      const input = { origin: responder.origin, pages, rows: join(folder.path, `${pages}.sqlite`) };
      await runSubject({ file: firstRows.file, input, warmUp: 0, times: 1 });
      const result = await compareCpu(
        {
          product: { name: 'poll', file: usual.file },
          peer: raw,
          others: [
            { name: 'first look', file: firstLook.file },
            {
              name: 'one package changed on each page',
              file: changed.file,
            },
            { name: 'client alone', file: client.file },
          ],
          input,
          warmUp,
          times: 1,
          processes,
          rounds,
        },
        { random },
      );
      figures.push({ name, value: result.ratio.median, unit: '×', bar, stretch, detail: result.detail });
      notes.push(`${name}: ${result.notes.join(', ')}`);
      asides.push(...result.asides.map((wall) => `${name}: ${wall}`));
      spreads.push(result.sameTwice);
    }
    return { figures, notes, asides, sameTwice: noisiest(spreads) };
  },
};
