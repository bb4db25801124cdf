import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  ChangeMessageVisibilityCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startLocalAws } from './start-local-aws.ts';

const mebibyte = 1024 * 1024;
const hours = 3600;
const text = (bytes: number) => 'x'.repeat(bytes);

let clock = Date.UTC(2026, 10, 20);
let answerBytes = 2;
const aws = await startLocalAws({
  now: () => clock,
  invokeFunction: async () => ({ payload: JSON.stringify(text(answerBytes - 2)) }),
});
afterAll(aws.close);
const sqs = new SQSClient(aws.developer);
const QueueUrl = aws.queueUrl('Jobs');
beforeEach(async () => sqs.send(new PurgeQueueCommand({ QueueUrl })));

async function invoke(bytes: number, InvocationType: 'Event' | 'RequestResponse' = 'RequestResponse') {
  const Payload = JSON.stringify(text(bytes - 2));
  return new LambdaClient(aws.developer).send(
    new InvokeCommand({ FunctionName: 'App-Worker', InvocationType, Payload }),
  );
}

test.each<[what: string, most: number, name: string, send: (size: number) => Promise<unknown>]>([
  // "The maximum allowed individual message size and the maximum total payload size are both 1 MiB":
  // docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
  [
    'a batch of messages',
    mebibyte,
    'BatchRequestTooLong',
    async (size) => {
      const Entries = [size - 10, 10].map((bytes, n) => ({ Id: String(n), MessageBody: text(bytes) }));
      return sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    },
  ],
  // docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
  [
    'a message, its attributes counted,',
    mebibyte,
    'InvalidParameterValue',
    async (size) => {
      const MessageAttributes = { a: { DataType: 'String', StringValue: text(20) } };
      return sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: text(size - 27), MessageAttributes }));
    },
  ],
  // "Invocation payload (request and response): 6 MB each (synchronous), 1 MB (asynchronous)":
  // docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
  ['an invocation', 6 * mebibyte, 'RequestTooLargeException', async (size) => invoke(size)],
  ['an event', mebibyte, 'RequestTooLargeException', async (size) => invoke(size, 'Event')],
  // "The aggregate size of the items in the transaction cannot exceed 4 MB"; a key of two bytes and one of four:
  // docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
  [
    'a transaction',
    4 * mebibyte,
    'ValidationException',
    async (size) => {
      const sizes = [...Array.from({ length: 15 }, () => 256 * 1024), size - 15 * 256 * 1024];
      const TransactItems = sizes.map((bytes, n) => ({
        Put: {
          TableName: 'App-Ledger',
          Item: { pk: { S: String.fromCodePoint(97 + n) }, text: { S: text(bytes - 7) } },
        },
      }));
      return new DynamoDBClient(aws.developer).send(new TransactWriteItemsCommand({ TransactItems }));
    },
  ],
  // The sum of the bytes of keys and values: docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
  [
    'the metadata of an object',
    2048,
    'MetadataTooLarge',
    async (size) => {
      const object = { Bucket: 'inbox-000000000000', Key: 'limits/metadata', Body: 'x' };
      return new S3Client(aws.developer).send(new PutObjectCommand({ ...object, Metadata: { note: text(size - 4) } }));
    },
  ],
  // docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutSecretValue.html
  [
    'a secret',
    65_536,
    'ValidationException',
    async (size) =>
      new SecretsManagerClient(aws.developer).send(
        new PutSecretValueCommand({ SecretId: 'gateway-token', SecretString: text(size) }),
      ),
  ],
])('%s takes %i bytes and no more', async (_what, most, name, send) => {
  await expect(send(most)).resolves.not.toHaveProperty('FunctionError');
  await expect(send(most + 1)).rejects.toMatchObject({ name });
});

// "There is a 12-hour maximum limit from when the message is received": Amazon SQS Developer Guide,
// docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
test('a message is hidden for 12 hours in all from its receive, and no longer', async () => {
  const visibility = async (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
    sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  const received = async () => (await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages?.[0]?.ReceiptHandle;
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'long' }));
  const receipt = await received();
  await visibility(receipt, 11 * hours);
  clock += 10 * hours * 1000;

  await visibility(receipt, 2 * hours);
  await expect(visibility(receipt, 2 * hours + 1)).rejects.toMatchObject({
    name: 'InvalidParameterValue',
    message: expect.stringContaining('beyond the limit [43200 seconds]'),
  });

  clock += 2 * hours * 1000;
  await visibility(await received(), 12 * hours);
});

test('an answer of a function that is larger than 6 MB is its error', async () => {
  answerBytes = 6 * mebibyte + 100;
  expect(await invoke(2)).not.toHaveProperty('FunctionError');

  answerBytes += 1;
  const { FunctionError, Payload } = await invoke(2);

  expect(FunctionError).toBe('Unhandled');
  expect(Payload?.transformToString()).toContain('Function.ResponseSizeTooLarge');
});
