import { stageSwitch } from '#shared/ledger/switches.ts';
import {
  atTen,
  deliverDueStops,
  hours,
  nightly,
  turn,
  useUpIds,
} from '../unit/functions/update-campaign-runs/harness/guard-nights.ts';
import { mortalWorker } from '../unit/functions/update-campaign-runs/harness/mortal-worker.ts';
import { campaignId, nightlyIds, surelyLandedMs } from '../unit/functions/update-campaign-runs/harness/update-bench.ts';

import {
  type Scenario,
  minuteMs,
  foreignId,
  valid,
  stopNow,
  updateNow,
  fromYesterday,
  startTwice,
  answered,
  redirected,
} from './command-scenarios.ts';

/** Scenarios whose last outcome is that the command waits for a person. */
export const parkedScenarios: readonly Scenario[] = [
  { name: 'VALIDATION, a start', play: answered({ status: 422, text: 'status: no' }) },
  { name: 'VALIDATION, a stop', play: answered({ status: 422, text: 'status: no' }, stopNow) },
  { name: 'VALIDATION, an update', play: answered({ status: 422, text: 'name: too long' }, updateNow) },
  {
    name: 'FORBIDDEN',
    async play(bench) {
      const forbidden = { status: 403, text: 'needs runs:write' };
      bench.answerWith(forbidden, forbidden, forbidden);
      for (let receiveCount = 1; receiveCount <= 3; receiveCount += 1) {
        await bench.deliver(atTen(valid), { receiveCount });
        bench.passMs(minuteMs);
      }
    },
  },
  {
    name: 'RUN_NOT_FOUND',
    async play(bench) {
      const unknown = { status: 404, text: 'no such run' };
      await startTwice(bench, 11 * minuteMs, [unknown, unknown]);
    },
  },
  { name: 'CONFLICT', play: answered({ status: 409, text: 'archived' }, stopNow) },
  {
    name: 'REDIRECT',
    async play(bench) {
      await bench.deliver(atTen(), { gateway: { ...bench.gateway, updateCampaignRun: redirected } });
    },
  },
  {
    name: 'NO_RUN_LEFT',
    async play(bench) {
      await useUpIds(bench);
      await bench.deliver(nightly('at-ten'));
    },
  },
  { name: 'CONFIG, an unknown run', play: async (bench) => bench.deliver(atTen({ run: 'smoek' })) },
  {
    name: 'CONFIG, an unknown run to stop',
    play: async (bench) => bench.deliver(stopNow(bench, { run: 'smoek' })),
  },
  {
    name: 'CONFIG, an unknown run to update',
    play: async (bench) => bench.deliver(updateNow(bench, { run: 'smoek' })),
  },
  {
    name: 'CONFIG, a schedule that starts an unconfigured run',
    play: async (bench) => bench.deliver(atTen({ campaignRunId: foreignId, run: undefined })),
  },
  {
    name: 'CAMPAIGN_UNREADABLE',
    options: { campaignId, minimumGap: 'PT12H' },
    play: async (bench) => bench.deliver(atTen()),
  },
  {
    name: 'CONFIG, a campaign that the gateway does not know',
    options: {
      campaignId,
      minimumGap: 'PT12H',
      campaignAnswers: [1, 2].map(() => ({ status: 404, text: 'no such campaign' })),
    },
    play: async (bench) => startTwice(bench, 11 * minuteMs, []),
  },
  {
    name: 'START_OUTCOME_UNKNOWN, its campaign has no campaignId',
    play: answered('applied-then-lost'),
  },
  {
    name: 'START_OUTCOME_UNKNOWN, its planned stop ended it',
    options: { campaignId },
    async play(bench) {
      await answered('lost')(bench);
      bench.passMs(31 * minuteMs);
      await deliverDueStops(bench);
    },
  },
  {
    name: 'START_OUTCOME_UNKNOWN, its validity passed',
    options: { campaignId },
    play: async (bench) => startTwice(bench, hours(1), ['lost'], atTen({ validFor: 'PT5M' })),
  },
  {
    name: 'START_OUTCOME_UNKNOWN, the second request was refused',
    options: { startsRepeatSafely: true },
    play: async (bench) => startTwice(bench, surelyLandedMs, ['lost', { status: 422, text: 'status: no' }]),
  },
  {
    name: 'START_OUTCOME_UNKNOWN, a day was not enough',
    options: { campaignId },
    async play(bench) {
      bench.answerWith('lost');
      await bench.deliver(atTen({ validFor: 'P7D' }));
      await bench.deliver(atTen({ validFor: 'P7D' }), fromYesterday(bench));
    },
  },
  {
    name: 'START_OUTCOME_UNKNOWN, the stage was frozen',
    options: { startsRepeatSafely: true },
    async play(bench) {
      bench.answerWith('lost');
      await bench.deliver(atTen(valid));
      await turn(bench, stageSwitch, true);
      bench.passMs(surelyLandedMs);
      await bench.deliver(atTen(valid), { receiveCount: 2 });
    },
  },
  {
    name: 'START_OUTCOME_UNKNOWN, its run was removed from the configuration',
    options: { startsRepeatSafely: true },
    async play(bench) {
      bench.answerWith('applied-then-lost');
      await bench.deliver(nightly('at-ten', valid));
      bench.deployRuns({});
      bench.passMs(surelyLandedMs);
      await bench.deliver(nightly('at-ten', valid), { receiveCount: 2 });
    },
  },
  {
    name: 'HORIZON_EXCEEDED, a start',
    async play(bench) {
      bench.answerWith({ status: 429, text: 'busy' });
      await bench.deliver(atTen({ validFor: 'P7D' }), fromYesterday(bench));
    },
  },
  {
    name: 'HORIZON_EXCEEDED, a stop of a run in flight',
    async play(bench) {
      await bench.deliver(nightly('at-ten'));
      bench.passMs(1000);
      bench.answerWith({ status: 503, text: 'down' });
      await bench.deliver(stopNow(bench, { campaignRunId: nightlyIds[0] }), fromYesterday(bench));
    },
  },
  {
    name: 'HORIZON_EXCEEDED, an update',
    async play(bench) {
      bench.answerWith('not-sent');
      await bench.deliver(updateNow(bench), fromYesterday(bench));
    },
  },
  {
    name: 'CRASH_LOOP',
    async play(bench) {
      for (let receiveCount = 1; receiveCount <= 3; receiveCount += 1) {
        // The first dies before it writes anything, the others with their mark.
        const killAfter = receiveCount === 1 ? 0 : 1;
        await bench.deliver(atTen(valid), { ...mortalWorker(bench, { killAfter }), receiveCount });
        bench.passMs(3 * minuteMs);
      }
      await bench.deliver(atTen(valid), { receiveCount: 4 });
    },
  },
  { name: 'BAD_MESSAGE, no JSON', play: async (bench) => bench.deliver('{') },
  {
    name: 'BAD_MESSAGE, several problems',
    play: async (bench) => bench.deliver(JSON.stringify({ ...atTen(), action: 'pause', campaignRunId: 'x' })),
  },
  {
    name: 'BAD_MESSAGE, from the future',
    play: async (bench) => bench.deliver(JSON.stringify(atTen({ issuedAt: '2099-01-01T00:00:00Z' }))),
  },
  {
    name: 'BAD_MESSAGE, a schedule that overrides a guard',
    play: async (bench) => bench.deliver(JSON.stringify(atTen({ override: { guards: ['overlap'], reason: 'CHG-9' } }))),
  },
];
