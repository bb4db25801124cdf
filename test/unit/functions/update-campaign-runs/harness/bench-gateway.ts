import { BadStatusError } from '#shared/gateway-client/index.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { QueueRecord } from '#functions/_handler/queue-record.ts';

/** What the gateway does with the next PATCH. */
export type Answer =
  | 'ok'
  | 'not-sent'
  | 'applied-then-lost'
  | 'lost'
  /** No answer, and the effect so much later. */
  | { lateMs: number }
  | { status: number; text: string; retryAfterMs?: number; fields?: readonly string[] };

/** A refusal as the client throws it; its `Date` is the gateway's clock. */
export function badStatus(
  of: {
    readonly status: number;
    readonly text: string;
    readonly retryAfterMs?: number;
    readonly fields?: readonly string[];
  },
  gatewayMs: number,
): BadStatusError {
  const { status, text, retryAfterMs, fields = [] } = of;
  const details = { text, fields: fields.map((field) => ({ field, message: text })) };
  const date = new Date(Math.floor(gatewayMs / 1000) * 1000);
  return new BadStatusError('PATCH', { status, details, namesResource: true, retryAfterMs, date });
}

/** A message of the queue as the worker sees it. */
export function recordOf(
  command: CampaignRunCommand | string,
  { receiveCount = 1, sentAt, senderId }: Pick<Partial<QueueRecord>, 'receiveCount' | 'sentAt' | 'senderId'>,
  { messageId, at }: { readonly messageId: string; readonly at: Date },
): QueueRecord {
  const body = typeof command === 'string' ? command : JSON.stringify(command);
  const queueArn = 'arn:aws:sqs:eu-west-1:000000000000:commands';
  return { messageId, body, receiveCount, sentAt: sentAt ?? at, senderId, queueArn };
}

/** A log that keeps nothing. */
export const quietLog = { debug() {}, info() {}, warn() {}, error() {} };
