import { expect, test } from 'vitest';
import { readStageStatus } from '#operator/status/stage-status.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { aRunRow, aStartWithStop } from '../../builders/run-rows.ts';
import { fakeDeps } from './fake-deps.ts';

const until = '2026-11-20T20:30:00.000Z';
const confirm = { by: 'runCount', until } as const;

async function inFlightOf(row: RunRow) {
  const { deps, ledger } = fakeDeps();
  await ledger.write(undefined, row);
  return (await readStageStatus(deps)).inFlight[0];
}

test('a start without an answer is told by fields: since when, which request, which command', async () => {
  const start = aStartWithStop({ startId: 'a', confirm });
  const landsUntil = '2026-11-20T20:01:00.000Z';
  const row = aRunRow({ state: 'start-unknown', start, landsUntil, requestId: 'req-1' }, { run: 'nightly' });

  expect(await inFlightOf(row)).toMatchObject({
    kind: 'run',
    run: 'nightly',
    startCommandId: 'a',
    inFlightUntil: start.until,
    confirm: { state: 'awaited', until },
    inDoubt: { since: start.firstSentAt, requestId: 'req-1', commandId: 'a' },
  });
});

test('a stop without an answer is told apart from its start, and an overdue run says so', async () => {
  const start = aStartWithStop({ startId: 'a', plannedStop: { at: '2026-11-20T19:00:00.000Z', word: 'stopped' } });
  const stop = { id: 'stop-a', issuedAt: '2026-11-20T19:00:00.000Z', word: 'stopped' };
  const row = aRunRow({ state: 'stop-unknown', stop, before: { state: 'running', start }, landsUntil: until });

  const found = await inFlightOf(row);

  expect(found).toMatchObject({ isOverdue: true, stopInDoubt: { since: stop.issuedAt, commandId: 'stop-a' } });
  expect(found?.inDoubt).toBeUndefined();
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
  const start = aStartWithStop({ startId: 'a', plannedStop: { at: '2026-11-21T04:00:00.000Z', word: 'stopped' } });
  const stop = { action: 'stop', run: 'nightly', origin: { kind: 'schedule', name } };
  const targetArn = 'arn:aws:sqs:eu-west-1:000000000000:commands';
  const expression = `at(${at}:00)`;
  const schedules = [{ name, expression, timezone: 'UTC', isEnabled: true, targetArn, input: JSON.stringify(stop) }];
  const { deps, ledger } = fakeDeps({ schedules });
  await ledger.write(undefined, aRunRow({ state: 'running', start }, { run: 'nightly' }));

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
