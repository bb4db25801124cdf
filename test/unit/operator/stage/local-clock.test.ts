import { expect, test } from 'vitest';
import { type LocalClock, stageTime } from '#operator/stage/local-stage.ts';

const machineTime = () => new Date('2026-11-20T20:00:00.000Z');

/** A clock that another program moves. */
function movedClock(offsetsMs: readonly number[]): LocalClock {
  const left = [...offsetsMs];
  return {
    read: async () => ({ now: machineTime(), offsetMs: left.shift() ?? 0 }),
    forward: async () => ({ now: machineTime(), offsetMs: 0, fired: [] }),
    lastOffsetMs: () => 0,
  };
}

test.each<[string, () => Promise<number>, string]>([
  ['that of AWS, if this machine is two days ahead', async () => -48 * 3_600_000, '2026-11-18T20:00:00.000Z'],
  [
    'that of this machine, if AWS did not tell its own',
    async () => Promise.reject(new Error('x')),
    '2026-11-20T20:00:00.000Z',
  ],
])('the time of a stage without a clock that can be moved is %s', async (_what, awsOffsetMs, time) => {
  expect(await stageTime(undefined, awsOffsetMs, machineTime)()).toEqual(new Date(time));
});

test('a move of the clock counts from the next reading on', async () => {
  // The offset used to be read once: after `clock +10h` every later status of the same process was
  // ten hours behind.
  const now = stageTime(movedClock([0, 10 * 3_600_000]), async () => 1, machineTime);

  expect(await now()).toEqual(machineTime());
  expect(await now()).toEqual(new Date('2026-11-21T06:00:00.000Z'));
});
