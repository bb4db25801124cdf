import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import type { MessageRow, ParkedWork } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { ParkReason } from '#shared/vocabulary/reason-codes.ts';
import { commandRow, inFlight, runCommand, uploadRow as anUploadRow } from '../../builders/run-rows.ts';

const since = '2026-11-20T18:00:00.000Z';

function kept(queue: ParkedWork['queue'], message: string): ParkedWork {
  return { message, queue, attempts: 2, firstSeen: since, lastSeen: since };
}

/** The schedule that starts `nightly` on weeknights; fields over the defaults. */
export function weeknightsSchedule(fields: Partial<DeployedSchedule> = {}): DeployedSchedule {
  const at = '<aws.scheduler.scheduled-time>';
  return {
    name: 'weeknights',
    expression: 'cron(0 22 ? * MON-FRI *)',
    timezone: 'Europe/Dublin',
    isEnabled: true,
    targetArn: 'arn:aws:sqs:eu-west-1:000000000000:commands',
    input: JSON.stringify(runCommand({ id: `weeknights@${at}`, issuedAt: at })),
    ...fields,
  };
}

/** An upload that was registered; fields over the defaults. */
export function uploadRow(fields: Partial<UploadRow> = {}): UploadRow {
  return anUploadRow({ state: 'APPLIED', bucket: 'bucket', versionId: 'v1', eventTime: since, ...fields });
}

/** An upload that waits for a person. */
export function parkedUpload(changes: Partial<UploadRow> & { readonly reason?: ParkReason } = {}): UploadRow {
  const { reason = 'POST_OUTCOME_UNKNOWN', ...fields } = changes;
  return uploadRow({
    state: 'PARKED',
    attempts: 2,
    crashes: 1,
    outcome: { kind: 'parked', reason, detail: 'no answer came within 45 s', at: since },
    parked: { ...kept('uploads', '{"Records":["the event"]}'), lookFor: 'a.csv', httpStatus: 502, requestSent: true },
    openState: 'PARKED',
    openSince: since,
    ...fields,
  });
}

/** A command that waits for a person. */
export function parkedCommand(id = 'weeknights@2026-11-20T18:00:00Z'): CommandRow {
  // A parked row waits for its person, however long.
  const { expiresAt: _expiresAt, ...row } = commandRow(runCommand({ id, issuedAt: since }), {
    outcome: { kind: 'parked', reason: 'NO_RUN_LEFT', at: since },
    parked: kept('commands', `{"id":"${id}"}`),
    openState: 'PARKED',
    openSince: since,
  });
  return row;
}

/** A message that could not be read. */
export function parkedMessage(message = 'not json \u001b[2J'): MessageRow {
  return {
    pk: ledgerKeys.message('commands', 'm-1'),
    kind: 'message',
    outcome: { kind: 'parked', reason: 'BAD_MESSAGE', detail: 'command: is not JSON', at: since },
    parked: kept('commands', message),
    openState: 'PARKED',
    openSince: since,
  };
}

/** What the watcher keeps of the start of that run; fields over the defaults. */
export function confirmationRow(fields: Partial<ConfirmationRow> = {}): ConfirmationRow {
  const { campaignRunId = 'r-1' } = fields;
  const pk = ledgerKeys.confirmation(campaignRunId);
  return { pk, kind: 'confirmation', campaignRunId, startId: 'start-1', run: 'nightly', ...fields };
}

/** A gate that closed an hour ago; fields over the defaults. */
export function gateRow(fields: Partial<GateRow> = {}): GateRow {
  const closed = { probeAt: '2026-11-20T20:05:00.000Z', failedProbes: 1 };
  const reason = 'POST was answered 503: down';
  return { pk: ledgerKeys.gate(), kind: 'gate', since: '2026-11-20T19:00:00.000Z', reason, closed, ...fields };
}

/** A run of `nightly` since half past seven that plans no stop; fields over the defaults. */
export function eveningRun(fields: Partial<InFlight> = {}): InFlight {
  return inFlight({ campaignRunId: 'r-1', due: '2026-11-20T19:30:00.000Z', plansStop: false, ...fields });
}
