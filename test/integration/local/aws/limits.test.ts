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
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalAws, startLocalAws } from './start-local-aws.ts';

const mebibyte = 1024 * 1024;
const hours = 3600;

let aws: LocalAws;
let clock = Date.UTC(2026, 10, 20);
let answerBytes = 2;
const invoked: number[] = [];
const clients: { destroy(): void }[] = [];
function opened<Client extends { destroy(): void }>(client: Client): Client {
  clients.push(client);
  return client;
}

beforeAll(async () => {
  aws = await startLocalAws({
    now: () => clock,
    invokeFunction: async (_name, payload) => {
      invoked.push(payload.length);
      return { payload: JSON.stringify('x'.repeat(answerBytes - 2)) };
    },
  });
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await aws[Symbol.asyncDispose]();
});

describe('queues', () => {
  let sqs: SQSClient;
  let QueueUrl: string;
  beforeAll(() => {
    sqs = opened(new SQSClient(aws.developer));
    QueueUrl = aws.queueUrl('Jobs');
  });
  const visibility = async (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
    sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  async function received(): Promise<string | undefined> {
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    return Messages?.[0]?.ReceiptHandle;
  }

  // "There is a 12-hour maximum limit from when the message is received": Amazon SQS Developer Guide,
  // docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
  test('hide a message for 12 hours in all from its receive, and no longer', async () => {
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
    await sqs.send(new PurgeQueueCommand({ QueueUrl }));
  });

  // "The maximum allowed individual message size and the maximum total payload size are both 1 MiB":
  // docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
  test('take a batch of 1 MiB in all, and none that is larger', async () => {
    const batch = async (bytes: number) => {
      const Entries = [bytes - 10, 10].map((size, n) => ({ Id: String(n), MessageBody: 'x'.repeat(size) }));
      return sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    };

    expect((await batch(mebibyte)).Successful).toHaveLength(2);
    await expect(batch(mebibyte + 1)).rejects.toMatchObject({ name: 'BatchRequestTooLong' });
    await sqs.send(new PurgeQueueCommand({ QueueUrl }));
  });

  // Attributes count: docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
  test('count the attributes of a message with its body', async () => {
    const MessageAttributes = { a: { DataType: 'String', StringValue: 'x'.repeat(20) } };
    const sent = async (bytes: number) =>
      sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x'.repeat(bytes), MessageAttributes }));

    await sent(mebibyte - 27);
    await expect(sent(mebibyte - 26)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

// "Invocation payload (request and response): 6 MB each (synchronous), 1 MB (asynchronous)":
// docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
describe('an invocation', () => {
  let lambda: LambdaClient;
  beforeAll(() => {
    lambda = opened(new LambdaClient(aws.developer));
  });
  const most = 6 * mebibyte;
  const invoke = async (bytes: number, InvocationType: 'Event' | 'RequestResponse' = 'RequestResponse') =>
    lambda.send(
      new InvokeCommand({ FunctionName: 'App-Worker', InvocationType, Payload: JSON.stringify('x'.repeat(bytes - 2)) }),
    );

  test.each([
    ['RequestResponse', most],
    ['Event', mebibyte],
  ] as const)('of kind %s takes an event of up to %i bytes', async (type, bytes) => {
    await invoke(bytes, type);
    expect(invoked.at(-1)).toBe(bytes);

    await expect(invoke(bytes + 1, type)).rejects.toMatchObject({ name: 'RequestTooLargeException' });
    expect(invoked.at(-1)).toBe(bytes);
  });

  test('whose answer is larger than 6 MB is an error of the function', async () => {
    answerBytes = most + 100;
    expect(await invoke(2)).not.toHaveProperty('FunctionError');

    answerBytes = most + 101;
    const { FunctionError, Payload } = await invoke(2);

    expect(FunctionError).toBe('Unhandled');
    expect(Payload?.transformToString()).toContain('Function.ResponseSizeTooLarge');
  });
});

// "The aggregate size of the items in the transaction cannot exceed 4 MB":
// docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
test('a transaction of more than 4 MB in all writes nothing', async () => {
  const dynamo = opened(new DynamoDBClient(aws.developer));
  const write = async (items: number) =>
    dynamo.send(
      new TransactWriteItemsCommand({
        TransactItems: Array.from({ length: items }, (_, n) => ({
          Put: { TableName: 'App-Ledger', Item: { pk: { S: `${n}` }, text: { S: 'x'.repeat(380 * 1024) } } },
        })),
      }),
    );

  await write(10);
  await expect(write(11)).rejects.toMatchObject({
    name: 'ValidationException',
    message: expect.stringContaining('4 MB'),
  });
});

// "The maximum size of user-defined metadata is 2 KB", the sum of the bytes of keys and values:
// docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
test('an object takes metadata of 2 KB', async () => {
  const s3 = opened(new S3Client(aws.developer));
  const put = async (bytes: number) =>
    s3.send(
      new PutObjectCommand({
        Bucket: 'inbox-000000000000',
        Key: 'limits/metadata',
        Body: 'x',
        Metadata: { note: 'x'.repeat(bytes - 4) },
      }),
    );

  await put(2048);
  await expect(put(2049)).rejects.toMatchObject({ name: 'MetadataTooLarge' });
});

// SecretString: "Maximum length of 65536":
// docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutSecretValue.html
test('a secret takes 64 KB', async () => {
  const secrets = opened(new SecretsManagerClient(aws.developer));
  const secret = aws.assembly.resources.find(({ type }) => type === 'AWS::SecretsManager::Secret');
  const put = async (bytes: number) =>
    secrets.send(new PutSecretValueCommand({ SecretId: secret?.physicalId, SecretString: 'x'.repeat(bytes) }));

  await put(65_536);
  await expect(put(65_537)).rejects.toMatchObject({ name: 'ValidationException' });
});
