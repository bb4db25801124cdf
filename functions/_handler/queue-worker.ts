import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import { toError } from '#shared/errors/app-error.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { cappedDetail } from '#shared/ledger/rows/detail.ts';
import { type MessageRow, parkedWork, type QueueName } from '#shared/ledger/rows/message-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { LinkTestRow } from '#shared/ledger/rows/stage-rows.ts';
import type { LinkTest } from '#shared/messages/link-test.ts';
import { eventTypes, type FunctionName } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { type ParkReason, parkReasons } from '#shared/vocabulary/reason-codes.ts';
import {
  done,
  later,
  type Outcome,
  type QueueRecord,
  type RecordContext,
  type RecordDelivery,
  type RecordResult,
} from './queue-record.ts';
import { backAfter, reportOnce, type WorkerReports } from './worker-reports.ts';
import { hourMs } from '#shared/schedule/duration.ts';

/** What a queue worker is made of. */
export interface QueueWorker {
  /** The work: everything that is not one of its outcomes goes back to the queue. */
  readonly handleRecord: (record: QueueRecord, context: RecordContext) => Promise<RecordResult>;
  /**
   * Puts one message out of sight for a while; failing is harmless (the queue's own timeout holds).
   */
  readonly postpone: (receiptHandle: string, delayMs: number) => Promise<void>;
  /** A record is not begun with less than this left, or than half of a short function's time. */
  readonly recordBudgetMs: number;
  /**
   * How many records of a batch are under way together.
   * @default 1: one after the other
   */
  readonly recordsAtOnce?: number;
  readonly reports: WorkerReports;
  readonly now: () => Date;
  readonly random: () => number;
}

/**
 * A record that was not begun comes back within this: nothing speaks against it, and the queue's
 * own timeout would be minutes. Not all at once, so that they do not meet in one batch again.
 */
const longestNotBegunMs = 30_000;

/** What the platform tells about one invocation. */
export interface Invocation {
  readonly requestId: string;
  readonly remainingMs: () => number;
}

/**
 * Handles a batch: at most `recordsAtOnce` records at a time, begun in their order. A record that
 * fails or is not begun is reported by its id (partial batch response). The others are not
 * affected. Every record is either ended with an outcome or in the answer: count in = count out.
 */
export async function handleBatch(
  event: SQSEvent,
  invocation: Invocation,
  worker: QueueWorker,
): Promise<SQSBatchResponse> {
  const { recordsAtOnce = 1 } = worker;
  const batchItemFailures: SQSBatchItemFailure[] = [];
  const outcomes: Outcome[] = [];
  const budgetMs = Math.min(worker.recordBudgetMs, invocation.remainingMs() / 2);
  let begun = 0;

  async function takeTurns(): Promise<void> {
    for (let record = event.Records[begun]; record !== undefined; record = event.Records[begun]) {
      const attempt = { id: `${invocation.requestId}.${begun}`, budgetMs, remainingMs: invocation.remainingMs };
      begun += 1;
      const result = await handleOne(record, attempt, worker);
      if (result.kind !== 'done') batchItemFailures.push({ itemIdentifier: record.messageId });
      if (result.outcomes !== undefined) outcomes.push(...result.outcomes);
    }
  }
  await Promise.all(Array.from({ length: recordsAtOnce }, takeTurns));
  await worker.reports.reportBatch(outcomes, batchItemFailures.length);
  return { batchItemFailures };
}

/** One record's turn. */
interface Attempt {
  readonly id: string;
  readonly budgetMs: number;
  readonly remainingMs: () => number;
}

async function handleOne(record: SQSRecord, attempt: Attempt, worker: QueueWorker): Promise<RecordResult> {
  const { log } = worker.reports;
  const receiveCount = Number(record.attributes.ApproximateReceiveCount);
  if (attempt.remainingMs() < attempt.budgetMs) {
    log.warn(logEvents.deadlineNear, 'too little time left to begin this record', { messageId: record.messageId });
    const delayMs = worker.random() * longestNotBegunMs;
    await postpone(record, delayMs, worker);
    return later(delayMs, 'deadline near');
  }

  const { id, remainingMs } = attempt;
  const context = { log, now: worker.now, remainingMs, attemptId: id };
  const delivery = { record: queueRecord(record, receiveCount), context, random: worker.random };
  let result: RecordResult;
  try {
    result = await worker.handleRecord(delivery.record, context);
  } catch (error) {
    result = backAfter(error, 'attempt', delivery);
  }
  if (result.kind === 'later') {
    const fields = { messageId: record.messageId, delayMs: Math.round(result.delayMs), receiveCount };
    log.info(logEvents.recordLater, `back to the queue: ${result.why}`, fields);
    await postpone(record, result.delayMs, worker);
  }
  return result;
}

async function postpone(record: SQSRecord, delayMs: number, worker: QueueWorker): Promise<void> {
  const says = 'the visibility timeout could not be changed; the default holds';
  await worker.postpone(record.receiptHandle, delayMs).catch((error: unknown) => {
    const { messageId } = record;
    worker.reports.log.warn(logEvents.recordLater, says, { messageId, error: toError(error) });
  });
}

function queueRecord(record: SQSRecord, receiveCount: number): QueueRecord {
  return {
    messageId: record.messageId,
    body: record.body,
    receiveCount,
    sentAt: new Date(Number(record.attributes.SentTimestamp)),
    senderId: record.attributes.SenderId,
    queueArn: record.eventSourceARN,
  };
}

/** What ending a message needs that is no work of its worker. */
interface EndingDeps {
  readonly ledger: Ledger;
  readonly bus: OutcomePublisher;
  readonly random: () => number;
}

/**
 * Ends a mark of `autopilot doctor`: its event on the bus and its row in the ledger, and nothing else.
 * The event comes first, so the row shows that the bus took it. The gateway is not called, and no
 * gate or switch is asked.
 */
export async function endLinkTest(
  test: LinkTest,
  { context }: RecordDelivery,
  { ledger, bus, worker }: Pick<EndingDeps, 'ledger' | 'bus'> & { readonly worker: FunctionName },
): Promise<RecordResult> {
  const { id, link } = test;
  const now = context.now();
  const detail = `a test of the links by autopilot doctor, sent as ${link}`;
  const at = now.toISOString();
  const row: LinkTestRow = {
    pk: ledgerKeys.linkTest(id),
    kind: 'link-test',
    link,
    worker,
    outcome: { kind: 'ignored', detail, at },
    expiresAt: expiryOf('link-test', now),
  };
  await bus.publish(eventTypes.linkTested, { eventId: `link-test:${id}`, linkTest: id, link, worker, at });
  // An earlier delivery may have recorded it.
  const isRepeat = (await ledger.write<LinkTestRow>(undefined, row)) === undefined;
  return isRepeat ? done() : done({ kind: 'ignored', subject: `link test ${id}`, detail });
}

/**
 * Parks a message that has no key of its own: it cannot be read, or its queue gave it up. Parked once more it stays as it is. The row has no
 * expiry: it stays until a person has decided.
 * @param parking.worker - named by an upload's worker alone: people get no mail of those
 */
export async function parkMessage(
  { record, context }: RecordDelivery,
  parking: {
    readonly queue: QueueName;
    readonly reason: ParkReason;
    readonly detail: string;
    readonly worker?: 'register-datasets';
  },
  { ledger, bus, random }: EndingDeps,
): Promise<RecordResult> {
  const { queue, reason, detail, worker } = parking;
  const now = context.now();
  const pk = ledgerKeys.message(queue, record.messageId);
  const before = await ledger.read<MessageRow>(pk);
  const isRepeat = before?.outcome !== undefined;
  if (!isRepeat) {
    await ledger.write<MessageRow>(before, {
      pk,
      kind: 'message',
      outcome: { kind: 'parked', reason, detail: cappedDetail(detail), at: now.toISOString() },
      parked: parkedWork(record, queue, now),
      resolutions: before?.resolutions,
      openState: 'PARKED',
      openSince: now.toISOString(),
    });
  }
  const { nextStep } = parkReasons[reason];
  const isQuiet = worker !== undefined || (await isMailed(pk, now, ledger)) ? undefined : true;
  const event = { eventId: pk, subject: pk, queue, worker, reason, detail, nextStep, isQuiet };
  const followUp = () => bus.publish(eventTypes.workParked, event);
  const outcome: Outcome = { kind: 'parked', subject: pk, reason, detail, fields: { queue } };
  return reportOnce(outcome, { isRepeat, followUp }, { record, context, random });
}

const mailEveryMs = hourMs;

/** Whether people get a mail of this message: of one an hour, since who may send could send thousands. The list has them all. */
async function isMailed(of: string, now: Date, ledger: Ledger): Promise<boolean> {
  const pk = ledgerKeys.mailedMessage();
  const before = await ledger.read<MessageRow>(pk);
  if (before?.mailed?.of === of) return true;
  if (before?.mailed !== undefined && now.getTime() - Date.parse(before.mailed.at) < mailEveryMs) return false;
  const mailed = { of, at: now.toISOString() };
  return (await ledger.write<MessageRow>(before, { pk, kind: 'message', mailed })) !== undefined;
}
