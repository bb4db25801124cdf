import { describe, expect, test } from 'vitest';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { startOf } from '#shared/ledger/rows/run-row.ts';
import { guardNames } from '#shared/vocabulary/reason-codes.ts';
import { stageSwitch } from '#shared/ledger/switches.ts';
import {
  atTen,
  commandOf,
  deliverDueStops,
  freeIdsOf,
  hours,
  nightly,
  operator,
  outcomeOf,
  plannedStopsOf,
  reservedOf,
  turn,
  usedOf,
} from '../harness/guard-nights.ts';
import { mortalWorker } from '../harness/mortal-worker.ts';
import {
  campaignId,
  createUpdateBench,
  nightlyIds,
  proving,
  smokeId,
  surelyLandedMs,
} from '../harness/update-bench.ts';

describe('frozen and paused', () => {
  test.each([
    ['FROZEN', stageSwitch],
    ['PAUSED', { scope: 'campaign', name: 'chat-bot' }],
    ['PAUSED', { scope: 'schedule', name: 'weeknights' }],
  ] as const)(
    '%s: a start is skipped, published, and uses nothing up; once lifted the next one goes out',
    async (reason, subject) => {
      const bench = createUpdateBench({ startsPerMonth: 5 });
      await turn(bench, subject, true);

      const skipped = await bench.deliver(nightly('a'));
      await turn(bench, subject, false);
      const next = await bench.deliver(nightly('b'));

      expect(skipped).toMatchObject({
        outcomes: [{ kind: 'skipped', reason, detail: expect.stringContaining('by ann') }],
      });
      expect(bench.events[0]).toMatchObject({ type: 'CampaignRunStartSkipped', detail: { reason } });
      expect(next).toMatchObject({ outcomes: [{ kind: 'applied' }] });
      expect(bench.transitions).toEqual(['01:running']);
      expect(await usedOf(bench)).toBe(1);
    },
  );

  test('a stop passes a freeze', async () => {
    const bench = createUpdateBench();
    await bench.deliver(atTen());
    await turn(bench, stageSwitch, true);

    bench.passMs(1000);
    await bench.deliver(atTen({ id: 'stop', action: 'stop', issuedAt: bench.now().toISOString() }));

    expect(bench.transitions).toEqual(['aa:running', 'aa:stopped']);
  });

  test('another schedule is not paused', async () => {
    const bench = createUpdateBench();
    await turn(bench, { scope: 'schedule', name: 'weekends' }, true);

    expect(await bench.deliver(atTen())).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  });

  test('a freeze that comes while the campaign is being read is obeyed', async () => {
    const bench = createUpdateBench({ campaignId });
    const { getCampaign, updateCampaignRun } = bench.gateway;
    const frozenMeanwhile: typeof getCampaign = async (input) => {
      await turn(bench, stageSwitch, true);
      return getCampaign(input);
    };

    const result = await bench.deliver(atTen(), { gateway: { updateCampaignRun, getCampaign: frozenMeanwhile } });

    expect(result).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'FROZEN' }] });
    expect(bench.patches).toEqual([]);
  });

  test('a freeze that is written after its last verdict comes too late for this one start: it is in flight with its stop armed, and the next is passed over', async () => {
    const bench = createUpdateBench();
    const frozenBeforeSending: typeof bench.gateway = {
      ...bench.gateway,
      async updateCampaignRun(input) {
        await turn(bench, stageSwitch, true);
        return bench.gateway.updateCampaignRun(input);
      },
    };

    const judgedBefore = await bench.deliver(atTen(), { gateway: frozenBeforeSending });
    const planned = await plannedStopsOf(bench);
    bench.passMs(hours(0.6));
    const next = await bench.deliver(nightly('next', { issuedAt: bench.now().toISOString() }));

    expect(judgedBefore).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(planned).toMatchObject([{ startId: 'at-ten' }]);
    expect(next).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'FROZEN' }] });
  });

  test('a start that was tried before and is tried again during a freeze holds nothing', async () => {
    const bench = createUpdateBench({ startsPerMonth: 5 });
    bench.answerWith({ status: 429, text: 'busy' });
    await bench.deliver(nightly('a'));
    await turn(bench, stageSwitch, true);

    bench.passMs(60_000);
    const result = await bench.deliver(nightly('a'), { receiveCount: 2 });

    expect(result).toMatchObject({ outcomes: [{ reason: 'FROZEN' }] });
    expect(await usedOf(bench)).toBe(0);
    expect(await reservedOf(bench)).toEqual([]);
    expect(await freeIdsOf(bench)).toEqual(nightlyIds);
  });

  test('a start that never began is not sent again during a freeze, and says when it was in doubt', async () => {
    const bench = createUpdateBench({ ...proving, startsPerMonth: 5 });
    bench.answerWith('lost');
    await bench.deliver(atTen());
    await turn(bench, stageSwitch, true);

    bench.passMs(surelyLandedMs);
    const result = await bench.deliver(atTen(), { receiveCount: 2 });

    expect(result).toMatchObject({
      outcomes: [{ kind: 'skipped', reason: 'FROZEN', detail: expect.stringContaining('it was in doubt from') }],
    });
    expect(bench.patches).toHaveLength(1);
    expect(await usedOf(bench)).toBe(0);
  });

  test('a start that may have begun is not sent again during a freeze: a person has to look, its stop stays armed', async () => {
    const bench = createUpdateBench({ startsRepeatSafely: true });
    bench.answerWith('lost');
    await bench.deliver(atTen());
    await turn(bench, stageSwitch, true);

    bench.passMs(surelyLandedMs);
    const result = await bench.deliver(atTen(), { receiveCount: 2 });

    expect(result).toMatchObject({
      outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN', detail: expect.stringContaining('frozen by ann') }],
    });
    expect(bench.patches).toHaveLength(1);
    expect(await plannedStopsOf(bench)).toMatchObject([{ startId: 'at-ten' }]);
  });
});

test('two starts at once that may overlap use an id each', async () => {
  const bench = createUpdateBench({ overlap: 'allow' });
  const both = [nightly('a'), nightly('b', { issuedAt: '2026-11-20T22:00:01Z' })];

  await Promise.all(both.map(async (command) => bench.deliver(command)));

  expect(bench.transitions.toSorted()).toEqual(['01:running', '02:running']);
});

describe('two campaigns with one target', () => {
  const ofTarget = { guards: { target: 'chat-bot-prod', overlap: 'skip' }, stopAfter: 'PT1H' } as const;
  const runs: Record<string, ResolvedRun> = {
    smoke: { ...ofTarget, name: 'smoke', campaign: 'quick', pool: { kind: 'repeat', campaignRunId: smokeId } },
    nightly: { ...ofTarget, name: 'nightly', campaign: 'deep', pool: { kind: 'list', campaignRunIds: nightlyIds } },
  };

  test('share what is in flight: a start of the second is passed over until the run of the first is stopped', async () => {
    const bench = createUpdateBench({ runs });
    await bench.deliver(atTen());

    bench.passMs(60_000);
    const during = await bench.deliver(nightly('during'));
    await bench.deliver(atTen({ id: 'stop', action: 'stop', issuedAt: bench.now().toISOString() }));
    const after = await bench.deliver(nightly('after'));

    expect(during).toMatchObject({
      outcomes: [
        { kind: 'skipped', reason: 'OVERLAP', detail: expect.stringContaining(`run ${smokeId} of chat-bot-prod`) },
      ],
    });
    expect(after).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  });

  test('are each judged by a budget of their own', async () => {
    const budgeted = Object.values(runs).map((run) => [
      run.name,
      { ...run, guards: { ...run.guards, startsPerMonth: 1, overlap: 'allow' as const } },
    ]);
    const bench = createUpdateBench({ runs: Object.fromEntries(budgeted) });

    const results = [];
    for (const command of [atTen(), nightly('a'), nightly('b')]) results.push(await bench.deliver(command));

    expect(results.map((result) => result.outcomes?.[0]?.reason)).toEqual([undefined, undefined, 'BUDGET']);
  });

  test('do not start both at once', async () => {
    const bench = createUpdateBench({ runs });
    const both = [atTen(), nightly('a')];

    await Promise.all(both.map(async (command) => bench.deliver(command)));
    bench.passMs(5000);
    for (const command of both) await bench.deliver(command, { receiveCount: 2 });

    expect(bench.transitions).toHaveLength(1);
  });
});

describe('the minimum gap', () => {
  test('counts runs that were started by hand', async () => {
    const bench = createUpdateBench({ campaignId, minimumGap: 'PT12H' });
    bench.startByHand();

    bench.passMs(hours(11.9));
    const early = await bench.deliver(atTen({ issuedAt: bench.now().toISOString() }));
    bench.passMs(hours(0.2));
    const late = await bench.deliver(atTen({ id: 'later', issuedAt: bench.now().toISOString() }));

    expect(early).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'MINIMUM_GAP' }] });
    expect(late).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  });

  test('a campaign that ran before and shows no instant is parked: the gap cannot be judged', async () => {
    const bench = createUpdateBench({ campaignId, minimumGap: 'PT12H' });

    const result = await bench.deliver(atTen());

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CAMPAIGN_UNREADABLE' }] });
    expect(bench.patches).toEqual([]);
  });

  test('a campaign that cannot be read is asked about again: nothing is sent, nothing is skipped', async () => {
    const bench = createUpdateBench({
      campaignId,
      minimumGap: 'PT12H',
      campaignAnswers: [{ status: 503, text: 'down' }],
    });

    bench.startByHand();
    bench.passMs(hours(13));
    const start = atTen({ issuedAt: bench.now().toISOString() });

    const unread = await bench.deliver(start);
    const sentMeanwhile = bench.patches.length;
    bench.passMs(60_000);
    const read = await bench.deliver(start, { receiveCount: 2 });

    expect(unread.kind).toBe('later');
    expect(sentMeanwhile).toBe(0);
    expect(read).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  });
});

describe('the budget', () => {
  test('the starts of a month are counted, and the one after the last is skipped until the next month', async () => {
    const bench = createUpdateBench({ startsPerMonth: 2 });
    const start = async (id: string) => bench.deliver(atTen({ id, issuedAt: bench.now().toISOString() }));

    const results = [];
    for (const id of ['a', 'b', 'c']) {
      results.push(await start(id));
      bench.passMs(hours(1));
      await deliverDueStops(bench);
    }
    bench.passMs(hours(24 * 11));
    results.push(await start('december'));

    expect(results.map((result) => result.outcomes?.[0]?.reason ?? result.outcomes?.[0]?.kind)).toEqual([
      'applied',
      'applied',
      'BUDGET',
      'applied',
    ]);
  });

  test('two workers at once do not use the last place twice', async () => {
    const bench = createUpdateBench({ startsPerMonth: 1, overlap: 'allow' });
    const both = [atTen({ id: 'a' }), nightly('b')];

    await Promise.all(both.map(async (command) => bench.deliver(command)));
    bench.passMs(5000);
    for (const command of both) await bench.deliver(command, { receiveCount: 2 });

    expect(bench.transitions).toHaveLength(1);
    expect(await usedOf(bench)).toBe(1);
  });

  test('a start that overlaps others keeps its place however often it is tried', async () => {
    const bench = createUpdateBench({ startsPerMonth: 2, overlap: 'allow' });
    bench.answerWith({ status: 429, text: 'busy' });
    await bench.deliver(atTen({ id: 'a' }));
    await bench.deliver(nightly('b'));

    bench.passMs(60_000);
    const again = await bench.deliver(atTen({ id: 'a' }), { receiveCount: 2 });

    expect(again).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(await usedOf(bench)).toBe(2);
  });

  test.each([
    ['refused', { status: 422, text: 'no' } as const, 0],
    ['possibly made', 'lost' as const, 1],
  ])('a start that was %s gives back its place only if nothing was started', async (_what, answer, used) => {
    const bench = createUpdateBench({ startsPerMonth: 5 });
    bench.answerWith(answer);
    await bench.deliver(atTen());

    expect(await outcomeOf(bench, 'at-ten')).toMatchObject({ kind: 'parked' });
    expect(await usedOf(bench)).toBe(used);
  });

  test.each([
    ['by its name', {}],
    ['by its id', { run: undefined, campaignRunId: smokeId }],
  ])('a start that a stop (%s) superseded counts if it may have been made, and only then', async (_what, about) => {
    const used: number[] = [];
    for (const answer of ['lost', { status: 429, text: 'busy' }] as const) {
      const bench = createUpdateBench({ startsPerMonth: 5, campaignId });
      bench.answerWith(answer);
      await bench.deliver(atTen());
      bench.passMs(surelyLandedMs);
      await bench.deliver(atTen({ id: 'stop', action: 'stop', issuedAt: bench.now().toISOString(), ...about }));
      await bench.deliver(atTen(), { receiveCount: 2 });

      expect(await outcomeOf(bench, 'at-ten')).toMatchObject({ kind: 'superseded' });
      used.push(await usedOf(bench));
    }

    expect(used).toEqual([1, 0]);
  });
});

describe('an override', () => {
  const override = { guards: ['overlap' as const], reason: 'CHG-9' };

  test('starts, and says in the ledger which guard had said no and why it did not count', async () => {
    const bench = createUpdateBench();
    await turn(bench, stageSwitch, true);
    const command = atTen({ origin: operator, override: { guards: ['frozen'], reason: 'CHG-9' } });

    const result = await bench.deliver(command);

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(await commandOf(bench, 'at-ten')).toMatchObject({
      command: { override: { reason: 'CHG-9' } },
      verdicts: expect.arrayContaining([
        { guard: 'frozen', verdict: 'overridden', detail: expect.stringContaining('CHG-7') },
      ]),
    });
  });

  test('by anything but an operator is a bad message', async () => {
    const bench = createUpdateBench();

    expect(await bench.deliver(JSON.stringify(atTen({ override })))).toMatchObject({
      outcomes: [{ kind: 'parked', reason: 'BAD_MESSAGE' }],
    });
  });

  test('of the validity is not undone by the wait for something else', async () => {
    const bench = createUpdateBench();
    bench.answerWith({ status: 429, text: 'busy' });
    const command = atTen({ origin: operator, override: { guards: ['validity'], reason: 'CHG-9' } });
    bench.passMs(hours(2));
    await bench.deliver(command);

    bench.passMs(60_000);
    expect(await bench.deliver(command, { receiveCount: 2 })).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  });

  test('of the overlap leaves the window of the run in flight as it was', async () => {
    const bench = createUpdateBench();
    await bench.deliver(nightly('eight-hours'));
    await bench.deliver(atTen({ id: 'half-an-hour', origin: operator, override }));

    bench.passMs(hours(1));
    const next = await bench.deliver(atTen({ id: 'next', issuedAt: bench.now().toISOString() }));

    expect(next).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'OVERLAP' }] });
  });
});

describe('what the ledger keeps', () => {
  test('the verdict of each guard, also if the worker died right after the gateway said yes', async () => {
    const died = createUpdateBench({ campaignId });
    // The rows, then the PATCH: the outcome is not written any more.
    await died.deliver(atTen(), mortalWorker(died, { killAfter: 2 }));
    died.passMs(31_000);

    const again = await died.deliver(atTen(), { receiveCount: 2 });

    expect(died.patches).toHaveLength(1);
    expect(again).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect((await commandOf(died, 'at-ten'))?.verdicts?.map(({ guard }) => guard)).toEqual(guardNames);
  });

  test('the verdict of each guard about a start that came too late', async () => {
    const bench = createUpdateBench();

    bench.passMs(hours(2));
    await bench.deliver(atTen());

    expect(await commandOf(bench, 'at-ten')).toMatchObject({
      outcome: { reason: 'MISSED_WINDOW' },
      verdicts: [{}, {}, { guard: 'validity', verdict: 'skip' }],
    });
  });

  test('a start in doubt that is sent again keeps the planned stop of its first try, and its campaign from now on', async () => {
    const bench = createUpdateBench({ startsRepeatSafely: true });
    bench.answerWith('lost');
    await bench.deliver(atTen());

    bench.passMs(surelyLandedMs);
    await bench.deliver(atTen(), { receiveCount: 2 });

    expect(await outcomeOf(bench, 'at-ten')).toMatchObject({ kind: 'applied' });
    expect(await plannedStopsOf(bench)).toMatchObject([{ at: '2026-11-20T22:30:00.000Z' }]);
    expect(await reservedOf(bench)).toEqual([smokeId]);
  });

  test('what is to confirm a start, and the campaign as it read before it', async () => {
    const bench = createUpdateBench({ campaignId, confirm: { by: 'runCount', within: 'PT10M' } });

    await bench.deliver(atTen({ startDelay: 'PT15M' }));

    expect(await sentStart(bench)).toMatchObject({
      startId: 'at-ten',
      campaignId,
      reading: { runCount: 7, at: '2026-11-20T22:00:00.000Z' },
      confirm: { by: 'runCount', until: '2026-11-20T22:25:00.000Z' },
    });
  });

  test('no confirmation if none is configured, and none of a start that was not applied', async () => {
    const plain = createUpdateBench({ campaignId });
    await plain.deliver(atTen());
    const refused = createUpdateBench({ campaignId, confirm: { by: 'runCount', within: 'PT10M' } });
    refused.answerWith({ status: 422, text: 'no' });
    await refused.deliver(atTen());

    expect((await sentStart(plain))?.confirm).toBeUndefined();
    expect(await sentStart(refused)).toBeUndefined();
  });
});

/** The start that the smoke run's row holds: what the watcher looks for. */
async function sentStart(bench: ReturnType<typeof createUpdateBench>) {
  const row = await bench.ledger.read<RunRow>(ledgerKeys.run(smokeId));
  return row && startOf(row);
}
