import { seedIds } from '#gateway/seed/seed-ids.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { type RecentOutcome, rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { type CommandRow, endedRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { newRunRow, withUsed } from '#shared/ledger/rows/run-row.ts';
import { countStart, newTargetRow, withRuns } from '#shared/ledger/rows/target-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';

/** A Wednesday night, half an hour after its start. It stands still, so that each picture says the same. */
export const now = new Date('2036-01-09T22:31:00Z');

/** The upload that waits for a decision. */
export const parkedKey = 'datasets/customer-words.csv';

const hourMs = 3_600_000;

/** Writes the rows of a stage that has lived for ten days. */
export async function fillLedger(ledger: Ledger): Promise<void> {
  const nights = nightsBefore();
  const tonight = nights.at(-1);
  if (tonight === undefined) throw new Error('there is no night in this week');
  const starts = nights.map((night) => rowOf('start', night));
  const stops = nights.slice(0, -1).map((night) => rowOf('stop', night));
  const skipped = rowOf('start', { run: 'smoke', at: new Date('2036-01-07T15:20:00Z'), id: undefined, hours: 0.5 });
  const smoke = {
    run: 'smoke',
    at: new Date('2036-01-08T15:05:00Z'),
    id: seedIds.campaignRuns.smoke[0],
    hours: 0.5,
  } as const;
  const seen = [...nights, smoke].map(confirmationOf);
  for (const row of [
    ...starts,
    ...stops,
    skipped,
    rowOf('start', smoke),
    rowOf('stop', smoke),
    ...seen,
    parkedUpload(),
  ]) {
    await ledger.write(undefined, row);
  }
  await ledger.write(undefined, usedIds(nights));
  await ledger.write(undefined, inFlight(tonight));
  await rememberRecentOutcomes(ledger, recentOutcomes());
}

interface Night {
  readonly run: 'nightly' | 'smoke';
  readonly at: Date;
  readonly id: string | undefined;
  readonly hours: number;
}

/** Each weekday of the days before, tonight the last. */
function nightsBefore(): readonly Night[] {
  const days = Array.from({ length: 9 }, (_, index) => new Date(Date.UTC(2036, 0, 1 + index, 22)));
  return days
    .filter((at) => at.getUTCDay() >= 1 && at.getUTCDay() <= 5)
    .map((at, index) => ({ run: 'nightly', at, id: seedIds.campaignRuns.nightly[index], hours: 8 }));
}

/** A start, or the stop that ended its run. A start without an id was skipped: another run was in flight. */
function rowOf(action: 'start' | 'stop', { run, at, id, hours }: Night): CommandRow {
  const end = new Date(at.getTime() + hours * hourMs);
  const instant = action === 'start' ? at : end;
  const origin =
    run === 'nightly'
      ? ({ kind: 'schedule', name: 'nights' } as const)
      : ({ kind: 'upload', name: 'datasets/' } as const);
  const command: CampaignRunCommand = {
    version: 1,
    id: `${run}-${action}@${instant.toISOString()}`,
    action,
    run,
    issuedAt: instant.toISOString(),
    origin,
  };
  const record = { body: JSON.stringify(command), receiveCount: 1, sentAt: instant };
  const campaign = run === 'nightly' ? 'chat-bot' : 'smoke';
  const facts = { due: at.toISOString(), endsAt: end.toISOString(), plansStop: true, campaign };
  const outcome = id === undefined ? ({ kind: 'skipped', reason: 'OVERLAP' } as const) : ({ kind: 'applied' } as const);
  const ended = { campaignRunId: id, outcome, ...(action === 'start' && id !== undefined ? { facts } : {}) };
  return endedRow(newCommandRow(command, instant), ended, instant, record);
}

/** Two minutes after its start the campaign shows the run. */
function confirmationOf({ run, at, id = '' }: Night): ConfirmationRow {
  return {
    pk: ledgerKeys.confirmation(id),
    kind: 'confirmation',
    campaignRunId: id,
    startId: startIdOf(run, at),
    run,
    confirmed: { at: new Date(at.getTime() + 120_000).toISOString(), by: 'lastRun' },
  };
}

const startIdOf = (run: string, at: Date) => `${run}-start@${at.toISOString()}`;

function usedIds(nights: readonly Night[]) {
  return nights.reduce((row, { id = '' }) => withUsed(row, id), newRunRow('nightly'));
}

function inFlight({ run, at, id = '', hours }: Night) {
  const startId = startIdOf(run, at);
  const due = at.toISOString();
  const endsAt = new Date(at.getTime() + hours * hourMs).toISOString();
  const entry = { campaignRunId: id, run, campaign: 'chat-bot', startId, issuedAt: due, due, sentAt: due, endsAt };
  const row = withRuns(newTargetRow('chat-bot'), [{ ...entry, plansStop: true, state: 'running', unanswered: 0 }]);
  return countStart(row, { month: '2036-01', campaign: 'chat-bot' }, startId, now);
}

function parkedUpload(): UploadRow {
  const at = '2036-01-09T16:02:00.000Z';
  return {
    pk: ledgerKeys.upload('bucket', parkedKey, 'v1'),
    kind: 'upload',
    state: 'PARKED',
    bucket: 'bucket',
    key: parkedKey,
    versionId: 'v1',
    eventTime: at,
    attempts: 1,
    crashes: 0,
    outcome: {
      kind: 'parked',
      reason: 'CHECK_FAILED',
      detail: 'row 3, column label: "perhaps" is not true, false, 1 or 0',
      at,
    },
    parked: { message: '{}', queue: 'uploads', attempts: 1, firstSeen: at, lastSeen: at },
    openState: 'PARKED',
    openSince: at,
  };
}

function recentOutcomes(): readonly RecentOutcome[] {
  const [, , , , , stopped] = seedIds.campaignRuns.nightly;
  return [
    appliedRun('start smoke', '2036-01-08T15:05:00Z'),
    appliedRun('start nightly', '2036-01-08T22:00:00Z'),
    appliedRun(`stop ${stopped}`, '2036-01-09T06:00:00Z'),
    {
      worker: 'register-datasets',
      kind: 'parked',
      reason: 'CHECK_FAILED',
      subject: parkedKey,
      at: '2036-01-09T16:02:00Z',
    },
    { worker: 'register-datasets', kind: 'applied', subject: 'datasets/refusals.csv', at: '2036-01-09T16:20:00Z' },
    appliedRun('start nightly', '2036-01-09T22:00:00Z'),
  ];
}

function appliedRun(subject: string, at: string): RecentOutcome {
  return { worker: 'update-campaign-runs', kind: 'applied', subject, at };
}
