import { afterEach, describe, expect, test, vi } from 'vitest';
import type { GatewayFaultName } from '../model/world/gateway-faults.ts';
import {
  aStart,
  aStop,
  at,
  campaignId,
  createNight,
  type Night,
  type NightGateway,
  smokeId,
  smokeIds,
} from './night.ts';

afterEach(() => void vi.unstubAllGlobals());

const runs = { smoke: { ids: smokeIds, stopAfter: 'PT2H' } };
/** Minutes that a run lasted, give or take what a stop may be late. */
const about = (minutes: number) => expect.closeTo(minutes, -1);
const noAnswers = [
  'reset after applying',
  '500 after applying',
  'reset before applying',
  'reset, applied late',
] as const;

const readable = { id: campaignId };
const campaigns = [
  ['that shows it', readable],
  ['without an id', undefined],
  ['that shows no last run', { ...readable, lastRun: 'absent' }],
  ['that shows no usable field', { ...readable, lastRun: 'absent', runCount: 'absent', lastRunAt: 'yesterday' }],
] as const;

const word: NightGateway = { kind: { starts: 'word, again' } };
const safeWord: NightGateway = { kind: { starts: 'word' }, startsRepeatSafely: true };

describe('a start without an answer', () => {
  test.each(campaigns.flatMap(([which, campaign]) => noAnswers.map((fault) => ({ which, campaign, fault }))))(
    '[E12 E19 E20] begins one run, which its outcome does not deny: $fault, its campaign $which',
    async ({ campaign, fault }) => {
      const night = createNight({ runs, campaign });
      night.gateway.fail('start', { fault }, { fault });
      night.send(aStart('start', at('22:00')));

      await night.until(at('03:00', 1));

      expect(night.stints()).toMatchObject([{ campaignRunId: smokeId, by: 'start' }]);
      expect(night.minutesOf('start')).toEqual([about(120)]);
      expect(await recordOf(night, 'start')).toEqual({ campaignRunId: smokeId, says: expect.stringMatching(ran) });
      expect(await night.ends('start')).toEqual([expect.stringMatching(endOf(campaign === readable, fault))]);
      expect(await night.parked()).toEqual([]);
    },
  );

  test('is not applied by the run of a person, which its campaign shows since the same minute', async () => {
    const night = createNight({ runs, gateway: word, campaign: readable });
    night.gateway.fail('start', { fault: 'reset before applying' });
    night.send(aStart('start', at('22:00'), { validFor: 'PT30M' }));
    await night.until(at('22:00:30'));
    night.gateway.beginByHand(smokeIds[9] ?? '');

    await night.until(at('03:00', 1));

    expect(night.stintsOf('start')).toEqual([]);
    expect(await night.ends('start')).toEqual(['skipped MISSED_WINDOW']);
  });
});

const gateways = [
  ['startAt', undefined],
  ['a word', word],
  ['a word that repeats safely', safeWord],
] as const;

describe('a start without an answer whose run is stopped a minute later', () => {
  test.each(
    gateways.flatMap(([by, gateway]) =>
      noAnswers.flatMap((fault) => [undefined, readable].map((campaign) => ({ by, gateway, fault, campaign }))),
    ),
  )('[E5 E6] runs no more, and says that it may have run: $by, $fault', async ({ gateway, fault, campaign }) => {
    const night = createNight({ runs, campaign, gateway });
    night.gateway.fail('start', { fault });
    night.send(aStart('start', at('22:00')));
    night.send(aStop('stop', at('22:00:30')));

    await night.until(at('23:30'));

    expect(await recordOf(night, 'start')).toEqual({ campaignRunId: smokeId, says: expect.stringMatching(ran) });
    expect(await night.ends('stop')).toEqual([expect.stringMatching(/^(?:applied|skipped ALREADY_ENDED)$/)]);
    expect(night.gateway.running()).toEqual([]);
    expect(night.stintsOf('start').length).toBeLessThanOrEqual(1);
  });
});

/** What landed late may be running as its repeat is refused, and only its campaign shows that. */
function endOf(isShown: boolean, fault: GatewayFaultName): RegExp {
  return isShown || fault !== 'reset, applied late' ? /^applied$/ : /^(?:applied|skipped UNCONFIRMED)$/;
}

/** Applied, or the interval in which the run may have run. */
const ran = /^applied$|may have run.* from \S+ until \S+/;

async function recordOf(night: Night, id: string) {
  const { kind, detail = '', campaignRunId } = (await night.outcome(id)) ?? { kind: 'no outcome' };
  return { campaignRunId, says: kind === 'applied' ? kind : detail };
}
