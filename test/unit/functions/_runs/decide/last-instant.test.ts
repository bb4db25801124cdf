/** A start at the last instant of its validity. */
import { expect, test } from 'vitest';
import { aCommand, createUpdateBench } from '../../update-campaign-runs/harness/update-bench.ts';

/** The slots of an environment are taken for an hour. */
const busy = { waitMs: () => 3_600_000, take: () => undefined };

// At the last millisecond the wait had no bound: with many starts before it, the start came back
// half a day later.
test.each([0, 1])(
  'a start without a slot comes back soon and is skipped, %i ms before its validity ends',
  async (ms) => {
    const bench = createUpdateBench({ rateLimiter: busy });
    const start = aCommand({ validFor: 'PT30M' });
    bench.passMs(30 * 60_000 - ms);

    const early = await bench.deliver(start);
    bench.passMs(60_000);
    const late = await bench.deliver(start);

    expect(early).toMatchObject({ kind: 'later' });
    expect(early.kind === 'later' ? early.delayMs : Infinity).toBeLessThanOrEqual(60_000);
    expect(late).toMatchObject({ kind: 'done', outcomes: [{ kind: 'skipped', reason: 'MISSED_WINDOW' }] });
    expect(bench.patches).toEqual([]);
  },
);
