import { toError } from '#shared/errors/app-error.ts';
import { laterDelayMs } from '#shared/gateway-client/index.ts';
import { isParkedMessage, listedDetail, parkedWork, parkMessage } from '#shared/ledger/open-rows.ts';
import { isFolderMarker } from '#shared/uploads/object-key.ts';
import { type ObjectEvent, parseObjectEvents } from '#shared/uploads/object-events.ts';
import { eventTypes, objectPrefixes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { type ParkReason, parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { done, later, type Outcome, type RecordResult } from '../_handler/record-result.ts';
import type { QueueRecord, RecordContext } from '../_handler/queue-record.ts';
import { reportOnce } from '../_handler/worker-reports.ts';
import { type SendPlanDeps, sendPlan } from './send-plan.ts';

/** A record that is no plan of ours, and why. */
interface Refusal {
  readonly reason: ParkReason;
  readonly detail: string;
}

/**
 * Handles one message of the plans queue: an S3 event with one record or several, each of which
 * ends by itself. A record that fails sends the message back, and those that ended only repeat
 * their follow-ups at its next delivery.
 */
export async function handlePlanMessage(
  record: QueueRecord,
  context: RecordContext,
  deps: SendPlanDeps,
): Promise<RecordResult> {
  const parsed = parseObjectEvents(record.body);
  if (parsed.kind === 'test-event') {
    return done({
      kind: 'ignored',
      subject: record.messageId,
      title: 's3:TestEvent',
      detail: 'the test event of the bucket',
    });
  }
  if (parsed.kind === 'bad') {
    return parkRefused(record, context, [{ reason: 'BAD_MESSAGE', detail: parsed.detail }], deps);
  }

  const outcomes: Outcome[] = [];
  const refusals: Refusal[] = [];
  const failures: string[] = [];
  const collect = (result: RecordResult) => {
    outcomes.push(...(result.outcomes ?? []));
    if (result.kind === 'later') failures.push(result.why);
  };
  for (const event of parsed.records) {
    const refusal = refusalOf(event, deps.bucket);
    if (refusal !== undefined) {
      refusals.push(refusal);
      continue;
    }
    try {
      collect(await handleOurs(event, record, context, deps));
    } catch (error) {
      const { name, message } = toError(error);
      failures.push(`${name}: ${message}`);
      context.log.error(logEvents.failed, `attempt failed: ${message}`, { messageId: record.messageId, name });
    }
  }

  // One row for the message, however many of its records are not ours.
  if (refusals.length > 0) collect(await parkRefused(record, context, refusals, deps));
  if (failures.length === 0) return done(...outcomes);
  return later(laterDelayMs(record.receiveCount, deps.random), failures.join('; '), outcomes);
}

function refusalOf(event: ObjectEvent, bucket: string): Refusal | undefined {
  if (event.kind === 'bad-record') return { reason: event.reason, detail: event.detail };
  if (event.bucket !== bucket) return { reason: 'FOREIGN_EVENT', detail: `the bucket ${event.bucket} is not ours` };
  if (event.kind === 'bad-key') {
    return { reason: 'BAD_KEY', detail: `the key ${JSON.stringify(event.rawKey.slice(0, 1100))} cannot be decoded` };
  }
  if (!event.key.startsWith(objectPrefixes.runPlans)) {
    return {
      reason: 'FOREIGN_EVENT',
      detail: `the key ${JSON.stringify(event.key)} is not below ${objectPrefixes.runPlans}`,
    };
  }
  return undefined;
}

async function handleOurs(
  event: ObjectEvent,
  record: QueueRecord,
  context: RecordContext,
  deps: SendPlanDeps,
): Promise<RecordResult> {
  if (event.kind === 'other') return done(ignored(event.key, `${event.eventName} is no upload`));
  if (event.kind !== 'created') throw new Error(`a ${event.kind} event is refused before it gets here`);
  if (isFolderMarker(event)) return done(ignored(event.key, 'a folder marker'));
  return sendPlan(event, record, context, deps);
}

function ignored(subject: string, detail: string): Outcome {
  return { kind: 'ignored', subject, detail };
}

async function parkRefused(
  record: QueueRecord,
  context: RecordContext,
  refusals: readonly Refusal[],
  deps: Pick<SendPlanDeps, 'config' | 'ledger' | 'bus' | 'random'>,
): Promise<RecordResult> {
  const now = context.now();
  const reason = refusals[0]?.reason ?? 'BAD_MESSAGE';
  const detail = listedDetail(
    refusals.map((refusal) => refusal.detail),
    'records',
  );
  const parked = parkedWork(record, 'plans', now);
  const isRepeat = await isParkedMessage(deps.ledger, 'plans', record.messageId);
  const subject = await parkMessage(deps.ledger, { messageId: record.messageId, parked, reason, detail, now });
  const { nextStep } = parkReasons[reason];
  const followUp = () =>
    deps.bus.publish(eventTypes.workParked, { eventId: subject, subject, reason, detail, nextStep });
  const outcome: Outcome = { kind: 'parked', subject, reason, detail };
  return reportOnce(outcome, { isRepeat, followUp }, { record, context, random: deps.random });
}
