import { describe, expect, test } from 'vitest';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { campaignId, aCommand, createUpdateBench, surelyLandedMs } from './harness/update-bench.ts';

/**
 * What the row of an applied start keeps of the request that began its run: a person finds it in
 * the gateway's own log by this.
 */
describe('the request of an applied start', () => {
  test('is named by its x-request-id', async () => {
    const bench = benchOf();

    await bench.deliver(aCommand());

    const { request } = (await bench.row()) ?? {};
    expect(request).toEqual({ id: bench.patches[0]?.requestId, tries: 1 });
    expect(request?.id).toEqual(expect.any(String));
  });

  test('tells the tries before it, and why the last of them failed', async () => {
    const bench = benchOf();
    bench.answerWith({ status: 429, text: 'busy' }, 'ok');
    await bench.deliver(aCommand());
    bench.passMs(surelyLandedMs);

    await bench.deliver(aCommand(), { receiveCount: 2 });

    const { request } = (await bench.row()) ?? {};
    expect(request).toMatchObject({ id: bench.patches[1]?.requestId, tries: 2 });
    expect(request?.lastError).toContain('busy');
  });

  test('is the one that was never answered, if the campaign shows that the run began', async () => {
    const bench = benchOf({ campaignId, confirm: { by: 'runCount', within: 'PT10M' } });
    bench.answerWith('applied-then-lost');
    await bench.deliver(aCommand());
    bench.passMs(surelyLandedMs);

    await bench.deliver(aCommand(), { receiveCount: 2 });

    const row = await bench.row();
    expect(row?.outcome?.kind).toBe('applied');
    expect(row?.request?.id).toBe(bench.patches[0]?.requestId);
    expect(bench.patches).toHaveLength(1);
  });

  test('is absent on a stage that only observes, and of a start that was skipped', async () => {
    const observing = benchOf({ mode: 'observe' });
    await observing.deliver(aCommand());
    expect(await observing.row()).toMatchObject({ outcome: { kind: 'applied' } });
    expect((await observing.row())?.request).toBeUndefined();

    const late = benchOf();
    late.passMs(7 * 86_400_000);
    await late.deliver(aCommand());
    expect(await late.row()).toMatchObject({ outcome: { kind: 'skipped' } });
    expect((await late.row())?.request).toBeUndefined();
  });
});

function benchOf(...options: Parameters<typeof createUpdateBench>) {
  const bench = createUpdateBench(...options);
  const row = async () => bench.ledger.read<CommandRow>(ledgerKeys.command(aCommand().id));
  return { ...bench, row };
}
