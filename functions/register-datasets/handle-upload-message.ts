import { laterDelayMs } from '#shared/gateway-client/index.ts';
import { isPastHorizon } from '#shared/ledger/open-rows.ts';
import { listedDetail } from '#shared/ledger/rows/detail.ts';
import { parkedWork } from '#shared/ledger/rows/message-row.ts';
import { linkTestInObject } from '#shared/messages/link-test.ts';
import { type ObjectEvent, parseObjectEvents } from '#shared/uploads/object-events.ts';
import type { ParkReason } from '#shared/vocabulary/reason-codes.ts';
import { done, later, type Outcome, type RecordResult } from '../_handler/queue-record.ts';
import { endLinkTest, parkMessage } from '../_handler/queue-worker.ts';
import { backAfter } from '../_handler/worker-reports.ts';
import { claimUpload } from './claim-upload.ts';
import { conclude, hasOutcome, parkUpload } from './conclude.ts';
import type { LookAgain, Upload } from './upload.ts';
import { movedRow, readUpload, requestIdOf } from './upload-rows.ts';
import { nextUploadStep, type UploadStep } from './upload-states.ts';

/** A message of the uploads queue, in one delivery. */
type UploadMessage = Omit<Upload, 'row' | 'object'>;

/**
 * Handles one message of the uploads queue. A message may carry several records, and each ends by
 * itself. The message ends with the last of them. Until then it comes back when the first needs it.
 */
export async function handleUploadMessage(message: UploadMessage): Promise<RecordResult> {
  const { body, messageId } = message.record;
  const parsed = parseObjectEvents(body);
  switch (parsed.kind) {
    case 'test-event':
      return done({
        kind: 'ignored',
        subject: messageId,
        title: 's3:TestEvent',
        detail: 'the test event of a new notification',
        fields: { notification: 's3:TestEvent' },
      });
    case 'bad':
      return parkWhole(message, [{ reason: 'BAD_MESSAGE', detail: parsed.detail }]);
    case 'records':
      return handleRecords(message, parsed.records);
  }
}

async function handleRecords(message: UploadMessage, events: readonly ObjectEvent[]): Promise<RecordResult> {
  const results: RecordResult[] = [];
  const faults: Fault[] = [];
  for (const event of events) {
    const result = await handleEvent(message, event);
    if ('reason' in result) faults.push(result);
    else results.push(result);
  }
  // One row holds the message, however many of its records cannot be read.
  if (faults.length > 0) results.push(await isolated(message, () => parkWhole(message, faults)));
  return combined(results);
}

interface Fault {
  readonly reason: ParkReason;
  readonly detail: string;
}

async function handleEvent(message: UploadMessage, event: ObjectEvent): Promise<RecordResult | Fault> {
  switch (event.kind) {
    case 'created':
      return isolated(message, async () => handleCreated({ ...message, object: event }));
    case 'other':
      return done({ kind: 'ignored', subject: event.key, detail: `${event.eventName} is no upload` });
    case 'bad-key':
      return { reason: 'BAD_KEY', detail: `the key ${JSON.stringify(event.rawKey.slice(0, 300))} cannot be decoded` };
    case 'bad-record':
      return { reason: event.reason, detail: event.detail };
  }
}

/** A mark of the doctor is empty, and has no row of an upload and no dataset: it is no upload. */
async function handleCreated(upload: Delivery): Promise<RecordResult> {
  const { deps, object } = upload;
  const isEmpty = object.sizeBytes === 0;
  const test = isEmpty && object.bucket === deps.bucket ? linkTestInObject(object) : undefined;
  if (test === undefined) return registerUpload(upload);
  return endLinkTest(test, upload, { ...deps, worker: 'register-datasets' });
}

/** A record that fails does not take its neighbours along. */
async function isolated(
  { deps, record, context }: UploadMessage,
  work: () => Promise<RecordResult>,
): Promise<RecordResult> {
  return work().catch((error: unknown) => backAfter(error, 'attempt', { record, context, random: deps.random }));
}

function combined(results: readonly RecordResult[]): RecordResult {
  const outcomes: readonly Outcome[] = results.flatMap((result) => result.outcomes ?? []);
  const waiting = results.filter((result) => result.kind === 'later');
  const [first] = waiting.toSorted((a, b) => a.delayMs - b.delayMs);
  return first === undefined ? done(...outcomes) : later(first.delayMs, first.why, outcomes);
}

async function parkWhole(message: UploadMessage, faults: readonly Fault[]): Promise<RecordResult> {
  const details = faults.map(({ detail }) => detail);
  const reason = faults[0]?.reason ?? 'BAD_MESSAGE';
  const parking = { queue: 'uploads', reason, detail: listedDetail(details, 'records') } as const;
  return parkMessage(message, { ...parking, worker: 'register-datasets' }, message.deps);
}

/**
 * Each look follows a step of our own or a lost race; a row that changes faster is in the hands of
 * another worker.
 */
const mostLooks = 8;

/** An object version in a delivery, before its row is read. */
type Delivery = Omit<Upload, 'row'>;

/**
 * Registers one object version: reads its row, does what the row allows, and ends with an outcome
 * or goes back to the queue. Idempotent by the object version; nothing is sent unless the row says
 * SENDING in this attempt's name.
 */
async function registerUpload(delivery: Delivery): Promise<RecordResult> {
  const result = await takeSteps(delivery);
  return result.kind === 'later' ? parkAtHorizon({ ...delivery, row: await readUpload(delivery) }, result) : result;
}

async function takeSteps(delivery: Delivery): Promise<RecordResult> {
  for (let look = 0; look < mostLooks; look += 1) {
    const result = await take({ ...delivery, row: await readUpload(delivery) });
    if (result !== 'look-again') return result;
  }
  const { deps, record } = delivery;
  return later(laterDelayMs(record.receiveCount, deps.random), 'the row of this upload keeps changing');
}

function nextStepOf({ row, record, context }: Upload): UploadStep {
  return nextUploadStep(row, { now: context.now(), receiveCount: record.receiveCount });
}

async function take(upload: Upload): Promise<RecordResult | LookAgain> {
  const { row } = upload;
  const step = nextStepOf(upload);
  switch (step.kind) {
    case 'ended':
      return conclude(upload, endedRow(row), { isRepeat: true });
    case 'wait':
      return later(step.delayMs, step.why);
    case 'crash-loop': {
      const detail = `${step.crashes} attempts started and never said how they ended; nothing was sent`;
      return parkUpload(upload, { reason: 'CRASH_LOOP', detail });
    }
    case 'mark-unknown':
      return markUnknown(upload);
    case 'park-unknown':
      return parkUpload(upload, { reason: 'POST_OUTCOME_UNKNOWN', detail: row?.lastError ?? 'its worker died' });
    case 'claim':
      return claimUpload(upload, step);
  }
}

function endedRow(row: Upload['row']) {
  if (row !== undefined && hasOutcome(row)) return row;
  // No row is written so; a hand that edited the table may have.
  throw new Error(`the ledger row ${row?.pk ?? ''} has ended (${row?.state ?? ''}) and carries no outcome`);
}

async function markUnknown(upload: Upload): Promise<LookAgain> {
  const { deps, row, record, context } = upload;
  if (row === undefined) return 'look-again';
  const detail = `its worker died between ${row.sentAt ?? 'the mark'} and an answer: it may have been sent`;
  const evidence = { requestId: requestIdOf(row.pk), lookFor: row.datasetName };
  const kept = parkedWork(record, 'uploads', context.now(), evidence);
  await deps.ledger.write(row, movedRow(upload, 'UNKNOWN', { lastError: detail, parked: kept }));
  return 'look-again';
}

/**
 * Parks what did not end within a day, counted from its message or from its row. A message that the
 * reconciler sent again is younger than the work. A row that is being sent, or that a worker holds
 * at this moment, is left alone.
 */
async function parkAtHorizon(upload: Upload, result: Extract<RecordResult, { kind: 'later' }>): Promise<RecordResult> {
  const { row, context } = upload;
  if (!isPastHorizon(beganAt(upload), context.now())) return result;
  const step = nextStepOf(upload);
  const isFree = step.kind === 'claim' || row?.state === 'READY';
  if (!isFree) return result;
  const detail = `not done within a day; last: ${row?.lastError ?? result.why}`;
  const parked = await parkUpload(upload, { reason: 'HORIZON_EXCEEDED', detail });
  return parked === 'look-again' ? result : parked;
}

/** The age of its message or of its row, whichever is older. */
function beganAt({ row, record, context }: Upload): Date {
  const openSince = Date.parse(row?.openSince ?? '') || context.now().getTime();
  return new Date(Math.min(record.sentAt.getTime(), openSince));
}
