/** What a command waits for before it calls the gateway, and what it tells the gate. */
import { describe, expect, test } from 'vitest';
import { createRateLimiter } from '#functions/_gateway/rate-limiter.ts';
import { plannedStopsOf } from './harness/guard-nights.ts';
import { aCommand, campaignId, createUpdateBench, smokeId } from './harness/update-bench.ts';

const minutes = (count: number) => count * 60_000;
const stop = (fields = {}) => aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:04:00Z', ...fields });
const update = (fields = {}) => aCommand({ id: 'update', action: 'update', name: 'kept', ...fields });

test.each([
  ['a start', aCommand()],
  ['an update', update()],
])('%s calls no server while the gate is closed, and comes back when it may open', async (_what, command) => {
  const bench = createUpdateBench({ campaignId });
  bench.closeGateFor(minutes(5));

  const held = await bench.deliver(command);
  bench.passMs(minutes(6));
  const after = await bench.deliver(command);

  expect(held).toMatchObject({ kind: 'later' });
  expect(held.kind === 'later' ? held.delayMs : 0).toBeGreaterThanOrEqual(minutes(5));
  expect(after).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.patches).toHaveLength(1);
});

test('the wait at a closed gate is no refusal: a start is parked by three answers, not by three waits', async () => {
  const bench = createUpdateBench();
  const forbidden = { status: 403, text: 'no permission' };
  bench.answerWith(forbidden, forbidden, 'ok');
  const start = aCommand({ validFor: 'P1D' });
  await bench.deliver(start);
  bench.closeGateFor(minutes(30));
  for (let held = 0; held < 5; held += 1) await bench.deliver(start);
  bench.passMs(minutes(31));
  await bench.deliver(start);

  const third = await bench.deliver(start);

  expect(third).toMatchObject({ outcomes: [{ kind: 'applied' }] });
});

test('a stop is held for a minute at most, then goes through a closed gate, and no older start slips in meanwhile', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.passMs(minutes(5));
  bench.closeGateFor(minutes(120));
  const sentAt = bench.now();

  const held = await bench.deliver(stop(), { sentAt });
  const older = await bench.deliver(aCommand({ id: 'older', issuedAt: '2026-11-20T22:03:00Z' }));
  bench.passMs(60_000);
  const through = await bench.deliver(stop(), { sentAt, receiveCount: 2 });

  expect(held).toMatchObject({ kind: 'later', delayMs: 60_000 });
  expect(older.kind).toBe('later');
  expect(through).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped']);
});

test('a stop respects a pause that is shorter than a minute', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.passMs(minutes(5));
  bench.closeGateFor(20_000);

  const held = await bench.deliver(stop());

  expect(held).toMatchObject({ kind: 'later', delayMs: 20_000 });
  expect(bench.patches).toHaveLength(1);
});

test('a stop that the gateway puts off for a quarter of an hour asks again within a minute', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.answerWith({ status: 429, text: 'slow down', retryAfterMs: minutes(15) });

  const putOff = await bench.deliver(stop(), { receiveCount: 9 });

  expect(putOff).toMatchObject({ kind: 'later', delayMs: 60_000 });
});

describe('a start after nine calls that failed', () => {
  const longNight = aCommand({ validFor: 'PT4H' });
  const tenth = { receiveCount: 10 };

  /** Nine calls fail within a few minutes. */
  async function afterNine(): Promise<ReturnType<typeof createUpdateBench>> {
    const bench = createUpdateBench();
    bench.answerWith(...Array.from({ length: 9 }, () => 'not-sent' as const));
    for (let receiveCount = 1; receiveCount <= 9; receiveCount += 1) await bench.deliver(longNight, { receiveCount });
    bench.passMs(minutes(210));
    return bench;
  }

  test('comes back from a short pause while there is time', async () => {
    const bench = await afterNine();
    bench.closeGateFor(1000);

    expect(await bench.deliver(longNight, tenth)).toMatchObject({ kind: 'later', delayMs: minutes(7.5) });
  });

  test.each([
    ['is asked to come again in a second', { status: 429, text: 'busy', retryAfterMs: 1000 } as const],
    ['is refused', { status: 403, text: 'no permission' } as const],
    ['reaches no server', 'not-sent' as const],
  ])('comes back while there is time if it %s', async (_what, answer) => {
    const bench = await afterNine();
    bench.answerWith(answer);

    expect(await bench.deliver(longNight, tenth)).toMatchObject({ kind: 'later', delayMs: minutes(7.5) });
  });

  test('comes back when a longer pause is over, and not before', async () => {
    const bench = await afterNine();
    bench.closeGateFor(minutes(12));

    const held = await bench.deliver(longNight, tenth);

    expect(held.kind === 'later' ? held.delayMs : 0).toBeGreaterThanOrEqual(minutes(12));
    expect(held.kind === 'later' ? held.delayMs : 0).toBeLessThan(minutes(13));
  });

  test('is not asked more often than every half minute when little time is left', async () => {
    const bench = await afterNine();
    bench.passMs(minutes(29));
    bench.closeGateFor(1000);

    expect(await bench.deliver(longNight, tenth)).toMatchObject({ kind: 'later', delayMs: 30_000 });
  });
});

test('deliveries that only waited do not count: the first call that fails is tried again soon', async () => {
  const bench = createUpdateBench();
  bench.answerWith('not-sent');

  const held = await bench.deliver(aCommand({ validFor: 'P1D' }), { receiveCount: 10 });

  expect(held.kind === 'later' ? held.delayMs : Infinity).toBeLessThanOrEqual(30_000);
});

test('the gate hears of each answer and each failure, by the run or the campaign that the call was about', async () => {
  const bench = createUpdateBench({ campaignId, campaignAnswers: [{ status: 500, text: 'broken' }] });
  bench.answerWith({ status: 429, text: 'busy' }, 'ok');

  for (let delivery = 0; delivery < 3; delivery += 1) await bench.deliver(aCommand());

  expect(bench.told).toEqual([`failed ${campaignId}`, 'answered', `failed ${smokeId}`, 'answered', 'answered']);
  // "was answered 429" alone does not say why the gate is closed.
  expect(bench.gateReasons).toEqual([expect.stringMatching(/ 500: broken$/), expect.stringMatching(/ 429: busy$/)]);
});

test('a start whose slot is far makes room for the stop behind it, which takes the slot', async () => {
  let nowMs = 0;
  const clock = { monotonicMs: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  const rateLimiter = createRateLimiter({ runs: 0.25, reads: 1 }, { clock });
  const bench = createUpdateBench({ overlap: 'allow', rateLimiter });
  await bench.deliver(aCommand());

  const second = await bench.deliver(aCommand({ id: 'second', run: 'nightly' }));
  const blockedMs = nowMs;
  const stopped = await bench.deliver(stop());

  expect(second).toMatchObject({ kind: 'later' });
  expect(blockedMs).toBe(0);
  expect(stopped).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(nowMs).toBe(4000);
});

test.each([
  ['a start', aCommand({ id: 'second', run: 'nightly' })],
  ['a stop', stop()],
])('[F15] %s whose slot is farther than its function has time goes back until then', async (_what, command) => {
  let nowMs = 0;
  const clock = { monotonicMs: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  const rateLimiter = createRateLimiter({ runs: 0.05, reads: 0.05 }, { clock });
  const bench = createUpdateBench({ overlap: 'allow', rateLimiter });
  await bench.deliver(aCommand());

  const held = await bench.deliver(command, { remainingMs: () => 30_000 - nowMs });

  expect(held).toMatchObject({ kind: 'later' });
  expect(held.kind === 'later' ? held.delayMs : 0).toBeGreaterThanOrEqual(19_000);
  expect(nowMs).toBe(0);
  expect(bench.patches).toHaveLength(1);
});

test('a start that has read its campaign waits for its PATCH in process, as long as the distance', async () => {
  let nowMs = 0;
  const clock = { monotonicMs: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  const rateLimiter = createRateLimiter({ runs: 0.25, reads: 0.25 }, { distanceMs: 2200, clock });
  const bench = createUpdateBench({ campaignId, rateLimiter });

  const started = await bench.deliver(aCommand());

  expect(started).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(nowMs).toBe(2200);
});

test('no call is begun with too little time left for its answer', async () => {
  const bench = createUpdateBench({ campaignId });

  const start = await bench.deliver(aCommand(), { remainingMs: () => 13_000 });
  const stopped = await bench.deliver(stop(), { remainingMs: () => 13_000 });

  expect([start.kind, stopped.kind]).toEqual(['later', 'later']);
  expect(bench.patches).toEqual([]);
});

test('a worker that was frozen behind its last write sends no start when it thaws', async () => {
  const bench = createUpdateBench();
  let remainingMs = 30_000;
  const ledger: typeof bench.ledger = {
    ...bench.ledger,
    async writeAll(changes) {
      const written = await bench.ledger.writeAll(changes);
      if (changes.some(({ after }) => after.kind === 'run')) remainingMs = -3_600_000;
      return written;
    },
  };

  const thawed = await bench.deliver(aCommand(), { ledger, remainingMs: () => remainingMs });

  expect(thawed.kind).toBe('later');
  expect(bench.patches).toEqual([]);
  expect(await plannedStopsOf(bench)).toEqual([]);
});
