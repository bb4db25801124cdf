import { afterEach, describe, expect, test, vi } from 'vitest';
import { aStart, at, createNight, nightlyIds, smokeId, smokeIds } from './night.ts';

afterEach(() => void vi.unstubAllGlobals());

const smoke = { ids: smokeIds, stopAfter: 'PT2H' };
const nightly = { ids: nightlyIds(3), stopAfter: 'PT2H' };

describe('a deployment between a start and its stop', () => {
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
    expect(night.stints().filter(({ campaignRunId }) => campaignRunId === smokeId)).toHaveLength(1);
    expect(night.gateway.running()).toEqual([]);
    expect(await night.inFlight()).toEqual([]);
  });
});
