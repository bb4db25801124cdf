/** I13: the pace of requests. */
import { describe, expect, test } from 'vitest';
import {
  createPacer,
  createRateLimiter,
  requestDistanceMs,
  SlotTooFarError,
} from '#functions/_gateway/rate-limiter.ts';
import { mappingConcurrency } from '#infra/config/stage-numbers.ts';
import { type Pick, simulateSlots } from './slot-simulation.ts';

test('spaces requests at the rate, the first one at once', async () => {
  let nowMs = 1000;
  const waits: number[] = [];
  const pace = createPacer(2, {
    monotonicMs: () => nowMs,
    sleep: async (ms) => {
      waits.push(ms);
      nowMs += ms;
    },
  });

  await pace();
  await pace();
  nowMs += 200;
  await pace();
  nowMs += 5000;
  await pace();

  expect(waits).toEqual([500, 300]);
});

test('turns that passed while a batch ended are made up for, those of a longer pause are gone', async () => {
  let nowMs = 0;
  const sentMs: number[] = [];
  const pace = createPacer(20, {
    monotonicMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
    },
  });
  const send = async (times: number) => {
    for (let sent = 0; sent < times; sent += 1) {
      await pace();
      sentMs.push(nowMs);
    }
  };

  await send(2);
  nowMs = 190;
  await send(4);
  nowMs = 5000;
  await send(5);

  expect(sentMs).toEqual([0, 50, 190, 190, 200, 250, 5000, 5000, 5000, 5000, 5050]);
});

test('callers at the same time share the rate', async () => {
  const waits: number[] = [];
  const pace = createPacer(10, {
    monotonicMs: () => 0,
    sleep: async (ms) => {
      waits.push(ms);
    },
  });

  await Promise.all([pace(), pace(), pace()]);

  expect(waits).toEqual([100, 200]);
});

/** A limiter on a clock that only its own sleeps and `pass` move, and when each request left. */
function limiterBench(perSecond: { readonly runs: number; readonly reads: number }, distanceMs?: number) {
  const state = { nowMs: 0 };
  const sleep = async (ms: number) => void (state.nowMs += ms);
  const clock = { monotonicMs: () => state.nowMs, sleep };
  const limiter = createRateLimiter(perSecond, { ...(distanceMs === undefined ? {} : { distanceMs }), clock });
  const leftMs: number[] = [];
  const request = async (kind: 'runs' | 'reads', longestMs?: number) => {
    await limiter.take(kind, longestMs);
    leftMs.push(state.nowMs);
  };
  return { limiter, state, leftMs, request };
}

test('requests of different kinds keep their distance, and each kind keeps its own rate', async () => {
  const { leftMs, request } = limiterBench({ runs: 0.25, reads: 0.25 }, 1100);

  for (const kind of ['reads', 'runs', 'reads', 'runs'] as const) await request(kind);

  expect(leftMs).toEqual([0, 1100, 4000, 5100]);
});

test('a read that left puts off a stop by the distance and by nothing else', async () => {
  const { limiter, request } = limiterBench({ runs: 0.25, reads: 1 }, 440);

  for (let read = 0; read < 5; read += 1) await request('reads');

  expect(limiter.waitMs('runs')).toBe(440);
});

test('a read that is to be followed by a change leaves no sooner than the change may follow it', async () => {
  const { limiter, state, request } = limiterBench({ runs: 0.25, reads: 1 }, 440);
  await request('runs');

  const beforeStartMs = limiter.waitMs('reads', 'runs');
  state.nowMs += beforeStartMs;
  await request('reads');

  expect(beforeStartMs).toBe(4000 - 440);
  expect(limiter.waitMs('runs')).toBe(440);
});

test('a slot that is too far is not slept for and not taken', async () => {
  const { limiter, state, request } = limiterBench({ runs: 0.05, reads: 1 });
  await request('runs');

  const far = request('runs', 19_999);

  await expect(far).rejects.toMatchObject({ code: 'SLOT_TOO_FAR', retryable: true, waitMs: 20_000 });
  await expect(request('runs')).rejects.toBeInstanceOf(SlotTooFarError);
  expect(state.nowMs).toBe(0);
  expect(limiter.waitMs('runs')).toBe(20_000);
});

test.each([
  [{ runs: 0.25, reads: 0.25 }, 2000],
  [{ runs: 0.25, reads: 1 }, 800],
  [{ runs: 0.2, reads: 0.05 }, 4000],
])('the distance of an environment with the shares %j is %i ms', (shares, distanceMs) => {
  expect(requestDistanceMs(shares)).toBeCloseTo(distanceMs);
});

/** Starts and stops that wait for the slots of several environments, in virtual time. */
const seeds = [1, 2, 3, 4, 5];
const picks: readonly Pick[] = ['first', 'last used', 'any'];
const environmentsAt = (runs: number) =>
  mappingConcurrency({ requestsPerSecond: { datasets: 4, runs, reads: 2 } }).commands;

describe.each(picks)('100 starts at once, at half a start a second, if %s idle environment is used', (pick) => {
  test.each([2, 0.5])('are all sent within 300 s, and no stop waits a minute, at %d reads a second', async (reads) => {
    for (const seed of seeds) {
      const played = await simulateSlots({
        starts: 100,
        stopsAtMs: [5000, 20_000, 60_000, 110_000],
        environments: environmentsAt(0.5),
        rates: { runs: 0.5, reads },
        pick,
        seed,
      });

      expect(played.startedAtMs).toHaveLength(100);
      // The ideal is 200 s.
      expect(Math.max(...played.startedAtMs)).toBeLessThan(300_000);
      expect(played.stopWaitsMs).toHaveLength(4);
      expect(Math.max(...played.stopWaitsMs)).toBeLessThan(60_000);
      // A start asks for its slot about every six seconds.
      expect(played.deliveries).toBeLessThan(3000);
    }
  });
});

describe('a gateway of one request a second without a burst, at 0.5 starts and 0.5 reads a second', () => {
  const tenStarts = { starts: 10, rates: { runs: 0.5, reads: 0.5 }, pick: 'any', gatewayGapMs: 1000 } as const;

  test('[E32] never refuses the PATCH that follows the GET of the same start', async () => {
    const played = await simulateSlots({ ...tenStarts, environments: 1, seed: 1 });

    expect(played).toMatchObject({ refused: 0, calls: 20 });
    expect(played.startedAtMs).toHaveLength(10);
  });

  test('lets ten starts of two environments through, though the two know nothing of each other', async () => {
    for (const seed of seeds) {
      const played = await simulateSlots({ ...tenStarts, environments: environmentsAt(0.5), seed });

      expect(played.startedAtMs).toHaveLength(10);
      expect(Math.max(...played.startedAtMs)).toBeLessThan(120_000);
    }
  });

  test('lets none through in six hours if nothing keeps a GET and its PATCH apart', async () => {
    const played = await simulateSlots({ ...tenStarts, environments: 1, distanceMs: 0, seed: 1 });

    expect(played.startedAtMs).toEqual([]);
  });
});
