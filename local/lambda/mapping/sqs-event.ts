/** Messages of SQS as the records that Lambda hands to a function. */
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';

/** Where the messages come from. */
export interface SqsSource {
  readonly queueArn: string;
  readonly region: string;
}

/** The event for a batch, as JSON. */
export function sqsEvent(messages: readonly Message[], source: SqsSource): string {
  return JSON.stringify({ Records: messages.map((message) => sqsRecord(message, source)) });
}

function sqsRecord(message: Message, { queueArn, region }: SqsSource): object {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, attributeOf(value)]),
    ),
    ...(message.MD5OfMessageAttributes === undefined ? {} : { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}

function attributeOf(value: MessageAttributeValue): object {
  return {
    ...(value.StringValue === undefined ? {} : { stringValue: value.StringValue }),
    ...(value.BinaryValue === undefined ? {} : { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: value.DataType,
  };
}
