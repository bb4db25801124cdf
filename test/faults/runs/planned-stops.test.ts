import { afterEach, describe, expect, test, vi } from 'vitest';
import { commandIds } from '#shared/messages/command-ids.ts';
import { aStart, at, createNight, type Night, smokeIds } from './night.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Minutes that a run lasted, give or take what a stop may be late. */
const about = (minutes: number) => expect.closeTo(minutes, -1);

/** I6. */
describe('a planned stop ends the run that planned it', () => {
  test('[E14] and not the later start that a blackout deferred over the weekend', async () => {
    const night = createNight({
      runs: { smoke: { ids: smokeIds, stopAfter: 'PT8H' } },
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
      runs: { smoke: { ids: smokeIds, stopAfter: 'PT8H', overlap: 'stop-previous' } },
    });
    night.send(aStart('first', at('22:00')));
    night.send(aStart('second', at('05:50', 1)));
    night.breakUntil(at('06:05', 1), 'stop', '408');

    await night.until(at('18:00', 1));

    expect(await night.ends('first', 'second')).toEqual(['applied', 'applied']);
    expect(night.minutesOf('first')).toHaveLength(1);
    expect(night.minutesOf('second')).toEqual([about(465)]);
    expect(night.overlaps()).toEqual([]);
  });
});

test('a planned stop that the gateway refuses is parked with its attempt, and no start goes over the run (I19)', async () => {
  const night = createNight({ runs: { smoke: { ids: smokeIds, stopAfter: 'PT30M' } } });
  night.send(aStart('first', at('22:00')));
  night.send(aStart('second', at('22:30')), 500);
  night.breakUntil(at('22:40'), 'stop', '422 about a field');

  await night.until(at('23:20'));

  expect(await night.parked()).toEqual([
    { id: commandIds.plannedStop('first'), reason: 'VALIDATION', attempts: expect.any(Number) },
  ]);
  expect(await night.ends('second')).toEqual(['skipped OVERLAP']);
  expect(night.overlaps()).toEqual([]);
});

function beginningsOf(night: Night, by: string): readonly string[] {
  return night.stintsOf(by).map(({ fromMs }) => new Date(fromMs).toISOString());
}
