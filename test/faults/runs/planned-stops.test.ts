import { afterEach, describe, expect, test, vi } from 'vitest';
import { aStart, at, createNight, type Night, smokeId } from './night.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Minutes that a run lasted, give or take what a stop may be late. */
const about = (minutes: number) => expect.closeTo(minutes, -1);

describe('a planned stop ends the run that planned it', () => {
  test('[E14] and not the later start that a blackout deferred over the weekend', async () => {
    const night = createNight({
      runs: { smoke: { ids: smokeId, stopAfter: 'PT8H' } },
      blackouts: [
        { name: 'weekend', starts: 'defer', window: { kind: 'once', from: at('00:00', 1), to: at('06:00', 3) } },
      ],
    });
    night.send(aStart('friday', at('22:00')));
    night.send(aStart('saturday', at('05:00', 1)));

    await night.until(at('20:00', 3));

    expect(await night.ends('friday', 'saturday')).toEqual(['applied', 'applied']);
    expect([...night.minutesOf('friday'), ...night.minutesOf('saturday')]).toEqual([about(480), about(480)]);
    expect(beginningsOf(night, 'saturday')).toEqual([expect.stringMatching(/^2026-11-23T06:0[0-2]/)]);
  });

  test('[E15] and not the start that stop-previous makes while that stop is overdue', async () => {
    const night = createNight({
      runs: { smoke: { ids: smokeId, stopAfter: 'PT8H', overlap: 'stop-previous' } },
    });
    night.send(aStart('first', at('22:00')));
    night.send(aStart('second', at('05:50', 1)));
    night.gateway.answerUntil(at('06:05', 1), 'stop', { kind: 408 });

    await night.until(at('18:00', 1));

    expect(await night.ends('first', 'second')).toEqual(['applied', 'applied']);
    expect(night.minutesOf('first')).toHaveLength(1);
    expect(night.minutesOf('second')).toEqual([about(480)]);
    expect(overlapsOf(night)).toEqual([]);
  });
});

/** How late the message of each occurrence comes: Scheduler may take a minute. */
const latenesses = [0, 150, 400, 1000, 20_000, 61_000];
const hours = ['22:00', '22:30', '23:00', '23:30'];
const occurrences = [...hours.map((hour) => at(hour)), at('00:00', 1), at('00:30', 1), at('01:00', 1)];

describe('one run that is started every half hour for half an hour', () => {
  test.each(latenesses.flatMap((lateMs) => (['skip', 'allow'] as const).map((overlap) => ({ lateMs, overlap }))))(
    '[E16] runs until its own stop each time: $overlap, $lateMs ms late',
    async ({ lateMs, overlap }) => {
      const night = createNight({ runs: { smoke: { ids: smokeId, stopAfter: 'PT30M', overlap } } });
      for (const occurrence of occurrences) night.send(aStart(occurrence, occurrence), lateMs);

      await night.until(at('03:00', 1));

      expect(await night.ends(...occurrences)).toEqual(occurrences.map(() => 'applied'));
      expect(occurrences.flatMap((id) => night.minutesOf(id))).toEqual(occurrences.map(() => about(30)));
      expect(overlapsOf(night)).toEqual([]);
    },
  );
});

describe('a start that comes a little after the start before it should have been stopped', () => {
  test.each([500, 30_000, 60_000, 61_000])(
    '[E16] is not stopped by the stop of that one: %i ms late',
    async (lateMs) => {
      const night = createNight({ runs: { smoke: { ids: smokeId, stopAfter: 'PT30M' } } });
      night.send(aStart('first', at('22:00')));
      night.send(aStart('second', at('22:30')), lateMs);

      await night.until(at('23:30'));

      expect(await night.ends('first', 'second')).toEqual(['applied', 'applied']);
      expect([...night.minutesOf('first'), ...night.minutesOf('second')]).toEqual([about(30), about(30)]);
      expect(overlapsOf(night)).toEqual([]);
    },
  );
});

test('[E16] a planned stop that a later start sends and the gateway refuses is parked with its attempt (I19)', async () => {
  const night = createNight({ runs: { smoke: { ids: smokeId, stopAfter: 'PT30M' } } });
  night.send(aStart('first', at('22:00')));
  // Between the instant of the stop and the next tick of the watcher.
  night.send(aStart('second', at('22:30')), 500);
  night.gateway.answerUntil(at('22:40'), 'stop', { kind: 422 });

  await night.until(at('23:30'));

  expect(await night.parked()).toEqual([
    { id: expect.stringContaining('stop-due'), reason: 'VALIDATION', attempts: 1 },
  ]);
  expect(await night.ends('second')).toEqual(['skipped OVERLAP']);
});

function beginningsOf(night: Night, by: string): readonly string[] {
  return night.stintsOf(by).map(({ fromMs }) => new Date(fromMs).toISOString());
}

/** Starts that went to a run that was running. */
function overlapsOf({ gateway }: Night): readonly string[] {
  return gateway.stints.map(({ overlappedBy }) => overlappedBy).filter((by) => by !== undefined);
}
