import { join } from 'node:path';
import type { BenchRow } from '../bench-row.ts';
import { compareCpu, type Contender } from '../measure/compare-cpu.ts';
import { bundledSubject } from '../measure/bundled-subject.ts';
import { installedPeers } from '../peers/installed-peers.ts';
import { openResponder } from '../responder/open-responder.ts';

const subjects = join(import.meta.dirname, '..', 'subjects');

/** Bare undici: the yardstick of every row that sends a PATCH. */
export const bareUndici: Contender = {
  name: 'undici Pool.request',
  file: join(subjects, 'client', 'client-undici.ts'),
};

/** The gateway client alone. */
export const clientLayer: BenchRow = {
  id: 'client-layer',
  title: 'client layer, CPU per call',
  peer: 'undici Pool.request',
  isNoiseFree: false,
  async measure({ random, rounds }) {
    await using responder = await openResponder();
    await using product = await bundledSubject('client/client-product');
    const peers = await installedPeers();
    const result = await compareCpu(
      {
        product: { name: 'gateway client', file: product.file },
        peer: bareUndici,
        others: [
          { name: 'node:http', file: join(subjects, 'client', 'client-http.ts') },
          { name: 'global fetch', file: join(subjects, 'client', 'client-fetch.ts') },
          ...peers.contenders,
        ],
        input: { origin: responder.origin },
        warmUp: 3000,
        times: 10_000,
        turns: 10,
        rounds,
      },
      { random },
    );
    return {
      figures: [{ name: '', value: result.ratio.median, unit: '×', bar: 1.3, stretch: 1.1, detail: result.detail }],
      notes: [...result.notes, ...peers.notes],
      asides: result.asides,
      sameTwice: result.sameTwice,
    };
  },
};
