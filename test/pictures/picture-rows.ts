import { seedIds } from '#gateway/seed/seed-ids.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { type RecentOutcome, rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { withUsed } from '#shared/ledger/rows/run-row.ts';
import { countStart } from '#shared/ledger/rows/target-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { endedCommand, inFlight, runCommand, runRow, targetRow } from '../builders/run-rows.ts';
import { uploadRow } from '../unit/operator/parked-fixtures.ts';

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
  const rows = [
    ...[...nights, smoke, refused].map((night) => rowOf('start', night)),
    ...[...nights.slice(0, -1), smoke].map((night) => rowOf('stop', night)),
    ...[...nights, smoke].map(confirmationOf),
    parkedFile(),
    nights.reduce((row, { id = '' }) => withUsed(row, id), runRow()),
    tonightsRun(tonight),
  ];
  for (const row of rows) await ledger.write(undefined, row);
  await rememberRecentOutcomes(ledger, recentOutcomes());
}

interface Night {
  readonly run: 'nightly' | 'smoke';
  readonly at: Date;
  readonly id: string | undefined;
  readonly hours: number;
}

const [smokeId] = seedIds.campaignRuns.smoke;
const smoke: Night = { run: 'smoke', at: new Date('2036-01-08T15:05:00Z'), id: smokeId, hours: 0.5 };
const refused: Night = { run: 'smoke', at: new Date('2036-01-07T15:20:00Z'), id: undefined, hours: 0.5 };

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
  const issuedAt = (action === 'start' ? at : end).toISOString();
  const origin =
    run === 'nightly'
      ? ({ kind: 'schedule', name: 'nights' } as const)
      : ({ kind: 'upload', name: 'datasets/' } as const);
  const command = runCommand({ id: `${run}-${action}@${issuedAt}`, action, run, issuedAt, origin });
  if (id === undefined) return endedCommand(command, { outcome: { kind: 'skipped', reason: 'OVERLAP' } });
  const campaign = run === 'nightly' ? 'chat-bot' : 'smoke';
  const facts = { due: at.toISOString(), endsAt: end.toISOString(), plansStop: true, campaign };
  const ended = { campaignRunId: id, outcome: { kind: 'applied' } } as const;
  return endedCommand(command, action === 'start' ? { ...ended, facts } : ended);
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

function tonightsRun({ run, at, id = '', hours }: Night) {
  const startId = startIdOf(run, at);
  const endsAt = new Date(at.getTime() + hours * hourMs).toISOString();
  const row = targetRow(inFlight({ campaignRunId: id, startId, due: at.toISOString(), endsAt }));
  return countStart(row, { month: '2036-01', campaign: 'chat-bot' }, startId, now);
}

function parkedFile(): UploadRow {
  const at = '2036-01-09T16:02:00.000Z';
  const detail = 'row 3, column label: "perhaps" is not true, false, 1 or 0';
  return uploadRow({
    state: 'PARKED',
    key: parkedKey,
    eventTime: at,
    outcome: { kind: 'parked', reason: 'CHECK_FAILED', detail, at },
    parked: { message: '{}', queue: 'uploads', attempts: 1, firstSeen: at, lastSeen: at },
    openState: 'PARKED',
    openSince: at,
  });
}

function recentOutcomes(): readonly RecentOutcome[] {
  const upload = { worker: 'register-datasets', kind: 'applied' } as const;
  return [
    { ...upload, kind: 'parked', reason: 'CHECK_FAILED', subject: parkedKey, at: '2036-01-09T16:02:00Z' },
    { ...upload, subject: 'datasets/refusals.csv', at: '2036-01-09T16:20:00Z' },
  ];
}
