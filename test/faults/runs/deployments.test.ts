import { afterEach, describe, expect, test, vi } from 'vitest';
import { aStart, aStop, at, createNight, nightlyIds, smokeId, smokeIds } from './night.ts';

afterEach(() => void vi.unstubAllGlobals());

const smoke = { ids: smokeIds, stopAfter: 'PT2H' };
const nightly = { ids: nightlyIds(3), stopAfter: 'PT2H' };

describe('a deployment between a start and its stop', () => {
  test('[E34] that removes the run keeps no stop by its name from ending it', async () => {
    const night = createNight({ runs: { smoke, nightly } });
    night.send(aStart('start', at('22:00')));
    night.gateway.answer('stop', { kind: 'reset, not applied' });
    night.send(aStop('stop', at('23:00')));
    await night.until(at('23:00:01'));
    night.deploy({ nightly });

    await night.until(at('23:30'));

    expect(night.gateway.running()).toEqual([]);
    expect(await night.ends('stop')).toEqual(['applied']);
    expect(await night.inFlight()).toEqual([]);
  });

  test.each([
    ['removes the run', { nightly }],
    ['gives the run another target', { smoke: { ...smoke, target: 'another' } }],
    ['gives the id to another name', { nightly: { ...nightly, ids: smokeIds } }],
  ])('[E36] that %s starts no id again, and frees its place', async (_what, next) => {
    const night = createNight({ runs: { smoke, nightly } });
    night.send(aStart('start', at('22:00')));
    await night.until(at('22:30'));
    night.deploy(next);
    const run = Object.keys(next)[0] ?? '';
    night.send(aStart('over it', at('22:40'), { run }));
    night.send(aStart('after it', at('00:10', 1), { run }));

    await night.until(at('03:00', 1));

    const [over, after] = await night.ends('over it', 'after it');
    expect(over).toMatch(/^(?:skipped OVERLAP|applied)$/);
    expect(after).toBe('applied');
    expect(night.gateway.stints().filter(({ campaignRunId }) => campaignRunId === smokeId)).toHaveLength(1);
    expect(night.gateway.running()).toEqual([]);
    expect(await night.inFlight()).toEqual([]);
  });

  test('[E36] that gives the run another target keeps no stop by its name from ending it', async () => {
    const night = createNight({ runs: { smoke } });
    night.send(aStart('start', at('22:00')));
    await night.until(at('22:30'));
    night.deploy({ smoke: { ...smoke, target: 'another' } });
    night.send(aStop('stop', at('22:45')));

    await night.until(at('23:00'));

    expect(await night.ends('stop')).toEqual(['applied']);
    expect(night.gateway.running()).toEqual([]);
    expect(await night.inFlight()).toEqual([]);
  });
});
