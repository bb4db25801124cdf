import { expect, test } from 'vitest';
import { timesIn } from '#cli/terminal/times.ts';
import { command as parked } from '#cli/parked/parked.ts';
import { command as status } from '#cli/reports/status.ts';
import { type FindingRow, withFinding } from '#shared/ledger/results/finding-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { commandRow } from '../../../builders/run-rows.ts';
import { argumentsOf, fakeDeps, textOf, linesOf } from '../../operator/fake-deps.ts';
import { confirmationRow } from '../../operator/parked-fixtures.ts';

const pk = ledgerKeys.finding('nightly', 'RUN_FAILED');
const start = { startId: 'start-1', campaignRunId: '019ba000-0000-7000-8000-000000000301' };

/** A stage whose last two runs of nightly failed. */
function stage() {
  const about = { run: 'nightly', finding: 'RUN_FAILED' } as const;
  const startAt = '2026-11-20T02:00:00.000Z';
  const first = withFinding(undefined, about, {
    ...start,
    startId: 'start-0',
    startAt,
    at: '2026-11-19T02:50:00.000Z',
  });
  const row = withFinding(first, about, { ...start, startAt, at: '2026-11-20T02:43:00.000Z' });
  const shown = { status: 'error', progress: 610, total: 1180, at: '2026-11-20T02:43:00.000Z' } as const;
  const outcome = { kind: 'applied', at: '2026-11-20T02:00:00.000Z' } as const;
  const begun = commandRow(undefined, { campaignRunId: start.campaignRunId, startAt, outcome });
  const fake = fakeDeps({ rows: [...(row === undefined ? [] : [row]), begun, confirmationRow({ ...start, shown })] });
  return {
    ...fake,
    run: async (...argv: readonly string[]) => parked.run(argumentsOf(parked, ...argv), fake.deps),
    status: async () => status.run(argumentsOf(status), fake.deps),
    row: async () => fake.ledger.read<FindingRow>(pk),
  };
}

test('a failed night is a need of the stage, and stands in parked list under a heading of its own', async () => {
  const { run, status: look } = stage();

  const list = await run('list');
  const told = textOf(await look());

  expect(textOf(list)).toMatch(/nothing is parked[^]*Found about runs \(1\)[^]*RUN_FAILED  nightly/);
  expect(textOf(list)).toContain('failed after 43 min, 610 of 1,180, 2 in a row');
  expect(list.data).toMatchObject({
    total: 0,
    findings: [{ run: 'nightly', kind: 'RUN_FAILED', count: 2, startId: 'start-1' }],
  });
  expect(told).toContain("PROBLEM  nightly's result");
  expect(told).toContain('Parked (0)');
});

test('a finding that is dismissed is no need any more, and keeps who did it and why', async () => {
  const { run, status: look, row } = stage();

  await run('resolve', 'nightly:RUN_FAILED', '--dismiss', '--reason', 'INC-77');

  expect(await row()).toMatchObject({ count: 2, resolutions: [{ decision: 'dismiss', reason: 'INC-77' }] });
  expect(textOf(await look())).not.toContain("nightly's result");
  const again = await run('resolve', 'nightly:RUN_FAILED', '--dismiss', '--reason', 'INC-77');
  expect(again.exitCode).toBe(1);
  const lines = linesOf(again, timesIn('Europe/Dublin'));
  expect(lines.join('\n')).toMatch(/it was decided already: grace decided "dismiss" at (?!\d{4}-).* \(INC-77\)$/);
});

test('the repeat of a finding is a new start of the name, with another run id', async () => {
  const { run, row, sent } = stage();
  const [found] = ((await run('list')).data as { findings: readonly { id: string }[] }).findings;

  await run('resolve', found?.id ?? '', '--repeat', '--no-wait');

  expect(sent.map(({ body }) => JSON.parse(body))).toEqual([
    expect.objectContaining({ action: 'start', run: 'nightly', origin: expect.objectContaining({ kind: 'operator' }) }),
  ]);
  expect(sent[0]?.body).not.toContain('campaignRunId');
  expect(await row()).toMatchObject({
    resolutions: [{ decision: 'repeat', as: expect.stringContaining('start-nightly') }],
  });
});

test('a decision about a finding and a parked item at once is refused', async () => {
  const { run } = stage();

  await expect(run('resolve', 'nightly:RUN_FAILED', '3f9a12bc', '--dismiss', '--reason', 'both')).rejects.toThrow(
    'some of these ids are findings about runs',
  );
});
