import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  SQSClient,
  SendMessageBatchCommand,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import type { Message } from '@aws-sdk/client-sqs';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startLocalAws } from './start-local-aws.ts';

const ARN = 'arn:aws:sqs:eu-west-1:000000000000:App-';
let clock = Date.UTC(2026, 10, 20);
const aws = await startLocalAws({ now: () => clock });
afterAll(aws.close);
const sqs = new SQSClient(aws.developer);
beforeEach(async () => {
  for (const queue of ['Jobs', 'DeadJobs', 'Heard'])
    await sqs.send(new PurgeQueueCommand({ QueueUrl: aws.queueUrl(queue) }));
});

async function send(body: string, queue = 'Jobs'): Promise<void> {
  await sqs.send(new SendMessageCommand({ QueueUrl: aws.queueUrl(queue), MessageBody: body }));
}

async function receive(queue = 'Jobs', waitSeconds = 0): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: aws.queueUrl(queue),
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: waitSeconds,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  return (await sqs.send(command)).Messages ?? [];
}

async function setVisibility(message: Message | undefined, seconds: number): Promise<void> {
  const QueueUrl = aws.queueUrl('Jobs');
  const ReceiptHandle = message?.ReceiptHandle;
  await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: seconds }));
}

describe('queues', () => {
  // SendMessage (Amazon SQS API Reference): #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD |
  // #x10000 to #x10FFFF. Every character used to be taken.
  test.each(['\u0000', '\u0008', '\u000b', '\u001f', '\ufffe', '\uffff'])(
    'refuse a body with %j',
    async (character) => {
      await expect(send(`a${character}b`)).rejects.toMatchObject({ name: 'InvalidMessageContents' });
      const Entries = [
        { Id: 'bad', MessageBody: character },
        { Id: 'good', MessageBody: 'good' },
      ];
      const batch = await sqs.send(new SendMessageBatchCommand({ QueueUrl: aws.queueUrl('Jobs'), Entries }));

      expect(batch.Failed?.map(({ Id, Code }) => [Id, Code])).toEqual([['bad', 'InvalidMessageContents']]);
      expect((await receive()).map(({ Body }) => Body)).toEqual(['good']);
    },
  );

  test('take a body with every other character', async () => {
    const body = '\t\n\r \u007f\ud7ff\ue000\ufffd\u{10000}\u{10ffff}';
    await send(body);

    expect((await receive()).map(({ Body }) => Body)).toEqual([body]);
  });

  test('hide a message for its visibility timeout, then show it with its count', async () => {
    await send('one');
    const [first] = await receive();
    const meanwhile = await receive();
    clock += 60_000;
    const [second] = await receive();

    expect(first).toMatchObject({ Body: 'one', Attributes: { ApproximateReceiveCount: '1' } });
    expect(meanwhile).toEqual([]);
    expect(second).toMatchObject({ MessageId: first?.MessageId, Attributes: { ApproximateReceiveCount: '2' } });
  });

  test.each([0, 600])('show a message again %i s after that was asked, and lose nothing', async (seconds) => {
    await send('later');
    const [message] = await receive();
    await setVisibility(message, seconds);
    clock += Math.max(0, seconds - 1) * 1000;
    expect(await receive()).toHaveLength(seconds === 0 ? 1 : 0);
    clock += 1000;

    expect(await receive()).toHaveLength(seconds === 0 ? 0 : 1);
  });

  test('forget a message that was deleted', async () => {
    await send('done');
    const [message] = await receive();
    await sqs.send(new DeleteMessageCommand({ QueueUrl: aws.queueUrl('Jobs'), ReceiptHandle: message?.ReceiptHandle }));
    clock += 60_000;

    expect(await receive()).toEqual([]);
    await expect(setVisibility(message, 5)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  test('move a message to the dead-letter queue after its receives, and say where it came from', async () => {
    await send('poison');
    for (let round = 0; round < 3; round++) {
      await receive();
      clock += 60_000;
    }

    expect(aws.door.queueDepths()).toMatchObject({ 'App-Jobs': { visible: 0 }, 'App-DeadJobs': { visible: 1 } });
    expect(await receive('DeadJobs')).toMatchObject([
      { Body: 'poison', Attributes: { DeadLetterQueueSourceArn: `${ARN}Jobs` } },
    ]);
  });

  test('take dead letters back to where they came from', async () => {
    await send('a', 'DeadJobs');
    await send('b', 'DeadJobs');
    const [dead] = await receive('DeadJobs');
    clock += 60_000;
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: `${ARN}DeadJobs` }));

    const redriven = await receive();
    expect(redriven.map(({ Body }) => Body)).toEqual(['a', 'b']);
    // "All redriven messages are considered new messages with a new messageID and enqueueTime":
    // docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
    expect(redriven[0]?.MessageId).not.toBe(dead?.MessageId);
    expect(redriven[0]?.Attributes).toMatchObject({ SentTimestamp: String(clock), ApproximateReceiveCount: '1' });
  });

  test('answer a batch entry by entry', async () => {
    const Entries = [
      { Id: 'good', MessageBody: 'x' },
      { Id: 'late', MessageBody: 'x', DelaySeconds: 5 },
      { Id: 'bad', MessageBody: 'x', DelaySeconds: 5000 },
    ];
    const sent = await sqs.send(new SendMessageBatchCommand({ QueueUrl: aws.queueUrl('Jobs'), Entries }));
    const [message] = await receive();
    const deleted = await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl: aws.queueUrl('Jobs'),
        Entries: [{ Id: '0', ReceiptHandle: message?.ReceiptHandle }],
      }),
    );

    expect(sent.Successful?.map(({ Id }) => Id)).toEqual(['good', 'late']);
    expect(sent.Failed).toMatchObject([{ Id: 'bad', Code: 'InvalidParameterValue', SenderFault: true }]);
    expect(deleted.Successful).toEqual([{ Id: '0' }]);
    expect(aws.door.queueDepths()['App-Jobs']).toEqual({ visible: 0, inFlight: 0, delayed: 1 });
  });

  test('carry message attributes with the digest that clients check', async () => {
    const MessageAttributes = {
      text: { DataType: 'String', StringValue: 'ü' },
      bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
    };
    const input = { QueueUrl: aws.queueUrl('Jobs'), MessageBody: 'x', MessageAttributes };
    const { MD5OfMessageAttributes } = await sqs.send(new SendMessageCommand(input));
    const [message] = await receive();

    expect(message?.MessageAttributes).toMatchObject(MessageAttributes);
    expect(message?.MD5OfMessageAttributes).toBe(MD5OfMessageAttributes);
  });

  test('wake a waiting receiver when a message comes', async () => {
    const waiting = receive('Jobs', 20);
    await send('at last');

    expect(await waiting).toMatchObject([{ Body: 'at last' }]);
  });

  test('drop what is older than the retention', async () => {
    await send('old');
    clock += 345_601_000;

    expect(await receive()).toEqual([]);
  });

  test('show their attributes and depth', async () => {
    await send('x');
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: aws.queueUrl('Jobs'), AttributeNames: ['All'] }),
    );

    expect(Attributes).toMatchObject({ VisibilityTimeout: '60', ApproximateNumberOfMessages: '1' });
    expect(JSON.parse(Attributes?.['RedrivePolicy'] ?? '')).toMatchObject({ maxReceiveCount: 2 });
  });

  test('are named in the error when they do not exist', async () => {
    await expect(send('x', 'Nothing')).rejects.toBeInstanceOf(QueueDoesNotExist);
  });
});
