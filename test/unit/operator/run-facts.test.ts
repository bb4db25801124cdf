import { expect, test } from 'vitest';
import { readStageStatus } from '#operator/status/stage-status.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import { aRunId, targetRow } from '../../builders/run-rows.ts';
import { fakeDeps } from './fake-deps.ts';
import { eveningRun } from './parked-fixtures.ts';

const until = '2026-11-20T20:30:00.000Z';

async function inFlightOf(entry: InFlight, confirmation?: Partial<ConfirmationRow>) {
  const { deps, ledger } = fakeDeps();
  await ledger.write(undefined, targetRow(entry));
  if (confirmation !== undefined) {
    const { campaignRunId, startId, run } = entry;
    const pk = ledgerKeys.confirmation(campaignRunId);
    const row = { pk, kind: 'confirmation', campaignRunId, startId, run, campaignId: 'c-1' } as const;
    await ledger.write<ConfirmationRow>(undefined, { ...row, ...confirmation });
  }
  return (await readStageStatus(deps)).inFlight[0];
}

test('a start without an answer is told by fields: since when, which command, until when it counts', async () => {
  const entry = eveningRun({ startId: 'a', state: 'starting', unanswered: 1 });

  expect(await inFlightOf(entry, {})).toMatchObject({
    kind: 'run',
    run: 'nightly',
    state: 'no answer yet',
    startCommandId: 'a',
    inFlightUntil: entry.endsAt,
    confirm: 'awaited',
    inDoubtSince: entry.sentAt,
    isOverdue: false,
  });
});

test('a run whose planned stop was due says that it is overdue, and what its campaign shows', async () => {
  const entry = eveningRun({ plansStop: true, endsAt: '2026-11-20T19:50:00.000Z' });

  const found = await inFlightOf(entry, { missingSince: '2026-11-20T19:55:00.000Z' });

  expect(found).toMatchObject({ isOverdue: true, state: 'stop due', confirm: 'missing', stopDueAt: entry.endsAt });
  expect(found?.inDoubtSince).toBeUndefined();
});

test('the last run of its campaign is told if it is none of this stage', async () => {
  const lastRun = '0197f3a0-5b1c-7d2e-8f30-0000000000ff';

  expect(await inFlightOf(eveningRun({ campaignRunId: aRunId }), { lastRun })).toMatchObject({
    lastRunElsewhere: lastRun,
  });
});

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
  const { deps, ledger } = fakeDeps({ schedules });
  await ledger.write(undefined, targetRow(entry));

  const [found] = (await readStageStatus(deps)).inFlight;

  expect(found).toMatchObject({ stopDueAt: '2026-11-21T04:00:00.000Z', ...end });
});

test('a closed gate tells the probes that failed', async () => {
  const { deps, ledger } = fakeDeps();
  await ledger.write(undefined, {
    pk: ledgerKeys.gate(),
    kind: 'gate',
    closed: { probeAt: until, failedProbes: 3 },
    since: until,
    reason: 'PATCH was answered 503',
  });

  expect((await readStageStatus(deps)).gate).toMatchObject({ state: 'closed', failedProbes: 3 });
});
