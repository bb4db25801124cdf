import type { BodyEvidence, FailureFacts } from '../../gateway-client/index.ts';
import type { LedgerRowBase, RecordedOutcome } from './row-base.ts';

/** A message that has no key of its own: it cannot be read, or SQS gave it up. */
export interface MessageRow extends LedgerRowBase {
  readonly kind: 'message';
  readonly outcome?: RecordedOutcome;
  readonly parked?: ParkedWork;
  readonly resolutions?: readonly Resolution[];
  /** Of the one row `message#mailed`: of which message people got the last mail, and when. */
  readonly mailed?: { readonly of: string; readonly at: string };
}

/** What is known about the last request that failed. */
export interface RequestEvidence extends FailureFacts {
  readonly requestSent?: boolean;
  readonly requestId?: string;
}

/** A parked row keeps what a person and a repeat need. */
export interface ParkedWork extends RequestEvidence {
  /** The message as it came. No queue takes a larger one than a row can hold. */
  readonly message: string;
  /** Logical queue that `resolve --repeat` sends it back to. */
  readonly queue: QueueName;
  readonly attempts: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
  /** A dataset's name, or another handle to look for at the gateway. */
  readonly lookFor?: string;
  /** Of an answer that could not be read. */
  readonly answer?: BodyEvidence;
}

/** The queues by what they carry. */
export type QueueName = 'commands' | 'uploads';

/** A person's decision about a parked row. */
export interface Resolution {
  readonly decision: 'applied' | 'repeat' | 'dismiss';
  readonly by: string;
  readonly reason: string;
  readonly at: string;
  readonly datasetId?: string;
  /** Of a repeat of a command: the id of the new command. */
  readonly as?: string;
}

/**
 * The rows that a person resolved under one short handle: they have left the index, and can still
 * be shown.
 */
export interface HandleRow extends LedgerRowBase {
  readonly kind: 'handle';
  /** Their keys; several only if the handles of several rows begin alike. */
  readonly rows: readonly string[];
}

/** What parking keeps of a message, for every kind of row. */
export function parkedWork(
  record: { readonly body: string; readonly receiveCount: number; readonly sentAt: Date },
  queue: QueueName,
  now: Date,
  evidence: RequestEvidence & Pick<ParkedWork, 'lookFor' | 'answer'> = {},
): ParkedWork {
  return {
    message: record.body,
    queue,
    attempts: record.receiveCount,
    firstSeen: record.sentAt.toISOString(),
    lastSeen: now.toISOString(),
    ...evidence,
  };
}
