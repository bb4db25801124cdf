import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { MessageRow, ParkedWork } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type RunIdentity, type RunRow, runRowOf, type SentStart } from '#shared/ledger/rows/run-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { ParkReason } from '#shared/vocabulary/reason-codes.ts';
import { aSentStart } from '../../builders/run-rows.ts';

const since = '2026-11-20T18:00:00.000Z';

function kept(queue: ParkedWork['queue'], message: string): ParkedWork {
  return { message, queue, attempts: 2, firstSeen: since, lastSeen: since };
}

/** An upload that waits for a person. */
export function parkedUpload(changes: Partial<UploadRow> & { readonly reason?: ParkReason } = {}): UploadRow {
  const { reason = 'POST_OUTCOME_UNKNOWN', ...fields } = changes;
  const key = fields.key ?? 'datasets/a.csv';
  return {
    pk: ledgerKeys.upload('bucket', key, 'v1'),
    kind: 'upload',
    state: 'PARKED',
    bucket: 'bucket',
    key,
    versionId: 'v1',
    eventTime: since,
    attempts: 2,
    crashes: 1,
    outcome: { kind: 'parked', reason, detail: 'no answer came within 45 s', at: since },
    parked: { ...kept('uploads', '{"Records":["the event"]}'), lookFor: 'a.csv', httpStatus: 502, requestSent: true },
    openState: 'PARKED',
    openSince: since,
    ...fields,
  };
}

/** A command that waits for a person. */
export function parkedCommand(id = 'weeknights@2026-11-20T18:00:00Z'): CommandRow {
  return {
    pk: ledgerKeys.command(id),
    kind: 'command',
    id,
    command: {
      version: 1,
      id,
      action: 'start',
      run: 'nightly',
      issuedAt: since,
      origin: { kind: 'schedule', name: 'weeknights' },
    },
    outcome: { kind: 'parked', reason: 'NO_RUN_LEFT', at: since },
    parked: kept('commands', `{"id":"${id}"}`),
    openState: 'PARKED',
    openSince: since,
  };
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

/** A start of half an hour ago that plans no stop; fields over the defaults. */
export function anEveningStart(fields: Partial<SentStart> = {}): SentStart {
  return aSentStart({ effectAt: '2026-11-20T19:30:00.000Z', ...fields });
}

/** What a planned stop of that instant sends. */
export function stopAt(at: string): NonNullable<SentStart['plannedStop']> {
  return { at, word: 'stopped' };
}

/** The row of a run whose start the gateway accepted; unconfigured unless the identity names it. */
export function runningRow(
  campaignRunId: string,
  start: Partial<SentStart> = {},
  identity: Partial<RunIdentity> = {},
): RunRow {
  return runRowOf({ campaignRunId, ...identity }, { state: 'running', start: anEveningStart(start) });
}
