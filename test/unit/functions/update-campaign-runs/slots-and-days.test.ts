import { describe, expect, test } from 'vitest';
import { campaignId, aCommand, createUpdateBench, type Delivery } from './harness/update-bench.ts';

const hours = (count: number) => count * 3_600_000;

describe('the slot of a start', () => {
  test('is waited for in process once its campaign was read, or it would read for ever', async () => {
    const slots = { runsMs: 0 };
    const taken: string[] = [];
    const bench = createUpdateBench({
      campaignId,
      minimumGap: 'PT12H',
      rateLimiter: {
        waitMs: (...kinds) => (kinds[0] === 'runs' ? slots.runsMs : 0),
        async take(kind) {
          taken.push(kind);
          slots.runsMs = 5000;
        },
      },
    });

    const result = await bench.deliver(aCommand());

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(taken).toEqual(['reads', 'runs']);
  });
});

describe('a message that is older than a day', () => {
  test('is judged as any other if it was never tried: at a closed gate it waits', async () => {
    const bench = createUpdateBench();
    const sentAt = bench.now();
    const start = aCommand({ validFor: 'P3D', stopAfter: 'P4D' });
    bench.passMs(hours(25));
    bench.closeGateFor(hours(1));

    const held = await bench.deliver(start, { sentAt });
    bench.passMs(hours(1));
    const result = await bench.deliver(start, { sentAt, receiveCount: 2 });

    expect(held).toMatchObject({ kind: 'later' });
    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  });
});

describe('a ledger that answers nothing', () => {
  test.each([
    ['stop', 60_000],
    ['start', 3_600_000],
  ] as const)('has a %s that came often come back within %i ms', async (action, mostMs) => {
    const bench = createUpdateBench();
    const ledger: Delivery['ledger'] = {
      ...bench.ledger,
      readMany: () => Promise.reject(new Error('no answer')),
    };

    const result = await bench.deliver(aCommand({ action }), { ledger, receiveCount: 20 });

    expect(result).toMatchObject({ kind: 'later' });
    expect(result.kind === 'later' && result.delayMs).toBeLessThanOrEqual(mostMs);
  });
});

describe('a worker that was frozen behind its last write', () => {
  test('sends nothing, and its start goes out with the next delivery', async () => {
    const bench = createUpdateBench();
    let remainingMs = 30_000;
    const ledger: Delivery['ledger'] = {
      ...bench.ledger,
      async writeAll(changes) {
        const written = await bench.ledger.writeAll(changes);
        remainingMs = 10_000;
        return written;
      },
    };

    const frozen = await bench.deliver(aCommand(), { ledger, remainingMs: () => remainingMs });
    const sentFrozen = bench.patches.length;
    const result = await bench.deliver(aCommand(), { receiveCount: 2 });

    expect(frozen).toMatchObject({ kind: 'later' });
    expect(sentFrozen).toBe(0);
    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  });
});
