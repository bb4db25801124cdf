import { expect, test } from 'vitest';
import { command as evidence } from '#cli/reports/evidence.ts';
import { command } from '#cli/reports/scores.ts';
import type { RunEndsRow } from '#shared/ledger/results/run-ends-row.ts';
import { runEndsRow } from '../../../builders/run-rows.ts';
import { argumentsOf, fakeDeps, textOf } from '../../operator/fake-deps.ts';

/** Two nights with a score of 87, and one that fell to 61. */
function nights(changed: readonly string[] = ['=vendor: 1 change, "core"']): RunEndsRow {
  const row = runEndsRow(45, 45, 45);
  const [last, ...before] = row.ends;
  const ends = last === undefined ? [] : [{ ...last, score: 61, changed }, ...before];
  return { ...row, ends, complete: ends };
}

async function scores(row: RunEndsRow, ...argv: readonly string[]) {
  const { deps } = fakeDeps({ rows: [row] });
  return command.run(argumentsOf(command, 'nightly', ...argv), deps);
}

test('a run has a line with its score, what it is to the runs before, and what changed before it', async () => {
  const text = textOf(await scores(nights(['vendor: 1 change'])));

  expect(text).toMatch(/complete +45 min +61 +█{12}░{8} +-26 to the runs before\n +before it: vendor: 1 change/);
});

test('--json has numbers and instants', async () => {
  const { data } = await scores(nights());

  expect(data).toMatchObject({
    runs: [
      {
        run: 'nightly',
        ends: [
          { score: 61, median: 87, toMedian: -26, lastedMs: 2_700_000, startAt: '2026-11-19T22:00:00.000Z' },
          {},
          {},
        ],
      },
    ],
  });
});

test('a spreadsheet opens the table, and takes no cell for a formula', async () => {
  const lines = textOf(await scores(nights(), '--csv')).split('\n');

  expect(lines[0]).toBe('run,campaignRunId,startAt,endedAt,state,minutes,score,median,changed');
  expect(lines[1]).toBe(
    `nightly,run-0,2026-11-19T22:00:00.000Z,2026-11-19T22:45:00.000Z,complete,45,61,87,"'=vendor: 1 change, ""core"""`,
  );
  expect(
    lines
      .slice(1)
      .flatMap((line) => line.split(','))
      .filter((cell) => /^"?[=+\-@]/.test(cell)),
  ).toEqual([]);
});

test.each([command, evidence])('a name that is no run is told which there are, %#', async (one) => {
  const functionAnswer = { payload: JSON.stringify({ runs: { nightly: { campaignRunIds: [] } } }) };
  const { deps } = fakeDeps({ functionAnswer });

  await expect(one.run(argumentsOf(one, 'nigthly'), deps)).rejects.toThrow(
    /there is no run "nigthly": did you mean "nightly"\? \(there are nightly/,
  );
});
