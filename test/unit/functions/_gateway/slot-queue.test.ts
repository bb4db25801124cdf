import { describe, expect, test } from 'vitest';
import { mappingConcurrency } from '#infra/config/concurrency.ts';
import { createSlotQueue, slotDelayMs } from '#functions/_gateway/slot-queue.ts';
import { type Pick, simulateSlots } from './slot-simulation.ts';

/** Starts and stops that wait for the slots of several environments, in virtual time. */

const seeds = [1, 2, 3, 4, 5];
const picks: readonly Pick[] = ['first', 'last used', 'any'];
const random = () => 0.5;
const environmentsAt = (runs: number) =>
  mappingConcurrency({
    baseUrl: 'https://gateway.example.com',
    status: { start: 'running', stop: 'stopped' },
    requestsPerSecond: { datasets: 4, runs, reads: 2 },
    alreadyInState: [],
    startsRepeatSafely: false,
    postMayRepeatOn: [],
  }).commands;

describe.each(picks)('100 starts at once, at half a start a second, if %s idle environment is used', (pick) => {
  // One slot of an environment (4 s), the second for which a start waits for its own, and the distance.
  test.each([
    [2, 6000],
    [0.5, 7500],
  ])(
    'are all sent within 300 s, and no stop waits behind them, at %d reads a second',
    async (reads, longestStopWaitMs) => {
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
        expect(Math.max(...played.stopWaitsMs)).toBeLessThan(longestStopWaitMs);
        expect(played.deliveries).toBeLessThan(500);
      }
    },
  );
});

describe('a gateway of one request a second without a burst, at 0.5 starts and 0.5 reads a second', () => {
  const tenStarts = { starts: 10, rates: { runs: 0.5, reads: 0.5 }, pick: 'any', gatewayGapMs: 1000 } as const;

  test('never refuses the PATCH that follows the GET of the same start', async () => {
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

describe('the delay of a message that only waited for its slot', () => {
  const spacingMs = 4000;

  test('is its place behind those that wait already, two for each slot', () => {
    const queue = createSlotQueue(spacingMs, () => 0);

    const delays = Array.from({ length: 5 }, () => {
      const delayMs = slotDelayMs({ slotWaitMs: 4000, waiting: queue.waiting(), spacingMs, random });
      queue.sentBack();
      return delayMs;
    });

    expect(delays).toEqual([3500, 3500, 7500, 7500, 11_500]);
  });

  test('follows the slots as they pass', () => {
    let nowMs = 0;
    const queue = createSlotQueue(spacingMs, () => nowMs);
    for (let message = 0; message < 10; message += 1) queue.sentBack();

    const before = queue.waiting();
    nowMs = 12_000;
    const after = queue.waiting();
    nowMs = 60_000;

    expect([before, after, queue.waiting()]).toEqual([10, 4, 0]);
  });

  test('is never longer than the message can wait', () => {
    const delayMs = slotDelayMs({ slotWaitMs: 4000, waiting: 1000, spacingMs, longestMs: 30_000, random });

    expect(delayMs).toBe(22_500);
  });
});
