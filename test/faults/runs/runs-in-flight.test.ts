/** I10: what the list of runs in flight has, and for how long. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { aStart, aStop, at, campaignId, createNight, nightlyIds, smokeId, smokeIds } from './night.ts';

afterEach(() => void vi.unstubAllGlobals());

const byName = { run: 'nightly' } as const;
const runs = { nightly: { ids: nightlyIds(8), longestRun: 'PT10H' }, smoke: { ids: smokeIds, longestRun: 'PT10H' } };

describe('runs that longestRun alone bounds', () => {
  test('[E17] are listed exactly while the overlap guard counts them, and not stopped by name after that', async () => {
    const night = createNight({ runs });
    night.send(aStart('night', at('22:00'), byName));
    night.send(aStart('too early', at('07:55', 1)));
    night.send(aStop('stop', at('08:02', 1), byName));
    night.send(aStart('after it', at('08:05', 1)));

    await night.until(at('08:03', 1));
    const between = await night.inFlight();
    await night.until(at('09:00', 1));

    expect(await night.ends('too early', 'after it')).toEqual(['skipped OVERLAP', 'applied']);
    expect(await night.ends('stop')).toEqual(['skipped NOTHING_TO_STOP']);
    expect(between).toEqual([]);
    expect(await night.inFlight()).toEqual([{ run: 'smoke', campaignRunId: smokeId }]);
  });
});

describe('a command that is tried again and again', () => {
  test.each([
    ['a run that the gateway does not know', 'start'],
    ['a campaign that the gateway does not know', 'read'],
  ] as const)('[E30] is listed as pending until it has its outcome: %s', async (_which, what) => {
    const nightly = { ...runs.nightly, minimumGap: 'PT1H' };
    const night = createNight({ runs: { ...runs, nightly }, campaignId });
    night.breakUntil(at('22:05'), what, '404');
    night.send(aStart('start', at('22:00'), byName));

    await night.until(at('22:04'));
    const pending = await night.pending();
    await night.until(at('22:50'));

    expect(pending).toEqual(['start']);
    expect(await night.pending()).toEqual([]);
    expect(await night.ends('start')).toEqual(['applied']);
  });
});
