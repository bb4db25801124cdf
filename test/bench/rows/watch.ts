import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heapOptions } from '#local/lambda/function-process.ts';
import type { BenchRow } from '../bench-row.ts';
import { buildDeployed, functionEnvironment } from '../measure/deployed-function.ts';
import { watchConfig } from '../measure/function-config.ts';
import { type ColdSample, runCold } from '../measure/run-cold.ts';
import { spreadOf } from '../measure/statistics.ts';
import { openResponder } from '../responder/open-responder.ts';

/** As many packages as a watch may have: fifty pages of a hundred. */
const listing = { pages: 50, perPage: 100 };

/** Of `infra/stacks/tick-workers.ts`. */
const memoryMb = 512;

const kinds = ['first look', 'nothing changed', 'a package changed on each page'] as const;

/**
 * A poll of the largest watch, as deployed: a cold start each, with the AWS clients, in the heap
 * that Lambda gives. The gateway and AWS answer at once and from another process.
 */
export const watch: BenchRow = {
  id: 'watch',
  title: 'a poll of a watch of 5,000 packages as deployed',
  peer: 'no peer: the memory and the time that its function has',
  isNoiseFree: false,
  async measure({ rounds }) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-bench-'));
    const NODE_OPTIONS = heapOptions({ memoryMb }).join(' ');
    const samples = new Map(kinds.map((kind) => [kind, [] as ColdSample[]]));
    for (let round = 0; round < rounds; round += 1) {
      await using responder = await openResponder();
      const environment = { ...functionEnvironment(responder.origin), NODE_OPTIONS };
      const editions = [responder.origin, responder.origin, `${responder.origin}/edition-1`];
      for (const [index, kind] of kinds.entries()) {
        const baseUrl = editions[index] ?? responder.origin;
        const config = watchConfig(baseUrl, listing);
        const file = await buildDeployed('poll-scanner-packages', folder.path, baseUrl, config);
        const sample = await runCold({ file, events: [{ watch: 'vendor' }], environment });
        assertPolled(kind, sample.answer);
        samples.get(kind)?.push(sample);
      }
    }
    const all = [...samples].map(([kind, taken]) => ({
      kind,
      peakMb: spreadOf(taken.map(({ peakMb }) => peakMb)).median,
      seconds: spreadOf(taken.map(({ wallUs }) => wallUs / 1_000_000)).median,
    }));
    const [memory, time] = [all.map(({ peakMb }) => peakMb), all.map(({ seconds }) => seconds)];
    const detail = (of: (one: (typeof all)[number]) => string) => all.map((one) => `${one.kind} ${of(one)}`).join(', ');
    return {
      figures: [
        {
          name: 'peak memory',
          value: Math.max(...memory),
          unit: 'MB',
          bar: 250,
          detail: detail(({ peakMb }) => `${peakMb.toFixed(0)} MB`),
        },
        {
          name: 'time',
          value: Math.max(...time),
          unit: 's',
          bar: 3,
          detail: detail(({ seconds }) => `${seconds.toFixed(2)} s`),
        },
      ],
      notes: ['with the cold start; a whole CPU, while Lambda gives 0.29 of one for 512 MB'],
    };
  },
};

/** @throws Error if the poll did not do what is measured */
function assertPolled(kind: (typeof kinds)[number], answer: unknown): void {
  const { pages, isBaseline, changes } = answer as Readonly<Record<string, unknown>>;
  const wanted = [listing.pages, kind === 'first look', kind === 'a package changed on each page' ? listing.pages : 0];
  const found = [pages, isBaseline, changes];
  if (found.join() !== wanted.join()) throw new Error(`${kind}: ${JSON.stringify(answer)}`);
}
