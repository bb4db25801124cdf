import { afterEach, describe, expect, test, vi } from 'vitest';
import { aStart, at, campaignId, createNight, smokeIds } from './night.ts';

afterEach(() => void vi.unstubAllGlobals());

const smoke = { ids: smokeIds, stopAfter: 'PT30M', minimumGap: 'PT12H' };

describe('the guard of the minimum gap', () => {
  test.each(['an hour ago', '20.11.2026 20:30', '2026-11-20', ''])(
    '[E11] lets no start pass if lastRunAt is "%s"',
    async (lastRunAt) => {
      const night = createNight({ runs: { smoke }, campaign: { id: campaignId, lastRunAt } });
      night.send(aStart('start', at('22:00')));

      await night.until(at('23:30'));

      expect(night.patchesOf('start')).toEqual([]);
      expect(await night.ends('start')).toEqual(['skipped MISSED_WINDOW']);
    },
  );

  test.each(['number', 'digits'] as const)(
    '[E12] lets no start pass without lastRunAt if runs were counted: %s',
    async (runCount) => {
      const night = createNight({ runs: { smoke }, campaign: { id: campaignId, runCount, lastRunAt: 'absent' } });
      night.send(aStart('start', at('22:00')));

      await night.until(at('23:30'));

      expect(night.patchesOf('start')).toEqual([]);
      expect(await night.ends('start')).toEqual(['skipped MISSED_WINDOW']);
    },
  );

  test.each([0, 20, 200, 1000])('[E40] lets one of two starts pass that come %i ms apart', async (apartMs) => {
    const night = createNight({
      runs: { smoke: { ...smoke, overlap: 'allow' } },
      campaign: { id: campaignId },
    });
    night.send(aStart('one', at('22:00')));
    night.send(aStart('other', at('22:00')), apartMs);

    await night.until(at('23:00'));

    expect(night.stints()).toHaveLength(1);
    expect((await night.ends('one', 'other')).toSorted()).toEqual(['applied', 'skipped MINIMUM_GAP']);
  });

  test('[E29] does not judge by a campaign with another id than the one that was asked for', async () => {
    const night = createNight({ runs: { smoke }, campaign: { id: campaignId } });
    night.send(aStart('an hour before', at('21:05')));
    await night.until(at('21:30'));
    const other = { id: '018f0000-0000-7000-8000-00000000beef', lastRunAt: '2026-11-10T22:00:00Z' };
    const fault = { applies: 'never', reply: { kind: 'body', body: { campaign: other } } } as const;
    night.gateway.fail('read', { fault }, { fault }, { fault });
    night.send(aStart('start', at('22:30')));

    await night.until(at('23:59'));

    expect(await night.ends('an hour before')).toEqual(['applied']);
    expect(night.stintsOf('start')).toEqual([]);
    expect((await night.outcome('start'))?.kind).not.toBe('applied');
  });
});
