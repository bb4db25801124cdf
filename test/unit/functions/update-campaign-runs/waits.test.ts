/** What a command waits for before it calls the gateway, how long, and what ends its waiting. */
import { describe, expect, test } from 'vitest';
import { createRateLimiter } from '#functions/_gateway/rate-limiter.ts';
import { aStop, atTen, hours, minutes, nightly, running } from './harness/guard-nights.ts';
import { campaignId, smokeId, createUpdateBench } from './harness/update-bench.ts';

describe('at a closed gate', () => {
  test('a start calls no server, holds nothing, and comes back when it may open', async () => {
    const bench = createUpdateBench({ campaignId });
    bench.closeGateFor(minutes(5));
    const held = await bench.deliver(atTen());
    expect(held.kind === 'later' ? held.delayMs : 0).toBeGreaterThanOrEqual(minutes(5));
    expect(await bench.inFlight()).toEqual([]);
    bench.passMs(minutes(6));
    await bench.deliver(atTen(), { receiveCount: 2 });

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
    expect(bench.patches).toHaveLength(1);
  });

  test('a stop is held for a minute at most, then goes through; no older start slips in meanwhile', async () => {
    const bench = await running();
    bench.closeGateFor(hours(2));
    const sentAt = bench.now();
    const held = await bench.deliver(aStop(), { sentAt });
    await bench.deliver(atTen({ id: 'older', issuedAt: '2026-11-20T22:03:00Z' }));
    bench.passMs(minutes(1));
    await bench.deliver(aStop(), { sentAt, receiveCount: 2 });

    expect(held).toMatchObject({ kind: 'later', delayMs: 60_000 });
    expect(await bench.outcomeOf('older')).toMatchObject({ kind: 'superseded' });
    expect(bench.model.running()).toEqual([]);
  });
});

describe('after a failed call', () => {
  test('the gate hears of each answer and each failure, by the run or the campaign that the call was about', async () => {
    const bench = createUpdateBench({
      campaignId,
      minimumGap: 'PT1H',
      campaignAnswers: [{ status: 500, text: 'broken' }],
    });
    bench.answerWith({ status: 500, text: 'broken' });
    for (const receiveCount of [1, 2, 3]) await bench.deliver(atTen(), { receiveCount });

    expect(bench.told).toEqual([`failed ${campaignId}`, 'answered', `failed ${smokeId}`, 'answered', 'answered']);
  });
});

describe('for its slot', () => {
  test('a start whose slot is far makes room for the stop behind it, which takes the slot', async () => {
    let nowMs = 0;
    const slept: number[] = [];
    const sleep = async (ms: number) => {
      slept.push(ms);
      nowMs += ms;
    };
    const clock = { monotonicMs: () => nowMs, sleep };
    const bench = await running({ rateLimiter: createRateLimiter({ runs: 0.1, reads: 1 }, { clock }) });

    const second = await bench.deliver(
      nightly('b', {
        issuedAt: '2026-11-20T22:04:00Z',
        override: { guards: ['overlap'], reason: 'x' },
        origin: { kind: 'operator', name: 'ann' },
      }),
    );
    expect(second.kind).toBe('later');
    await bench.deliver(aStop());

    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'applied' });
    expect(slept).toHaveLength(1);
  });
});

describe('a command that takes too long', () => {
  test('is parked HORIZON_EXCEEDED after a day of tries; its run counts as running', async () => {
    const bench = createUpdateBench();
    await bench.deliver(atTen({ stopAfter: 'P3D' }));
    bench.passMs(minutes(5));
    const sentAt = bench.now();
    bench.answerWith('not-sent', 'not-sent');
    await bench.deliver(aStop(), { sentAt });
    bench.passMs(hours(25));
    await bench.deliver(aStop(), { sentAt, receiveCount: 2 });

    expect(await bench.outcomeOf('stop')).toMatchObject({
      kind: 'parked',
      reason: 'HORIZON_EXCEEDED',
      detail: expect.stringContaining('may still be running'),
    });
    expect(await bench.inFlight()).toMatchObject([{ state: 'running' }]);
  });

  test('three attempts that died park it CRASH_LOOP; a start with an entry as START_OUTCOME_UNKNOWN', async () => {
    const bench = createUpdateBench();
    const dies = { ...bench.gateway, updateCampaignRun: async () => new Promise<never>(() => {}) };
    const start = atTen({ stopAfter: 'PT8H' });
    for (const receiveCount of [1, 2, 3]) {
      void bench.deliver(start, { receiveCount, gateway: dies });
      await new Promise((resolve) => setImmediate(resolve));
      bench.passMs(minutes(3));
    }
    await bench.deliver(start, { receiveCount: 4 });

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' });
    expect(await bench.inFlight()).toMatchObject([{ state: 'running' }]);
  });

  test('attempts that end are no deaths, however many', async () => {
    const bench = createUpdateBench({ answers: Array.from({ length: 6 }, () => 'not-sent' as const) });
    for (let receiveCount = 1; receiveCount <= 6; receiveCount += 1)
      await bench.deliver(atTen({ stopAfter: 'PT8H' }), { receiveCount });

    expect((await bench.commandOf('at-ten'))?.attempt).toMatchObject({ crashes: 0, tries: 6, failures: 6 });
  });
});
