import { describe, expect, test } from 'vitest';
import { type BindingItem, type RunItem, ledgerKeys } from '../../../../shared/ledger/items.ts';
import { stageSwitch } from '../../../../shared/ledger/switches.ts';
import { atTen, commandOf, nightly, operator, turn } from './guard-nights.ts';
import { campaignId, createUpdateBench, nightlyIds, smokeId } from './update-bench.ts';

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

  test('tells nobody that anything was started or stopped, and everybody what was skipped', async () => {
    const bench = observing();
    await bench.deliver(atTen());
    await bench.deliver(nightly('b'));

    expect(bench.events).toMatchObject([{ type: 'CampaignRunStartSkipped', detail: { isObserved: true } }]);
  });

  test('uses the ids that people bound, after those that were used for real, and tells how many are left', async () => {
    const bench = observing();
    const use = { campaignRunId: nightlyIds[0], commandId: 'acted', at: '2026-11-01T22:00:00.000Z' };
    const pk = ledgerKeys.binding('nightly');
    const bound: BindingItem = { pk, kind: 'binding', run: 'nightly', used: [use], added: ['0197-bound'] };
    await bench.table.write<BindingItem>(undefined, bound);
    const override = { guards: ['overlap' as const, 'budget' as const], reason: 'CHG-9' };

    const used = [];
    for (const id of ['a', 'b', 'c']) {
      await bench.deliver(nightly(id, { origin: operator, override }));
      used.push((await commandOf(bench, id))?.campaignRunId);
    }

    expect(used).toEqual([nightlyIds[1], '0197-bound', undefined]);
    expect(await commandOf(bench, 'c')).toMatchObject({ outcome: { reason: 'NO_RUN_LEFT' } });
    expect(await bench.table.read<BindingItem>(pk)).toMatchObject(bound);
  });

  test('tells what it cannot read by the key that a person finds it under', async () => {
    const bench = observing();

    await bench.deliver('no command');

    const [row] = bench.table.all();
    expect(row?.pk).toMatch(/^observe#message#commands#/);
    expect(bench.events).toMatchObject([{ type: 'WorkParked', detail: { eventId: row?.pk, subject: row?.pk } }]);
  });

  test('has a run in flight stopped by itself alone: a command on its way would be a real stop once the stage acts', async () => {
    const bench = createUpdateBench({ mode: 'observe', overlap: 'stop-previous' });
    await bench.deliver(atTen());
    bench.passMs(60_000);
    const second = nightly('second', { issuedAt: bench.now().toISOString() });

    const waits = await bench.deliver(second);
    const starts = await bench.deliver(second, { receiveCount: 2 });

    expect(bench.sent).toEqual([]);
    expect(bench.patches).toEqual([]);
    expect(waits).toMatchObject({
      kind: 'later',
      outcomes: [{ kind: 'applied', detail: expect.stringContaining('"stopped"'), fields: { action: 'stop' } }],
    });
    expect(starts).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.events).toEqual([]);
    const told = bench.table.all().flatMap((row) => (row.kind === 'command' ? [row.command.reason] : []));
    expect(told).toContain('it makes room for a newer start (second)');
  });

  test('obeys a freeze, and waits for no confirmation', async () => {
    const bench = observing();
    await bench.deliver(atTen());
    await turn(bench, stageSwitch, true);

    expect(await bench.deliver(nightly('b'))).toMatchObject({ outcomes: [{ reason: 'FROZEN' }] });
    expect(await bench.ledger.read<RunItem>(ledgerKeys.run(smokeId))).not.toHaveProperty('confirm');
  });
});
