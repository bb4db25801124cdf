import { toError } from '#shared/errors/app-error.ts';
import { laterDelayMs } from '#shared/gateway-client/retry-timing.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { done, later, type Outcome, type RecordResult } from './outcome.ts';
import type { QueueRecord, RecordContext } from './queue-worker.ts';

/** One delivery of a message whose outcome is in the ledger. */
interface Delivery {
  readonly record: Pick<QueueRecord, 'messageId' | 'receiveCount'>;
  readonly context: Pick<RecordContext, 'log'>;
  readonly random: () => number;
}

/**
 * Makes the follow-ups of an outcome that is in the ledger, and reports it: with the delivery that recorded it and never again, also where a
 * follow-up fails and the message has to come back for it.
 * @param isRepeat - an earlier delivery recorded the outcome and has reported it
 * @example return reportOnce(outcome, { isRepeat: false, followUp: () => bus.publish(…) }, { record, context, random });
 */
export async function reportOnce(
  outcome: Outcome,
  work: { readonly isRepeat: boolean; readonly followUp: () => Promise<unknown> | undefined },
  { record, context, random }: Delivery,
): Promise<RecordResult> {
  const { messageId, receiveCount } = record;
  const fresh = work.isRepeat ? [] : [outcome];
  try {
    await work.followUp();
  } catch (error) {
    const { name, message } = toError(error);
    context.log.error(logEvents.failed, `a follow-up failed: ${message}`, { messageId, name });
    return later(laterDelayMs(receiveCount, random), `${name}: ${message}`, fresh);
  }
  if (work.isRepeat) {
    const { kind, subject, reason } = outcome;
    context.log.info(logEvents.repeated, 'its outcome is recorded already', {
      messageId,
      subject,
      outcome: kind,
      reason,
    });
  }
  return done(...fresh);
}
