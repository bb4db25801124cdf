import { describe, expect, test } from 'vitest';
import { stageSwitch } from '#shared/ledger/switches.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { blackout, commandOf, freeIdsOf, hours, nightly, reservedOf, turn, usedOf } from '../harness/guard-nights.ts';
import { mortalWorker } from '../harness/mortal-worker.ts';
import { aCommand, campaignId, createUpdateBench, nightlyIds } from '../harness/update-bench.ts';

const tonight = blackout('defer', '2026-11-20T21:00:00.000Z', '2026-11-21T04:00:00.000Z');
const fourOClock = '2026-11-21T04:00:00.000Z';

type Bench = ReturnType<typeof createUpdateBench>;

const startNow = (bench: Bench) => aCommand({ id: 'other', issuedAt: bench.now().toISOString() });

async function startAndStop(bench: Bench): Promise<void> {
  await bench.deliver(startNow(bench));
  bench.passMs(1000);
  await bench.deliver({ ...startNow(bench), id: 'stop', action: 'stop' });
}

describe('a blackout', () => {
  test('that skips is judged at the instant of effect', async () => {
    const bench = createUpdateBench({
      blackouts: [blackout('skip', '2026-11-20T22:10:00.000Z', '2026-11-20T22:20:00.000Z')],
    });

    const into = await bench.deliver(nightly('into', { startDelay: 'PT15M' }));
    const beyond = await bench.deliver(nightly('beyond', { startDelay: 'PT20M' }));

    expect(into).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'BLACKOUT' }] });
    expect(beyond).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  });

  test('that puts off keeps the command for its end: no outcome, no id, no place in campaign or budget', async () => {
    const bench = createUpdateBench({ blackouts: [tonight], startsPerMonth: 5 });

    const result = await bench.deliver(nightly('a'));

    expect(result).toEqual({ kind: 'done', outcomes: [] });
    const row = await commandOf(bench, 'a');
    expect(row).toMatchObject({
      openState: 'DEFERRED',
      openSince: fourOClock,
      deferred: { until: fourOClock, blackout: 'year-end' },
      verdicts: expect.arrayContaining([{ guard: 'blackout', verdict: 'defer', detail: expect.any(String) }]),
    });
    expect(row).not.toHaveProperty('outcome');
    expect(bench.events).toEqual([]);
    expect(await freeIdsOf(bench)).toEqual(nightlyIds);
    expect(await reservedOf(bench)).toEqual([]);
    expect(await usedOf(bench)).toBe(0);
  });

  test('its end begins the validity again', async () => {
    const bench = createUpdateBench({ blackouts: [tonight] });
    await bench.deliver(nightly('a', { validFor: 'PT30M' }));
    await bench.deliver(aCommand({ id: 'b', validFor: 'PT30M' }));

    bench.passMs(hours(6) + 20 * 60_000);
    const inTime = await bench.deliver(nightly('a', { validFor: 'PT30M' }));
    bench.passMs(20 * 60_000);
    const tooLate = await bench.deliver(aCommand({ id: 'b', validFor: 'PT30M' }));

    expect(inTime).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(tooLate).toMatchObject({
      outcomes: [{ reason: 'MISSED_WINDOW', detail: expect.stringContaining(fourOClock) }],
    });
    expect(await commandOf(bench, 'a')).toMatchObject({ openState: 'ENDED', deferred: { until: fourOClock } });
  });

  test.each([[['a', 'b']], [['b', 'a']]])(
    'of two starts of one run that were put off the newer is started, whichever comes first (%s)',
    async (order) => {
      const bench = createUpdateBench({ blackouts: [tonight] });
      const commands = { a: nightly('a'), b: nightly('b', { issuedAt: '2026-11-20T22:03:00Z' }) } as Record<
        string,
        CampaignRunCommand
      >;
      for (const id of order) await bench.deliver(commands[id] ?? '');

      bench.passMs(hours(6));
      for (const id of order) await bench.deliver(commands[id] ?? '');

      expect(await commandOf(bench, 'a')).toMatchObject({ outcome: { kind: 'superseded' } });
      expect(await commandOf(bench, 'b')).toMatchObject({ outcome: { kind: 'applied' } });
      expect(bench.transitions).toEqual(['01:running']);
    },
  );

  test('a stop that comes meanwhile supersedes what was put off', async () => {
    const bench = createUpdateBench({ blackouts: [tonight] });
    await bench.deliver(nightly('a'));
    bench.passMs(hours(1));
    await bench.deliver(nightly('stop', { action: 'stop', issuedAt: bench.now().toISOString() }));

    bench.passMs(hours(5));
    const result = await bench.deliver(nightly('a'));

    expect(result).toMatchObject({ outcomes: [{ kind: 'superseded' }] });
    expect(bench.patches).toEqual([]);
  });

  test.each<[string, string | undefined, (bench: Bench) => Promise<unknown>]>([
    ['nothing', undefined, async () => {}],
    ['a freeze', 'FROZEN', async (bench) => turn(bench, stageSwitch, true)],
    ['a run in flight', 'OVERLAP', async (bench) => bench.deliver(startNow(bench))],
    ['the minimum gap', 'MINIMUM_GAP', async (bench) => bench.startByHand()],
    ['a budget that is used up', 'BUDGET', startAndStop],
  ])('at its end every guard is asked again: against it is %s', async (_what, reason, happen) => {
    const bench = createUpdateBench({
      blackouts: [tonight],
      startsPerMonth: 1,
      ...(reason === 'MINIMUM_GAP' ? { campaignId, minimumGap: 'PT1H' } : {}),
    });
    await bench.deliver(nightly('a'));
    bench.passMs(hours(6));
    await happen(bench);

    await bench.deliver(nightly('a'));

    const kind = reason === undefined ? 'applied' : 'skipped';
    expect((await commandOf(bench, 'a'))?.outcome).toMatchObject({ kind, ...(reason === undefined ? {} : { reason }) });
  });

  test('the same message again before its end changes nothing', async () => {
    const bench = createUpdateBench({ blackouts: [tonight] });
    await bench.deliver(nightly('a'));
    const before = await commandOf(bench, 'a');

    const again = await bench.deliver(nightly('a'));

    expect(again).toEqual({ kind: 'done', outcomes: [] });
    expect(await commandOf(bench, 'a')).toMatchObject({ deferred: before?.deferred, openState: 'DEFERRED' });
    expect(bench.patches).toEqual([]);
  });

  test('a start that was tried before gives back what it held when it is put off', async () => {
    const from = '2026-11-20T22:05:00.000Z';
    const bench = createUpdateBench({ blackouts: [blackout('defer', from, fourOClock)], startsPerMonth: 5 });
    bench.answerWith({ status: 429, text: 'busy' });
    await bench.deliver(nightly('a'));

    bench.passMs(6 * 60_000);
    await bench.deliver(nightly('a'), { receiveCount: 2 });

    expect(await commandOf(bench, 'a')).toMatchObject({ openState: 'DEFERRED' });
    expect(await reservedOf(bench)).toEqual([]);
    expect(await usedOf(bench)).toBe(0);
    expect(await freeIdsOf(bench)).toEqual(nightlyIds);
  });

  test('a worker that dies anywhere while it puts a start off leaves nothing lost', async () => {
    for (let killAfter = 1; killAfter <= 4; killAfter += 1) {
      const bench = createUpdateBench({ blackouts: [tonight] });
      await bench.deliver(nightly('a'), mortalWorker(bench, { killAfter }));

      await bench.deliver(nightly('a'), { receiveCount: 2 });
      bench.passMs(hours(6));
      await bench.deliver(nightly('a'));

      expect(bench.transitions).toEqual(['01:running']);
    }
  });
});
