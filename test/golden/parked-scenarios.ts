import { atTen, nightly, useUpIds } from '../unit/functions/update-campaign-runs/harness/guard-nights.ts';
import { mortalWorker } from '../unit/functions/update-campaign-runs/harness/mortal-worker.ts';
import { campaignId, nightlyIds } from '../unit/functions/update-campaign-runs/harness/update-bench.ts';

import {
  type Scenario,
  minuteMs,
  valid,
  stopNow,
  fromYesterday,
  startTwice,
  answered,
  redirected,
} from './command-scenarios.ts';

/** Scenarios whose last outcome is that the command waits for a person. */
export const parkedScenarios: readonly Scenario[] = [
  { name: 'VALIDATION, a start', play: answered({ status: 422, text: 'name: too long', fields: ['name'] }) },
  {
    name: 'VALIDATION, a stop: a wrong word, or a run that has ended',
    async play(bench) {
      await bench.deliver(atTen());
      bench.passMs(minuteMs);
      await answered({ status: 422, text: 'status: no', fields: ['status'] }, stopNow)(bench);
    },
  },
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
  { name: 'CONFLICT', play: answered({ status: 409, text: 'archived' }) },
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
    name: 'NO_RUN_LEFT, one id that was used',
    async play(bench) {
      await bench.deliver(nightly('first'));
      bench.passMs(minuteMs);
      await bench.deliver(stopNow(bench, { run: 'nightly' }));
      const again = { campaignRunId: nightlyIds[0], issuedAt: '2026-11-20T22:02:00Z' };
      await bench.deliver(nightly('again', again));
    },
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
    name: 'START_OUTCOME_UNKNOWN, a day was not enough',
    options: { campaignId },
    async play(bench) {
      bench.answerWith('lost', 'lost');
      await bench.deliver(atTen({ validFor: 'P7D' }));
      await bench.deliver(atTen({ validFor: 'P7D' }), fromYesterday(bench));
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
      const down = { status: 503, text: 'down' };
      bench.answerWith(down, down);
      const stop = stopNow(bench, { run: undefined, campaignRunId: nightlyIds[0] });
      await bench.deliver(stop);
      bench.passMs(25 * 60 * minuteMs);
      await bench.deliver(stop, fromYesterday(bench));
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
