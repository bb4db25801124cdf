/**
 * An event source mapping of the template as the run on one machine needs it, and what it needs
 * from the runner.
 */
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { CallsInHand } from '../../clock/movable-clock.ts';
import type { InvokeResult } from '../local-function.ts';

/** One AWS::Lambda::EventSourceMapping from SQS. */
export interface LocalMapping {
  readonly functionName: string;
  readonly queueArn: string;
  readonly enabled: boolean;
  /** At most 10: larger ones need a window, which no mapping of a stage has. */
  readonly batchSize: number;
  /** @default 5, where Lambda starts too */
  readonly maximumConcurrency?: number | undefined;
  /** FunctionResponseTypes holds ReportBatchItemFailures. */
  readonly reportsItemFailures: boolean;
}

/** What a mapping needs from the runner. */
export interface MappingPorts {
  /** The queue, under the function's role. */
  readonly access: QueueAccess;
  readonly invoke: (functionName: string, payload: string) => Promise<InvokeResult>;
  /** No batch is taken while the clock is about to move. */
  readonly calls: CallsInHand;
  readonly log: (line: string) => void;
}

// The event source mapping's own calls to SQS, made under the function's role as they are in AWS.

/**
 * One request waits this long for a message. Short, because closing waits for it to end. One that
 * is cut off may have taken a message already, which then stays hidden for its whole visibility
 * timeout. Waiting costs next to nothing.
 */
const WAIT_SECONDS = 1;

/** How the queue is reached. */
export interface QueueAccess {
  readonly queueUrl: string;
  readonly endpointUrl: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** A message that has what is needed to handle it. */
export type ReceivedMessage = Message & { readonly MessageId: string; readonly ReceiptHandle: string };

/** One queue, read for one function. */
export interface QueueReader {
  /**
   * Asks how long the queue is, as Lambda's pollers do; they take nothing from a queue that they
   * may not look at.
   */
  readonly look: () => Promise<void>;
  /** Waits a moment for messages. */
  readonly receive: (limit: number) => Promise<readonly ReceivedMessage[]>;
  /** Deletes messages; the ones that could not be deleted come back with the reason. */
  readonly remove: (messages: readonly ReceivedMessage[]) => Promise<readonly string[]>;
  readonly close: () => void;
}

/** Opens the queue of a mapping. */
export function openQueueReader({ queueUrl, endpointUrl, region, credentials }: QueueAccess): QueueReader {
  const client = new SQSClient({ endpoint: endpointUrl, region, credentials, maxAttempts: 2 });
  return {
    async look() {
      await client.send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
      );
    },
    async receive(limit) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: limit,
          WaitTimeSeconds: WAIT_SECONDS,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      return Messages.filter((message): message is ReceivedMessage => isWhole(message));
    },
    async remove(messages) {
      if (messages.length === 0) return [];
      const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      return Failed.map(({ Code, Message: reason }) => `${Code ?? 'Error'}: ${reason ?? ''}`);
    },
    close: () => client.destroy(),
  };
}

function isWhole(message: Message): message is ReceivedMessage {
  return message.MessageId !== undefined && message.ReceiptHandle !== undefined;
}
