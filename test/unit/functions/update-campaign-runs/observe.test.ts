import { describe, expect, test } from 'vitest';
import { type RunItem, ledgerKeys } from '../../../../shared/ledger/items.ts';
import { stageSwitch } from '../../../../shared/ledger/switches.ts';
import { atTen, commandOf, nightly, turn } from './guard-nights.ts';
import { campaignId, createUpdateBench, smokeId } from './update-bench.ts';

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

  test('obeys a freeze, and waits for no confirmation', async () => {
    const bench = observing();
    await bench.deliver(atTen());
    await turn(bench, stageSwitch, true);

    expect(await bench.deliver(nightly('b'))).toMatchObject({ outcomes: [{ reason: 'FROZEN' }] });
    expect(await bench.ledger.read<RunItem>(ledgerKeys.run(smokeId))).not.toHaveProperty('confirm');
  });
});
