import { afterEach, describe, expect, test, vi } from 'vitest';
import { commandIds } from '#shared/messages/command-ids.ts';
import { aStart, aStop, at, createNight, anOverride, smokeId, smokeIds } from './night.ts';

afterEach(() => void vi.unstubAllGlobals());

const smoke = { ids: smokeIds, longestRun: 'P3D' };
describe('a stop', () => {
  test.each(['429', '422'] as const)(
    '[E13] that comes while the PATCH of a start is in the air is not lost if it ends in %s',
    async (status) => {
      const night = createNight({ runs: { smoke } });
      night.send(aStart('first', at('22:00')));
      night.send(aStop('stop', at('23:00:00')), 3000);
      night.send(anOverride('second', at('23:00:01'), { validFor: 'PT20S' }));
      night.gateway.fail('start', {}, { fault: status, afterMs: 8000 });

      await night.until(at('23:00', 1));

      expect(night.stintsOf('second')).toEqual([]);
      expect(await night.ends('stop')).toEqual(['applied']);
      expect(night.gateway.running()).toEqual([]);
    },
  );

  test('[E18] I9: is not parked because of the refusals of a start before it', async () => {
    const night = createNight({ runs: { smoke } });
    night.send(aStart('first', at('22:00')));
    await night.until(at('23:00'));
    night.gateway.fail('start', { fault: '403' }, { fault: '403' }, { fault: '403' });
    night.gateway.fail('stop', { fault: '403' });
    night.send(anOverride('second', at('23:00')));
    await night.untilSeen(() => night.patchesOf('start').length === 3);
    night.send(aStop('stop', night.now()), 1000);

    await night.until(at('02:00', 1));

    expect(await night.ends('stop')).toEqual(['applied']);
    expect(night.gateway.running()).toEqual([]);
  });

  test('[E25] that was refused and is repeated by a person ends the run, and no start goes over it', async () => {
    const night = createNight({ runs: { smoke } });
    night.send(aStart('first', at('22:00')));
    night.send(aStop('stop', at('23:00')));
    night.gateway.fail('stop', { fault: '422 about a field' }, { fault: '408' });
    night.send(aStart('over it', at('23:05')));
    await night.until(at('23:10'));
    const before = night.gateway.running();
    await night.repeat('stop');
    night.send(aStart('after it', at('23:10:10')));

    await night.until(at('02:00', 1));

    expect(before).toEqual([smokeId]);
    expect(await night.ends('stop', 'over it')).toEqual(['parked VALIDATION', 'skipped OVERLAP']);
    expect(await night.ends(commandIds.repeat('stop'), 'after it')).toEqual(['applied', 'applied']);
    expect(night.stintsOf('first')).toMatchObject([{ endedBy: commandIds.repeat('stop') }]);
    expect(night.overlaps()).toEqual([]);
  });

  test('[E28] that was accepted and whose message was purged is sent again, and later starts are applied', async () => {
    const night = createNight({ runs: { smoke } });
    night.send(aStart('friday', at('22:00')));
    night.send(aStop('stop', at('23:00')));
    night.gateway.fail('stop', { fault: '408' });
    await night.until(at('23:00:05'));
    night.queue.purge();
    night.send(aStart('saturday', at('22:00', 1)));

    await night.until(at('21:00', 1));
    const isStopped = night.gateway.running().length === 0;
    await night.until(at('23:30', 1));

    expect.soft(isStopped).toBe(true);
    expect(await night.ends('saturday')).toEqual(['applied']);
  });
});

describe('a gateway that takes no connection for 17 hours', () => {
  test.each([
    ['stop of a person', undefined],
    ['planned stop', 'PT1H'],
  ])('[E39] I8, I14: gives no %s up, and no copies of it add up', async (_which, stopAfter) => {
    const night = createNight({ runs: { smoke: { ids: smokeIds, longestRun: 'P3D', stopAfter } } });
    night.send(aStart('start', at('22:00')));
    if (stopAfter === undefined) night.send(aStop('stop', at('23:00')));
    await night.until(at('22:59'));
    night.breakUntil(at('16:00', 1), 'stop', 'connection refused');

    await night.until(at('15:59', 1));
    const [messages, receives] = [night.queue.size(), night.mostReceives()];
    await night.until(at('18:00', 1));

    expect(messages).toBe(1);
    // SQS gives a message up at its thousandth receive.
    expect(receives).toBeLessThan(1000);
    expect(night.gateway.running()).toEqual([]);
    expect(await night.parked()).toEqual([]);
  });
});

describe('a start of tonight', () => {
  test('[E22] is not parked at its first 404 because of one 404 of last night', async () => {
    const night = createNight({ runs: { smoke } });
    night.gateway.fail('start', { fault: '404' });
    night.send(aStart('friday', at('22:00'), { validFor: 'PT20S' }));
    await night.until(at('21:59', 1));
    night.gateway.fail('start', { fault: '404' });
    night.send(aStart('saturday', at('22:00', 1)));

    await night.until(at('23:00', 1));

    expect(await night.ends('friday', 'saturday')).toEqual(['skipped MISSED_WINDOW', 'applied']);
    expect(night.gateway.running()).toEqual([smokeId]);
  });
});
