import { expect, test } from 'vitest';

import { sqsEvent } from '#local/lambda/mapping/handle-batch.ts';

const source = { queueArn: 'arn:aws:sqs:eu-west-1:000000000000:uploads', region: 'eu-west-1' };

test('a message becomes a record in Lambda’s shape', () => {
  const message = {
    MessageId: 'm1',
    ReceiptHandle: 'handle',
    Body: '{"a":1}',
    MD5OfBody: 'md5',
    MD5OfMessageAttributes: 'md5a',
    Attributes: { ApproximateReceiveCount: '2', SentTimestamp: '1' } as const,
    MessageAttributes: {
      kind: { DataType: 'String', StringValue: 'csv' },
      bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
    },
  };

  expect(JSON.parse(sqsEvent([message], source))).toEqual({
    Records: [
      {
        messageId: 'm1',
        receiptHandle: 'handle',
        body: '{"a":1}',
        attributes: { ApproximateReceiveCount: '2', SentTimestamp: '1' },
        messageAttributes: {
          kind: { stringValue: 'csv', stringListValues: [], binaryListValues: [], dataType: 'String' },
          bytes: { binaryValue: 'AQI=', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
        },
        md5OfMessageAttributes: 'md5a',
        md5OfBody: 'md5',
        eventSource: 'aws:sqs',
        eventSourceARN: source.queueArn,
        awsRegion: 'eu-west-1',
      },
    ],
  });
});
