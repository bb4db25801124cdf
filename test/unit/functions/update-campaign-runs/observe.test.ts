import { describe, expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { newRunIdPool, type RunIdPoolRow, withUsed } from '#shared/ledger/rows/run-id-pool-row.ts';
import { type RunRow, startOf } from '#shared/ledger/rows/run-row.ts';
import { stageSwitch } from '#shared/ledger/switches.ts';
import { atTen, commandOf, nightly, operator, turn } from './harness/guard-nights.ts';
import { campaignId, createUpdateBench, nightlyIds, smokeId } from './harness/update-bench.ts';

const observing = () =>
  createUpdateBench({ mode: 'observe', campaignId, startsPerMonth: 1, confirm: { by: 'runCount', within: 'PT10M' } });

describe('a stage that only observes', () => {
  test('sends nothing, judges as always on rows of its own, and says what it would have sent', async () => {
    const bench = observing();

    const start = await bench.deliver(atTen());
    bench.passMs(60_000);
    const overlap = await bench.deliver(nightly('b'));
    const stop = await bench.deliver(atTen({ id: 'stop', action: 'stop', issuedAt: bench.now().toISOString() }));
    const budget = await bench.deliver(nightly('c'));

    expect(bench.patches).toEqual([]);
    expect(start).toMatchObject({
      outcomes: [
        {
          kind: 'applied',
          detail: `would have sent: PATCH /backend/v1/campaign-runs/${smokeId} {"status":"running"}`,
          fields: { isObserved: true },
        },
      ],
    });
    expect(overlap).toMatchObject({ outcomes: [{ reason: 'OVERLAP' }] });
    expect(stop).toMatchObject({ outcomes: [{ kind: 'applied', detail: expect.stringContaining('"stopped"') }] });
    expect(budget).toMatchObject({ outcomes: [{ reason: 'BUDGET' }] });
    expect(bench.table.all().map(({ pk }) => pk.startsWith('observe#'))).not.toContain(false);
    expect(await commandOf(bench, 'at-ten')).toMatchObject({ isObserved: true });
  });

  test('publishes no start and no stop, and what was skipped', async () => {
    const bench = observing();
    await bench.deliver(atTen());
    await bench.deliver(nightly('b'));

    expect(bench.events).toMatchObject([{ type: 'CampaignRunStartSkipped', detail: { isObserved: true } }]);
  });

  test('uses the ids that people bound, after those that were used for real, and tells how many are left', async () => {
    const bench = observing();
    const bound = { ...withUsed(newRunIdPool('nightly'), nightlyIds[0], 'acted'), added: ['0197-bound'] };
    await bench.table.write<RunIdPoolRow>(undefined, bound);
    const override = { guards: ['overlap' as const, 'budget' as const], reason: 'CHG-9' };

    const used = [];
    for (const id of ['a', 'b', 'c']) {
      await bench.deliver(nightly(id, { origin: operator, override }));
      used.push((await commandOf(bench, id))?.campaignRunId);
    }

    expect(used).toEqual([nightlyIds[1], '0197-bound', undefined]);
    expect(await commandOf(bench, 'c')).toMatchObject({ outcome: { reason: 'NO_RUN_LEFT' } });
    expect(await bench.table.read<RunIdPoolRow>(bound.pk)).toMatchObject(bound);
  });

  test('tells what it cannot read by the key that a person finds it under', async () => {
    const bench = observing();

    await bench.deliver('no command');

    const [row] = bench.table.all();
    expect(row?.pk).toMatch(/^observe#message#commands#/);
    expect(bench.events).toMatchObject([{ type: 'WorkParked', detail: { eventId: row?.pk, subject: row?.pk } }]);
  });

  test('has an observed run stopped by a command that says so: it is never a real stop once the stage acts', async () => {
    const bench = createUpdateBench({ mode: 'observe', overlap: 'stop-previous' });
    await bench.deliver(atTen());
    bench.passMs(60_000);
    const second = nightly('second', { issuedAt: bench.now().toISOString() });

    const waits = await bench.deliver(second);
    const [stop] = bench.sent;
    const stopped = await bench.deliver(JSON.stringify(stop));
    const starts = await bench.deliver(second, { receiveCount: 2 });

    expect(waits.kind).toBe('later');
    expect(stop).toMatchObject({ isObserved: true, reason: 'it makes room for a newer start (second)' });
    expect(stopped).toMatchObject({ outcomes: [{ kind: 'applied', detail: expect.stringContaining('"stopped"') }] });
    expect(starts).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.patches).toEqual([]);
    expect(bench.events).toEqual([]);
  });

  test('obeys a freeze, and waits for no confirmation', async () => {
    const bench = observing();
    await bench.deliver(atTen());
    await turn(bench, stageSwitch, true);

    expect(await bench.deliver(nightly('b'))).toMatchObject({ outcomes: [{ reason: 'FROZEN' }] });
    const row = await bench.ledger.read<RunRow>(ledgerKeys.run(smokeId));
    expect(row && startOf(row)).toMatchObject({ startId: 'at-ten' });
    expect(row && startOf(row)?.confirm).toBeUndefined();
  });
});
