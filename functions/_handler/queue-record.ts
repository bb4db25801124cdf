import type { Log } from './output.ts';

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
