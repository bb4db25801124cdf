import { expect, test } from 'vitest';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { RunEndsRow } from '#shared/ledger/results/run-ends-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type TargetRow, withoutEntry } from '#shared/ledger/rows/target-row.ts';
import { nightlyIds } from '../../functions/update-campaign-runs/harness/update-bench.ts';
import { aNight, createEvidenceBench } from '../../operator/evidence-bench.ts';
import { runEndsRow } from '../../../builders/run-rows.ts';
import { confirmationRow } from '../../operator/parked-fixtures.ts';

/** What the watcher keeps of the start. */
const aRow = (more: Partial<ConfirmationRow>) => confirmationRow({ campaignRunId: nightlyIds[0], ...more });

test('how a run ended without a stop is said as the gateway showed it', async () => {
  const { evidence, table, passMs } = await aNight();
  passMs(3_600_000);
  const target = await table.read<TargetRow>(ledgerKeys.target('chat-bot'));
  if (target !== undefined) await table.write<TargetRow>(target, withoutEntry(target, 'start-1'));
  const shown = { status: 'complete', progress: 1180, total: 1180, score: 87, at: '2026-11-20T22:43:00.000Z' } as const;
  await table.write<ConfirmationRow>(undefined, aRow({ shown }));

  const { text } = await evidence('nightly');

  expect(text).toContain('| State | complete after 42 min, 1,180 of 1,180, score 87 |');
  expect(text).toContain('| Ended | 2026-11-20T22:43:00.000Z |');
  expect(text).toContain('| Comparable | yes: it is complete, and');
});

test.each([
  ['change', '| Scores | 87 before the change, 61 after it |'],
  ['schedule', undefined],
] as const)('evidence of a run that a %s started says its scores if it is a change', async (kind, says) => {
  const { evidence, send, table } = createEvidenceBench();
  await table.write<RunEndsRow>(undefined, runEndsRow(45, 45));
  await send({ id: 'start-1', origin: { kind, name: 'vendor' } });
  const shown = { status: 'complete', score: 61, at: '2026-11-20T22:43:00.000Z' } as const;
  await table.write<ConfirmationRow>(undefined, aRow({ shown }));

  const { text, data } = await evidence('nightly');

  expect(/\| Scores \|.*/.exec(text)?.[0]).toBe(says);
  expect(data.scores).toEqual(says && { before: 87, after: 61 });
});

const [seenAt, reportedAt] = ['2026-11-20T22:30:00.000Z', '2026-11-20T22:20:00.000Z'];

test.each<[string, Partial<ConfirmationRow>, string]>([
  ['seen', { confirmed: { at: seenAt, by: 'lastRun' } }, `| ${seenAt} | its campaign shows it (lastRun) |`],
  ['read', { confirmed: { at: seenAt, by: 'run' } }, `| ${seenAt} | the gateway shows that it began |`],
  ['missing', { missingSince: reportedAt }, `| ${reportedAt} | reported: the gateway did not show it |`],
  ['of another start', { startId: 'start-0', missingSince: reportedAt }, '| Began | **not known**: nothing shows'],
])('a sign that was %s', async (_, row, words) => {
  const { evidence, table, passMs } = await aNight();
  passMs(40 * 60_000);
  await table.write(undefined, aRow(row));

  expect((await evidence('nightly')).text).toContain(words);
});
