import type { Log, LogFields } from './function-log.ts';
import type { OutcomeKind, ReasonCode } from '#shared/vocabulary/reason-codes.ts';

/** A message as a worker sees it: no AWS event, no context. */
export interface QueueRecord {
  readonly messageId: string;
  readonly body: string;
  /** Deliveries so far, this one included. */
  readonly receiveCount: number;
  /** When it entered the queue. */
  readonly sentAt: Date;
  /** Who sent it, as SQS proves it. */
  readonly senderId?: string;
  /** ARN of the queue that it came from. */
  readonly queueArn: string;
}

/** What the wrapper gives a worker beside the record. */
export interface RecordContext {
  readonly log: Log;
  readonly now: () => Date;
  /** Milliseconds until the function is cut. */
  readonly remainingMs: () => number;
  /**
   * Unique for this attempt, in characters of a header: owner of leases, and what its requests can
   * be found by.
   */
  readonly attemptId: string;
}

/** One delivery of a message. */
export interface RecordDelivery {
  readonly record: QueueRecord;
  readonly context: RecordContext;
}

/** How one piece of work ended; it is in the ledger by the time a worker returns it. */
export interface Outcome {
  readonly kind: OutcomeKind;
  /** What it was about: a command id, an object key. */
  readonly subject: string;
  /** For people, if the subject is an id. @default the subject */
  readonly title?: string;
  readonly reason?: ReasonCode;
  readonly detail?: string;
  /** More fields for its log line. */
  readonly fields?: LogFields;
  /**
   * Its line was written before the ledger row, and says as much as another line could. @default
   * false
   */
  readonly isLogged?: boolean;
}

/** What a worker answers for one message: all of it ended, or the queue keeps it for a while. */
export type RecordResult =
  | { readonly kind: 'done'; readonly outcomes: readonly Outcome[] }
  | {
      readonly kind: 'later';
      /** Not sooner than this; by the message's visibility timeout. */
      readonly delayMs: number;
      readonly why: string;
      /** Work of the same message that did end. */
      readonly outcomes?: readonly Outcome[];
    };

/** A message that ended with one outcome. */
export function done(...outcomes: readonly Outcome[]): RecordResult {
  return { kind: 'done', outcomes };
}

/** A message that goes back to its queue for at least `delayMs`. */
export function later(delayMs: number, why: string, outcomes: readonly Outcome[] = []): RecordResult {
  return { kind: 'later', delayMs, why, outcomes };
}
