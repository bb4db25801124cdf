import { expect, test } from 'vitest';
import { readStageStatus } from '#operator/needs/read-stage-status.ts';
import { startOf, targetRow } from '../../builders/run-rows.ts';
import { fakeDeps } from './fake-deps.ts';
import { eveningRun } from './parked-fixtures.ts';

// `status` and the page told the stop that the start planned, and the schedule stopped the run before.
test.each([
  [
    'by-morning',
    '2026-11-21T03:00',
    { endsAt: '2026-11-21T03:00:00.000Z', endsBy: { kind: 'schedule', name: 'by-morning' } },
  ],
  ['by-noon', '2026-11-21T12:00', { endsAt: '2026-11-21T04:00:00.000Z', endsBy: { kind: 'planned-stop' } }],
])('a run ends with the stop that comes first, beside the schedule %s', async (name, at, end) => {
  const entry = eveningRun({ plansStop: true, endsAt: '2026-11-21T04:00:00.000Z' });
  const stop = { action: 'stop', run: 'nightly', origin: { kind: 'schedule', name } };
  const targetArn = 'arn:aws:sqs:eu-west-1:000000000000:commands';
  const expression = `at(${at}:00)`;
  const schedules = [{ name, expression, timezone: 'UTC', isEnabled: true, targetArn, input: JSON.stringify(stop) }];
  const { deps } = fakeDeps({ schedules, rows: [targetRow(entry), startOf(entry)] });

  const { inFlight, runs } = await readStageStatus(deps);

  expect(inFlight[0]).toMatchObject(end);
  expect(runs[0]).toMatchObject({ stopsAt: '2026-11-21T04:00:00.000Z' });
});
