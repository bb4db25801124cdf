/** One parked row for each reason, of the kind of work that the reason is about. */
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { claimedRow, parkedRow } from '#functions/register-datasets/upload-rows.ts';
import { type CommandRow, endedRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { parkedWork } from '#shared/ledger/rows/message-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { type ParkReason, parkReasonFacts, parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { objectOf } from './upload-rows.ts';

const ofCommands = new Set<ParkReason>([
  'RUN_NOT_FOUND',
  'CONFLICT',
  'NO_RUN_LEFT',
  'START_OUTCOME_UNKNOWN',
  'CRASH_LOOP',
  'HORIZON_EXCEEDED',
  'CONFIG',
]);
const ofMessages = new Set<ParkReason>(['BAD_MESSAGE', 'BAD_KEY', 'FOREIGN_EVENT', 'WORKER_DIED']);

/** Every reason to park. */
export const allParkReasons = Object.keys(parkReasons) as readonly ParkReason[];

/** @param at - when they were parked */
export function parkedRows(bucket: string, at: Date): readonly (CommandRow | UploadRow | MessageRow)[] {
  return allParkReasons.map((reason) => {
    if (ofMessages.has(reason)) return parkedMessage(reason, at);
    return ofCommands.has(reason) ? parkedCommand(reason, at) : parkedUpload(bucket, reason, at);
  });
}

const detailOf = (reason: ParkReason) => `${parkReasonFacts(reason).meaning} (as an example)`;

function parkedCommand(reason: ParkReason, at: Date): CommandRow {
  const command: CampaignRunCommand = {
    version: 1,
    id: `parked-${reason}@${at.toISOString()}`,
    action: 'start',
    run: 'nightly',
    issuedAt: at.toISOString(),
    origin: { kind: 'schedule', name: 'weeknights' },
  };
  return endedRow(
    newCommandRow(command, at),
    { campaignRunId: seedIds.campaignRuns.nightly[1], outcome: { kind: 'parked', reason, detail: detailOf(reason) } },
    at,
    { body: JSON.stringify(command), receiveCount: 2, sentAt: at },
  );
}

function parkedUpload(bucket: string, reason: ParkReason, at: Date): UploadRow {
  const object = objectOf({ bucket, key: `datasets/parked/${reason}.csv`, versionId: 'v1', at });
  const claim = { owner: 'worker', leaseUntil: at.toISOString(), crashes: 0, ruleName: 'datasets/' };
  const context = { now: () => at };
  const row = claimedRow({ object, row: undefined, context }, claim);
  const parked = parkedWork({ body: '{"Records":[]}', receiveCount: 2, sentAt: at }, 'uploads', at, {
    lookFor: `${reason}.csv`,
  });
  return parkedRow({ object, row, context }, { reason, detail: detailOf(reason) }, parked);
}

function parkedMessage(reason: ParkReason, at: Date): MessageRow {
  const queue = reason === 'WORKER_DIED' ? 'commands' : 'uploads';
  return { ...parkedFields(reason, queue, at), pk: ledgerKeys.message(queue, `m-${reason}`), kind: 'message' };
}

function parkedFields(reason: ParkReason, queue: 'commands' | 'uploads', at: Date) {
  const since = at.toISOString();
  return {
    outcome: { kind: 'parked', reason, detail: detailOf(reason), at: since },
    parked: parkedWork({ body: '{}', receiveCount: 2, sentAt: at }, queue, at),
    openState: 'PARKED',
    openSince: since,
  } as const;
}
