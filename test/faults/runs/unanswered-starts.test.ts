import { afterEach, describe, expect, test, vi } from 'vitest';
import { aStart, aStop, at, campaignId, createNight, type Night, smokeId } from './night.ts';

afterEach(() => void vi.unstubAllGlobals());

const smoke = { ids: smokeId, stopAfter: 'PT2H' };
/** Minutes that a run lasted, give or take what a stop may be late. */
const about = (minutes: number) => expect.closeTo(minutes, -1);
const applied = [{ kind: 'applied, then reset' }, { kind: 'applied, then 500' }] as const;

describe('a start that took effect and was answered by no usable answer', () => {
  test.each(applied)('[E11] is sent once and applied if the run count is digits in a string: $kind', async (answer) => {
    const night = createNight({
      runs: { smoke },
      campaign: { id: campaignId, runCount: 'digits', lastRunAt: 'yesterday' },
    });
    night.gateway.answer('start', answer);
    night.send(aStart('start', at('22:00')));

    await night.until(at('03:00', 1));

    expect(night.minutesOf('start')).toEqual([about(120)]);
    expect(await night.ends('start')).toEqual(['applied']);
  });

  test.each(['', 'yesterday', '2026-11-20'])(
    '[E11] is sent once and parked once if all it shows is "%s"',
    async (lastRunAt) => {
      const night = createNight({ runs: { smoke }, campaign: { id: campaignId, runCount: 'absent', lastRunAt } });
      night.gateway.answer('start', { kind: 'applied, then reset' });
      night.send(aStart('start', at('22:00'), { validFor: 'PT30M' }));

      await night.until(at('03:00', 1));

      expect(night.minutesOf('start')).toEqual([about(120)]);
      expect(await night.parked()).toMatchObject([{ id: 'start', reason: 'START_OUTCOME_UNKNOWN' }]);
    },
  );

  test.each(applied)(
    '[E12] is sent once and parked once if the campaign shows no usable field: $kind',
    async (answer) => {
      const night = createNight({
        runs: { smoke },
        campaign: { id: campaignId, runCount: 'absent', lastRunAt: 'absent' },
      });
      night.gateway.answer('start', answer);
      night.send(aStart('start', at('22:00'), { validFor: 'PT30M' }));

      await night.until(at('03:00', 1));

      expect(night.minutesOf('start')).toEqual([about(120)]);
      expect(await night.parked()).toMatchObject([{ id: 'start', reason: 'START_OUTCOME_UNKNOWN' }]);
    },
  );

  test.each(applied)('[E19] is sent once and parked once if the campaign has no id: $kind', async (answer) => {
    const night = createNight({ runs: { smoke } });
    night.gateway.answer('start', answer);
    night.send(aStart('start', at('22:00'), { validFor: 'PT30M' }));

    await night.until(at('03:00', 1));

    expect(night.minutesOf('start')).toEqual([about(120)]);
    expect(await night.parked()).toMatchObject([{ id: 'start', reason: 'START_OUTCOME_UNKNOWN' }]);
  });

  test.each(applied)('[E20] is sent once if the gateway counts a run at its end: $kind', async (answer) => {
    const night = createNight({ runs: { smoke }, campaign: { id: campaignId, countsAt: 'end' } });
    night.gateway.answer('start', answer);
    night.send(aStart('start', at('22:00'), { validFor: 'PT30M' }));

    await night.until(at('03:00', 1));

    expect(night.minutesOf('start')).toEqual([about(120)]);
    expect(await night.parked()).toMatchObject([{ id: 'start', reason: 'START_OUTCOME_UNKNOWN' }]);
  });

  test.each([
    ['at once, its campaign is known', 'applied, then reset', { id: campaignId }],
    ['at once, its campaign is unknown', 'applied, then reset', undefined],
    ['late, its campaign is known', 'reset, applied late', { id: campaignId }],
    ['late, its campaign is unknown', 'reset, applied late', undefined],
  ] as const)('[E21] and is stopped a minute later is recorded as one that ran: %s', async (_which, kind, campaign) => {
    const night = createNight({ runs: { smoke }, campaign });
    night.gateway.answer('start', { kind });
    night.send(aStart('start', at('22:00')));
    night.send(aStop('stop', at('22:01')));

    await night.until(at('23:00'));

    expect(await recordOf(night, 'start')).toEqual({ campaignRunId: smokeId, says: expect.stringMatching(ran) });
    expect(await night.ends('stop')).toEqual(['applied']);
    expect(night.gateway.running()).toEqual([]);
  });
});

describe('a start that took no effect and was not answered', () => {
  test('[E5] is repeated once if its campaign names what shows a start', async () => {
    const night = createNight({ runs: { smoke: { ...smoke, confirm: 'runCount' } }, campaign: { id: campaignId } });
    night.gateway.answer('start', { kind: 'reset, not applied' });
    night.send(aStart('start', at('22:00')));

    await night.until(at('03:00', 1));

    expect(night.patchesOf('running')).toHaveLength(2);
    expect(night.stintsOf('start')).toHaveLength(1);
    expect(await night.ends('start')).toEqual(['applied']);
  });
});

/** Applied, or the interval in which the run may have run. */
const ran = /^applied$|may have run.* from \S+ until \S+/;

async function recordOf(night: Night, id: string) {
  const { kind, detail = '', campaignRunId } = (await night.outcome(id)) ?? { kind: 'no outcome' };
  return { campaignRunId, says: kind === 'applied' ? kind : detail };
}
