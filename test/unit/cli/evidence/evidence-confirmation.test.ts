import { describe, expect, test } from 'vitest';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { nightlyIds } from '../../functions/update-campaign-runs/harness/update-bench.ts';
import { campaignId, createEvidenceBench } from '../../operator/evidence-bench.ts';

const operator = { kind: 'operator', name: 'grace' } as const;
const uuid = nightlyIds[0];

/** A night: started at ten, and stopped at six by a person. */
async function aNight(...options: Parameters<typeof createEvidenceBench>) {
  const bench = createEvidenceBench(...options);
  await bench.send({ id: 'start-1', reason: 'CHG-1' });
  return { ...bench, endNight: async () => bench.send({ id: 'stop-1', action: 'stop', origin: operator }) };
}

describe('confirmation', () => {
  const awaited = {
    commandId: 'start-1',
    campaignId,
    by: 'runCount',
    before: 7,
    until: '2026-11-20T23:00:00Z',
  } as const;
  const aRow = (more: Partial<ConfirmationRow> = {}): ConfirmationRow => ({
    pk: ledgerKeys.confirmation({ campaignRunId: uuid, commandId: 'start-1' }),
    kind: 'confirmation',
    campaignRunId: uuid,
    awaited,
    expiresAt: expiryOf('confirmation', new Date()),
    ...more,
  });

  test.each<[string, Partial<ConfirmationRow>, string]>([
    [
      'seen',
      { confirmed: { at: 'T1', reads: 8 } },
      'Confirmed at T1: `runCount` of the campaign was 7 before and read 8.',
    ],
    ['missing', { missingSince: 'T2' }, '**Not confirmed**: by 2026-11-20T23:00:00Z'],
    ['seen after all', { confirmed: { at: 'T3', reads: 8 }, missingSince: 'T2' }, 'reported as missing at T2'],
    ['not come yet', {}, 'was to show the start by 2026-11-20T23:00:00Z'],
  ])('a sign that was %s', async (_, row, words) => {
    const { evidence, table } = await aNight();
    await table.write(undefined, aRow(row));

    expect((await evidence('nightly')).text).toContain(words);
  });

  test('a sign that the gateway showed before the run was to begin stays on record, though it was stopped before', async () => {
    const { evidence, send, table } = createEvidenceBench();
    await send({ id: 'start-1', startDelay: 'PT15M' });
    await table.write(undefined, aRow({ confirmed: { at: 'T1', reads: 8 } }));
    await send({ id: 'stop-1', action: 'stop' });

    const { text, data } = await evidence('nightly');

    expect(data.course).toMatchObject({ begun: 'no', confirmation: { state: 'confirmed' } });
    expect(text).toContain('Confirmed at T1');
  });

  test('a campaign without one', async () => {
    expect((await (await aNight()).evidence('nightly')).text).toContain('No sign was waited for');
  });
});
