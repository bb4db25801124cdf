import { listedDetail } from '#shared/ledger/capped-detail.ts';
import { isParkedMessage, parkedWork, parkMessage } from '#shared/ledger/parking.ts';
import { linkTestInObject } from '#shared/messages/link-test.ts';
import { type ObjectEvent, parseObjectEvents } from '#shared/uploads/object-events.ts';
import { eventTypes } from '#shared/vocabulary/event-types.ts';
import { type ParkReason, parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { toError } from '#shared/errors/app-error.ts';
import { laterDelayMs } from '#shared/gateway-client/index.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { endLinkTest } from '../_handler/link-test.ts';
import { keyInTable } from '../_handler/observe.ts';
import { done, later, type Outcome, type RecordResult } from '../_handler/outcome.ts';
import type { QueueRecord, RecordContext } from '../_handler/queue-worker.ts';
import { reportOnce } from '../_handler/report-once.ts';
import { registerUpload } from './register-upload.ts';
import type { UploadDeps, UploadWork } from './upload-work.ts';

/**
 * Handles one message of the uploads queue. A message may carry several records: each ends by itself, and the message ends when all have;
 * until then it comes back as soon as the first of them needs it.
 */
export async function handleUploadMessage(
  deps: UploadDeps,
  record: QueueRecord,
  context: RecordContext,
): Promise<RecordResult> {
  const parsed = parseObjectEvents(record.body);
  switch (parsed.kind) {
    case 'test-event':
      return done({ kind: 'ignored', subject: record.messageId, detail: 'the test event of a new notification' });
    case 'bad':
      return parkWhole(deps, record, context, [{ reason: 'BAD_MESSAGE', detail: parsed.detail }]);
    case 'records':
      return handleRecords(deps, parsed.records, record, context);
  }
}

async function handleRecords(
  deps: UploadDeps,
  events: readonly ObjectEvent[],
  record: QueueRecord,
  context: RecordContext,
): Promise<RecordResult> {
  const results: RecordResult[] = [];
  const faults: Fault[] = [];
  for (const event of events) {
    const result = await handleEvent(deps, event, record, context);
    if ('reason' in result) faults.push(result);
    else results.push(result);
  }
  // One row holds the message, however many of its records cannot be read.
  if (faults.length > 0)
    results.push(await isolated(() => parkWhole(deps, record, context, faults), deps, record, context));
  return combined(results);
}

interface Fault {
  readonly reason: ParkReason;
  readonly detail: string;
}

async function handleEvent(
  deps: UploadDeps,
  event: ObjectEvent,
  record: QueueRecord,
  context: RecordContext,
): Promise<RecordResult | Fault> {
  switch (event.kind) {
    case 'created':
      return isolated(async () => handleCreated(deps, { object: event, record, context }), deps, record, context);
    case 'other':
      return done({ kind: 'ignored', subject: event.key, detail: `${event.eventName} is no upload` });
    case 'bad-key':
      return { reason: 'BAD_KEY', detail: `the key ${JSON.stringify(event.rawKey.slice(0, 300))} cannot be decoded` };
    case 'bad-record':
      return { reason: event.reason, detail: event.detail };
  }
}

/** A mark of the doctor has no row of an upload and no dataset: it is no upload. */
async function handleCreated(deps: UploadDeps, work: UploadWork): Promise<RecordResult> {
  const { object } = work;
  const test = object.bucket === deps.bucket ? linkTestInObject(object) : undefined;
  if (test === undefined) return registerUpload(deps, work);
  return endLinkTest(test, work, { ...deps, worker: 'register-datasets' });
}

/** A record that fails does not take its neighbours along. */
async function isolated(
  work: () => Promise<RecordResult>,
  deps: UploadDeps,
  record: QueueRecord,
  context: RecordContext,
): Promise<RecordResult> {
  try {
    return await work();
  } catch (error) {
    const { name, message } = toError(error);
    context.log.error(logEvents.failed, `attempt failed: ${message}`, { messageId: record.messageId, name });
    return later(laterDelayMs(record.receiveCount, deps.random), `${name}: ${message}`);
  }
}

function combined(results: readonly RecordResult[]): RecordResult {
  const outcomes: readonly Outcome[] = results.flatMap((result) => result.outcomes ?? []);
  const waiting = results.filter((result) => result.kind === 'later');
  const [first] = waiting.toSorted((a, b) => a.delayMs - b.delayMs);
  return first === undefined ? done(...outcomes) : later(first.delayMs, first.why, outcomes);
}

async function parkWhole(
  deps: UploadDeps,
  record: QueueRecord,
  context: RecordContext,
  faults: readonly Fault[],
): Promise<RecordResult> {
  const now = context.now();
  const reason = faults[0]?.reason ?? 'BAD_MESSAGE';
  const detail = listedDetail(
    faults.map((fault) => fault.detail),
    'records',
  );
  const { messageId } = record;
  const parked = parkedWork(record, 'uploads', now);
  const isRepeat = await isParkedMessage(deps.ledger, 'uploads', messageId);
  const pk = await parkMessage(deps.ledger, { messageId, parked, reason, detail, now });
  const ledgerKey = keyInTable(deps.config.mode, pk);
  const eventId = `${ledgerKey}:parked`;
  const followUp = async () => {
    const { nextStep } = parkReasons[reason];
    const worker = 'register-datasets';
    const facts = { worker, subject: messageId, reason, detail, nextStep };
    await deps.bus.publish(eventTypes.workParked, { eventId, ledgerKey, ...facts });
    context.log.info(logEvents.eventPublished, eventTypes.workParked, { eventId });
  };
  const outcome: Outcome = { kind: 'parked', subject: messageId, reason, detail, fields: { ledgerKey } };
  return reportOnce(outcome, { isRepeat, followUp }, { record, context, random: deps.random });
}
