import { describe, expect, test } from 'vitest';
import { sendDeferredStarts } from '#functions/watch-campaigns/send-due-commands.ts';
import { NotSentError } from '#shared/gateway-client/index.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { at, deliverUntil } from '../harness/deliver-until.ts';
import {
  bindId,
  blackout,
  commandOf,
  dueStop,
  nightly,
  operator,
  outcomeOf,
  plannedStopsOf,
  turn,
} from '../harness/guard-nights.ts';
import { aCommand, campaignId, createUpdateBench } from '../harness/update-bench.ts';

describe('a pause of a campaign', () => {
  test.each([
    ['whose campaign is not read', {}],
    ['whose campaign is read first', { campaignId }],
  ])('holds a start by the uuid of an id that was bound, %s', async (_what, settings) => {
    const bench = createUpdateBench(settings);
    const bound = '018f0000-0000-7000-8000-0000000000ff';
    await bindId(bench, bound);
    await turn(bench, { scope: 'campaign', name: 'chat-bot' }, true);

    await bench.deliver(aCommand({ id: 'by-uuid', campaignRunId: bound, origin: operator }));

    expect(await outcomeOf(bench, 'by-uuid')).toMatchObject({ kind: 'skipped', reason: 'PAUSED' });
    expect(bench.patches).toEqual([]);
  });
});

describe('a blackout while the stop of the run before is not settled', () => {
  test.each([
    ['defer', { openState: 'DEFERRED' }],
    ['skip', { outcome: { kind: 'skipped', reason: 'BLACKOUT' } }],
  ] as const)('%s holds for a start of that run', async (starts, expected) => {
    const window = ['2026-11-20T22:30:00.000Z', '2026-11-21T04:00:00.000Z'] as const;
    const bench = createUpdateBench({ blackouts: [blackout(starts, ...window)] });
    await bench.deliver(aCommand({ id: 's1' }));
    const stops = (await plannedStopsOf(bench)).map(dueStop);
    bench.answerWith(...Array.from({ length: 300 }, () => 'not-sent' as const));
    const s2 = aCommand({ id: 's2', issuedAt: '2026-11-20T22:32:00.000Z', validFor: 'PT30M' });

    await deliverUntil(
      bench,
      [...stops.map((command) => ({ atMs: at(30), command })), { atMs: at(32), command: s2 }],
      at(120),
    );

    expect(await commandOf(bench, 's2')).toMatchObject(expected);
  });
});

const quiet = { log: { debug() {}, info() {}, warn() {}, error() {} }, count() {} };

test.each([0, -2000, -300_000])(
  '[F8] a deferred start is sent at the end of its blackout by a worker whose clock is %i ms off',
  async (skewMs) => {
    const bench = createUpdateBench({
      blackouts: [blackout('defer', '2026-11-20T21:00:00.000Z', '2026-11-20T23:00:00.000Z')],
    });
    await bench.deliver(nightly('a', { validFor: 'PT30M' }));
    const sent: CampaignRunCommand[] = [];
    const commands = { send: async (body: string) => void sent.push(JSON.parse(body)) };

    for (let minute = 60; minute < 125; minute += 1) {
      bench.passMs(Math.max(0, at(minute, 0.2) - bench.now().getTime()));
      await sendDeferredStarts({ ledger: bench.ledger, now: bench.now, commands, reports: quiet });
      const messages = sent.splice(0).map((command) => ({ atMs: bench.now().getTime() + 100, command }));
      await deliverUntil(bench, messages, Infinity, { skewMs });
    }

    expect(await outcomeOf(bench, 'a')).toMatchObject({ kind: 'applied' });
  },
);

test('a start that overrides the overlap does not wait for the overdue stop of another run', async () => {
  const bench = createUpdateBench({
    gateway: {
      async updateCampaignRun({ status }) {
        if (status === 'stopped') throw new NotSentError('PATCH');
        return { message: 'ok' };
      },
      getCampaign: () => Promise.reject(new Error('no campaign is configured')),
    },
  });
  await bench.deliver(aCommand({ id: 's1' }));
  const stops = (await plannedStopsOf(bench)).map(dueStop);
  const override = { guards: ['overlap' as const], reason: 'INC-77' };
  const s2 = nightly('s2', { issuedAt: '2026-11-20T22:33:00.000Z', origin: operator, override });

  await deliverUntil(
    bench,
    [...stops.map((command) => ({ atMs: at(31), command })), { atMs: at(33), command: s2 }],
    at(120),
  );

  expect(await outcomeOf(bench, 's2')).toMatchObject({ kind: 'applied' });
});
