/** I13: the pace of requests. */
import { expect, test } from 'vitest';
import {
  createPacer,
  createRateLimiter,
  requestDistanceMs,
  SlotTooFarError,
} from '#functions/_gateway/rate-limiter.ts';

/** A clock that only its own sleeps and a test move. */
function sleepingClock() {
  const state = { nowMs: 0 };
  const waits: number[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
    state.nowMs += ms;
  };
  return { state, waits, clock: { monotonicMs: () => state.nowMs, sleep } };
}

test('spaces requests at the rate, the first one at once', async () => {
  const { state, clock, waits } = sleepingClock();
  const pace = createPacer(2, clock);

  await pace();
  await pace();
  state.nowMs += 200;
  await pace();
  state.nowMs += 5000;
  await pace();

  expect(waits).toEqual([500, 300]);
});

/** A limiter on a clock that only its own sleeps and `pass` move, and when each request left. */
function limiterBench(perSecond: { readonly runs: number; readonly reads: number }, distanceMs?: number) {
  const { state, clock } = sleepingClock();
  const limiter = createRateLimiter(perSecond, { ...(distanceMs === undefined ? {} : { distanceMs }), clock });
  const leftMs: number[] = [];
  const request = async (kind: 'runs' | 'reads', longestMs = 5000) => {
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

test('[E32] a read that is to be followed by a change leaves no sooner than the change may follow it', async () => {
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
