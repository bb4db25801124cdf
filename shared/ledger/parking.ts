import { cappedDetail } from './capped-detail.ts';
import type { MessageRow, ParkedWork, QueueName } from './rows/message-row.ts';
import { ledgerKeys } from './rows/row-keys.ts';
import type { Ledger } from './ledger.ts';
import type { ParkReason } from '../vocabulary/reason-codes.ts';

/** A row with its document must fit DynamoDB's 400 KB with room to spare; S3 events and commands are far below it. */
const maxMessageLength = 100_000;

/** What parking keeps of a message, whatever the row. */
export function parkedWork(
  record: { readonly body: string; readonly receiveCount: number; readonly sentAt: Date },
  queue: QueueName,
  now: Date,
  evidence: Pick<ParkedWork, 'httpStatus' | 'errorCode' | 'requestSent' | 'requestId' | 'lookFor'> = {},
): ParkedWork {
  const isMessageCut = record.body.length > maxMessageLength;
  return {
    message: isMessageCut ? record.body.slice(0, maxMessageLength) : record.body,
    ...(isMessageCut ? { isMessageCut } : {}),
    queue,
    attempts: record.receiveCount,
    firstSeen: record.sentAt.toISOString(),
    lastSeen: now.toISOString(),
    ...evidence,
  };
}

/**
 * Parks a message that has no key of its own: it cannot be read, or its queue gave it up. Parking it again changes nothing. The row has no
 * expiry: it stays until somebody has decided.
 * @returns the key of the row: what `autopilot parked show` takes
 */
export async function parkMessage(
  ledger: Ledger,
  parking: {
    readonly messageId: string;
    readonly parked: ParkedWork;
    readonly reason: ParkReason;
    readonly detail: string;
    readonly now: Date;
  },
): Promise<string> {
  const { messageId, parked, reason, detail, now } = parking;
  const pk = ledgerKeys.message(parked.queue, messageId);
  const before = await ledger.read<MessageRow>(pk);
  if (before?.outcome !== undefined) return pk;
  await ledger.write<MessageRow>(before, {
    pk,
    kind: 'message',
    outcome: { kind: 'parked', reason, detail: cappedDetail(detail), at: now.toISOString() },
    parked,
    openState: 'PARKED',
    openSince: now.toISOString(),
  });
  return pk;
}

/** Whether a message was parked before and nobody ordered its repeat since: its outcome has been reported. */
export async function isParkedMessage(ledger: Ledger, queue: QueueName, messageId: string): Promise<boolean> {
  const row = await ledger.read<MessageRow>(ledgerKeys.message(queue, messageId));
  return row?.outcome !== undefined;
}

/** What cannot be done within a day needs a person: the promise of one outcome for everything has an end. */
const horizonMs = 24 * 60 * 60_000;

/** Whether a message has been tried for as long as anything is tried, counted from when it entered its queue or its row was opened. */
export function isPastHorizon(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() > horizonMs;
}
