import { describe, expect, test } from 'vitest';
import { guardNames } from '#shared/vocabulary/reason-codes.ts';
import { stageSwitch } from '#shared/ledger/switches.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import {
  atTen,
  bindId,
  blackout,
  commandOf,
  deliverDueStops,
  hours,
  nightly,
  outcomeOf,
  turn,
  useUpIds,
} from './harness/guard-nights.ts';
import { campaignId, createUpdateBench } from './harness/update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

/** Every id of the nightly run has been used by starts of long ago. */
async function usedUp(options: Parameters<typeof createUpdateBench>[0] = {}): Promise<Bench> {
  const bench = createUpdateBench(options);
  await useUpIds(bench);
  return bench;
}

/** What becomes of a start. */
async function endOf(bench: Bench, command: CampaignRunCommand): Promise<string> {
  await bench.deliver(command);
  const { kind = 'deferred', reason } = (await outcomeOf(bench, command.id)) ?? {};
  return reason ?? kind;
}

describe('a start for which no id is left', () => {
  test('is parked, with what each guard said', async () => {
    const bench = await usedUp();

    expect(await endOf(bench, nightly('a'))).toBe('NO_RUN_LEFT');
    expect((await commandOf(bench, 'a'))?.verdicts?.map(({ guard }) => guard)).toEqual(guardNames);
  });

  test('is skipped while the stage is frozen, each time: nothing is left for a person to clear away', async () => {
    const bench = await usedUp();
    await turn(bench, stageSwitch, true);

    const frozen = [await endOf(bench, nightly('a')), await endOf(bench, nightly('b'))];
    await turn(bench, stageSwitch, false);

    expect(frozen).toEqual(['FROZEN', 'FROZEN']);
    expect(bench.table.all().filter(({ openState }) => openState === 'PARKED')).toEqual([]);
    expect(bench.events.map(({ type }) => type)).toEqual(['CampaignRunStartSkipped', 'CampaignRunStartSkipped']);
    expect(await endOf(bench, nightly('c'))).toBe('NO_RUN_LEFT');
  });

  test('is skipped if it comes too late, in a blackout, beside another run and over budget', async () => {
    const late = await usedUp();
    late.passMs(hours(2));
    const dark = await usedUp({
      blackouts: [blackout('skip', '2026-11-20T21:00:00.000Z', '2026-11-21T04:00:00.000Z')],
    });
    const busy = await usedUp();
    await busy.deliver(atTen());
    const spent = await usedUp({ startsPerMonth: 1 });
    await spent.deliver(atTen());
    spent.passMs(hours(1));
    await deliverDueStops(spent);

    expect(await endOf(late, nightly('a'))).toBe('MISSED_WINDOW');
    expect(await endOf(dark, nightly('a'))).toBe('BLACKOUT');
    expect(await endOf(busy, nightly('a'))).toBe('OVERLAP');
    expect(await endOf(spent, nightly('a', { issuedAt: spent.now().toISOString() }))).toBe('BUDGET');
  });

  test('is skipped within the minimum gap, as the campaign reads', async () => {
    const bench = await usedUp({ campaignId, minimumGap: 'PT12H' });
    bench.startByHand();

    bench.passMs(hours(1));
    const early = await endOf(bench, nightly('a', { issuedAt: bench.now().toISOString() }));
    bench.passMs(hours(12));
    const later = await endOf(bench, nightly('b', { issuedAt: bench.now().toISOString() }));

    expect([early, later]).toEqual(['MINIMUM_GAP', 'NO_RUN_LEFT']);
  });

  test.each([503, 404])('waits for a campaign that cannot be read (%i)', async (status) => {
    const bench = await usedUp({ campaignId, minimumGap: 'PT12H', campaignAnswers: [{ status, text: 'no' }] });

    expect((await bench.deliver(nightly('a'))).kind).toBe('later');
  });

  test('has nothing stopped to make room', async () => {
    const bench = await usedUp({ overlap: 'stop-previous' });
    await bench.deliver(atTen());
    bench.passMs(60_000);

    const result = await bench.deliver(nightly('a', { issuedAt: bench.now().toISOString() }));

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'NO_RUN_LEFT' }] });
    expect(bench.sent).toEqual([]);
  });

  test('is superseded by a later stop', async () => {
    const bench = await usedUp();
    await bench.deliver(nightly('stop', { action: 'stop', issuedAt: '2026-11-20T22:00:01Z' }));

    const result = await bench.deliver(nightly('a'));

    expect(result).toMatchObject({ outcomes: [{ kind: 'superseded' }] });
  });

  test('is put off by a blackout, and uses an id that was bound meanwhile; of several the latest', async () => {
    const tonight = blackout('defer', '2026-11-20T21:00:00.000Z', '2026-11-21T04:00:00.000Z');
    const bench = await usedUp({ blackouts: [tonight] });
    const newer = nightly('b', { issuedAt: '2026-11-20T22:03:00Z' });

    expect(await endOf(bench, nightly('a'))).toBe('deferred');
    bench.passMs(3 * 60_000);
    expect(await endOf(bench, newer)).toBe('deferred');
    await bindId(bench, '0197-0003');
    bench.passMs(hours(6));
    await bench.deliver(nightly('a'));
    await bench.deliver(newer);

    expect(await commandOf(bench, 'a')).toMatchObject({ outcome: { kind: 'superseded' } });
    expect(await commandOf(bench, 'b')).toMatchObject({ outcome: { kind: 'applied' }, campaignRunId: '0197-0003' });
  });

  test('that is tried for a day is parked with that', async () => {
    const bench = await usedUp({ campaignId, minimumGap: 'PT12H', campaignAnswers: [{ status: 503, text: 'down' }] });

    const result = await bench.deliver(nightly('a', { validFor: 'P7D' }), {
      sentAt: new Date(bench.now().getTime() - hours(25)),
    });

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'HORIZON_EXCEEDED' }] });
  });
});

test('a start that leaves few ids is counted for its alarm, and one that leaves enough is not', async () => {
  const [few, enough] = [createUpdateBench(), createUpdateBench()];
  for (const last of [31, 32, 33]) await bindId(enough, `018f0000-0000-7000-8000-0000000000${last}`);

  await few.deliver(nightly('a'));
  await enough.deliver(nightly('a'));

  expect(few.counted).toContain(metricNames.runIdsLow);
  expect(enough.transitions).toHaveLength(1);
  expect(enough.counted).not.toContain(metricNames.runIdsLow);
});
