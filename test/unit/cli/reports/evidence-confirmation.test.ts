import { describe, expect, test } from 'vitest';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type TargetRow, withoutEntry } from '#shared/ledger/rows/target-row.ts';
import { nightlyIds } from '../../functions/update-campaign-runs/harness/update-bench.ts';
import { aNight, createEvidenceBench } from '../../operator/evidence-bench.ts';
import { confirmationRow } from '../../operator/parked-fixtures.ts';

/** What the watcher keeps of the start. */
const aRow = (more: Partial<ConfirmationRow>) => confirmationRow({ campaignRunId: nightlyIds[0], ...more });

test('how a run ended by itself is said as the gateway showed it', async () => {
  const { evidence, table } = await aNight();
  const target = await table.read<TargetRow>(ledgerKeys.target('chat-bot'));
  if (target !== undefined) await table.write<TargetRow>(target, withoutEntry(target, 'start-1'));
  const shown = { status: 'complete', progress: 1180, total: 1180, score: 87, at: '2026-11-20T22:43:00.000Z' } as const;
  await table.write<ConfirmationRow>(undefined, aRow({ shown }));

  const { text } = await evidence('nightly');

  expect(text).toContain('| State | complete after 42 min, 1,180 of 1,180, score 87 |');
  expect(text).toContain('| Ended | 2026-11-20T22:43:00.000Z, as the gateway showed |');
  expect(text).toContain('| Comparable | yes: it is complete, and');
});

describe('confirmation', () => {
  test.each<[string, Partial<ConfirmationRow>, string]>([
    [
      'seen',
      { confirmed: { at: 'T1', by: 'lastRun' } },
      'Confirmed at T1: `lastRun` of the campaign showed the start.',
    ],
    ['read', { confirmed: { at: 'T1', by: 'run' } }, 'Confirmed at T1: the run itself showed the start.'],
    ['missing', { missingSince: 'T2' }, '**Not confirmed**: the campaign had not shown the start; reported at T2.'],
    [
      'seen after all',
      { confirmed: { at: 'T3', by: 'lastRunAt' }, missingSince: 'T2' },
      'showed the start, after it had been reported as missing at T2.',
    ],
    ['not come yet', {}, 'Not confirmed yet: no reading of the campaign that shows the start is on record.'],
    ['of another start', { startId: 'start-0', missingSince: 'T2' }, 'No sign was waited for'],
  ])('a sign that was %s', async (_, row, words) => {
    const { evidence, table } = await aNight();
    await table.write(undefined, aRow(row));

    expect((await evidence('nightly')).text).toContain(words);
  });

  test('a sign that the gateway showed before the run was to begin stays on record, though it was stopped before', async () => {
    const { evidence, send, table } = createEvidenceBench();
    await send({ id: 'start-1', startDelay: 'PT15M' });
    await table.write(undefined, aRow({ confirmed: { at: 'T1', by: 'lastRun' } }));
    await send({ id: 'stop-1', action: 'stop' });

    const { text, data } = await evidence('nightly');

    expect(data.course).toMatchObject({ begun: 'no', confirmation: { state: 'confirmed' } });
    expect(text).toContain('Confirmed at T1');
  });

  test('a campaign without one', async () => {
    expect((await (await aNight()).evidence('nightly')).text).toContain('No sign was waited for');
  });
});
