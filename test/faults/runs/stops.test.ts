import { afterEach, describe, expect, test, vi } from 'vitest';
import { aStart, aStop, at, createNight, nightlyId, nightlyIds, anOverride, smokeId } from './night.ts';

afterEach(() => void vi.unstubAllGlobals());

const smoke = { ids: smokeId, longestRun: 'P3D' };
const byName = { run: 'nightly' } as const;

describe('a stop', () => {
  test.each([429, 422])(
    '[E13] that comes while the PATCH of a start is in the air is not lost if it ends in %i',
    async (status) => {
      const night = createNight({ runs: { smoke } });
      night.send(aStart('first', at('22:00')));
      night.send(aStop('stop', at('23:00:00')), 3000);
      night.send(anOverride('second', at('23:00:01'), { validFor: 'PT20S' }));
      night.gateway.answer('start', { kind: 'ok' }, { kind: status, afterMs: 8000 });

      await night.until(at('23:00', 1));

      expect(night.stintsOf('second')).toEqual([]);
      expect(await night.ends('stop')).toEqual(['applied']);
      expect(night.gateway.running()).toEqual([]);
    },
  );

  test('[E18] is not parked because of the refusals of a start before it', async () => {
    const night = createNight({ runs: { smoke } });
    night.send(aStart('first', at('22:00')));
    await night.until(at('23:00'));
    night.gateway.answer('start', { kind: 403 }, { kind: 403 }, { kind: 403 });
    night.gateway.answer('stop', { kind: 403 });
    night.send(anOverride('second', at('23:00')));
    await night.untilSeen(() => night.patchesOf('running').length === 3);
    night.send(aStop('stop', night.now()), 1000);

    await night.until(at('02:00', 1));

    expect(await night.ends('stop')).toEqual(['applied']);
    expect(night.gateway.running()).toEqual([]);
  });

  test('[E23] by name does not go to the id that a later start has just taken', async () => {
    const night = createNight({ runs: { nightly: { ids: nightlyIds(3) } } });
    night.gateway.answer('start', { kind: 408 });
    night.send(aStart('start', at('22:00:00'), byName));
    night.send(aStop('stop', at('21:59:00'), byName), 70_000);

    await night.until(at('23:00'));

    expect(night.patchesOf('stopped')).toEqual([]);
    expect(night.gateway.running()).toEqual([nightlyId(0)]);
  });

  test('[E24] by name after a start that was refused for good parks nothing more', async () => {
    const night = createNight({ runs: { nightly: { ids: nightlyIds(3) } } });
    night.gateway.refuse(nightlyId(0), 422);
    night.send(aStart('start', at('22:00'), byName));
    night.send(aStop('stop', at('06:00', 1), byName));

    await night.until(at('09:00', 1));

    expect(await night.parked()).toMatchObject([{ id: 'start', reason: expect.any(String) }]);
    expect(await night.ends('stop')).toEqual(['skipped NOTHING_TO_STOP']);
  });

  test('[E25] that was refused and is repeated by a person is not passed by a later start', async () => {
    const night = createNight({ runs: { smoke } });
    night.send(aStart('first', at('22:00')));
    night.send(aStop('stop', at('23:00')));
    night.gateway.answer('stop', { kind: 422 }, { kind: 408 });
    await night.until(at('23:10'));
    await night.repeat('stop');
    night.send(anOverride('second', at('23:10:10')));

    await night.until(at('02:00', 1));

    expect(await night.ends('stop', 'second')).toEqual(['applied', 'applied']);
    expect(night.gateway.stints).toMatchObject([{ by: 'first', endedBy: 'stop' }, { by: 'second' }]);
    expect(night.gateway.running()).toEqual([smokeId]);
  });

  test('[E28] that was accepted and whose message was purged is sent again, and later starts are applied', async () => {
    const night = createNight({ runs: { smoke } });
    night.send(aStart('friday', at('22:00')));
    night.send(aStop('stop', at('23:00')));
    night.gateway.answer('stop', { kind: 408 });
    await night.until(at('23:00:05'));
    night.queue.purge();
    night.send(aStart('saturday', at('22:00', 1)));

    await night.until(at('21:00', 1));
    const isStopped = night.gateway.running().length === 0;
    await night.until(at('23:30', 1));

    expect.soft(isStopped).toBe(true);
    expect(await night.ends('stop', 'saturday')).toEqual(['applied', 'applied']);
  });
});

describe('a start of tonight', () => {
  test('[E22] is not parked at its first 404 because of one 404 of last night', async () => {
    const night = createNight({ runs: { smoke } });
    night.gateway.answer('start', { kind: 404 });
    night.send(aStart('friday', at('22:00'), { validFor: 'PT20S' }));
    await night.until(at('21:59', 1));
    night.gateway.answer('start', { kind: 404 });
    night.send(aStart('saturday', at('22:00', 1)));

    await night.until(at('23:00', 1));

    expect(await night.ends('friday', 'saturday')).toEqual(['skipped MISSED_WINDOW', 'applied']);
    expect(night.gateway.running()).toEqual([smokeId]);
  });
});
