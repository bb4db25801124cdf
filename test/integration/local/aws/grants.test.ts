import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient, SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, test } from 'vitest';
import { WORKER_ROLE, startLocalAws } from './start-local-aws.ts';
import type { LocalAws } from './start-local-aws.ts';

const Bucket = 'inbox-000000000000';
const WHO = 'User: arn:aws:sts::000000000000:assumed-role/App-WorkerRole/App-Worker is not authorized to perform: ';

/** One request for each grant of the worker, in their order. */
const uses: [string, (local: LocalAws) => Promise<unknown>][] = [
  [
    'sqs:SendMessage',
    (local) => {
      const Entries = [{ Id: '0', MessageBody: 'x' }];
      return new SQSClient(local.worker).send(
        new SendMessageBatchCommand({ QueueUrl: local.queueUrl('Jobs'), Entries }),
      );
    },
  ],
  ['s3:GetObject', (local) => new S3Client(local.worker).send(new GetObjectCommand({ Bucket, Key: 'k' }))],
  [
    'dynamodb:Query',
    (local) =>
      new DynamoDBClient(local.worker).send(
        new QueryCommand({
          TableName: 'App-Ledger',
          IndexName: 'open',
          KeyConditionExpression: '#o = :o',
          ExpressionAttributeNames: { '#o': 'open' },
          ExpressionAttributeValues: { ':o': { S: 'x' } },
        }),
      ),
  ],
  [
    'secretsmanager:GetSecretValue',
    (local) => new SecretsManagerClient(local.worker).send(new GetSecretValueCommand({ SecretId: 'gateway-token' })),
  ],
  [
    'events:PutEvents',
    (local) => {
      const entry = { EventBusName: 'outcomes', Source: 's', DetailType: 't', Detail: '{}' };
      return new EventBridgeClient(local.worker).send(new PutEventsCommand({ Entries: [entry] }));
    },
  ],
];

const bucketArn = `arn:aws:s3:::${Bucket}`;
const grantOfObjects = { Effect: 'Allow', Action: 's3:GetObjectVersion', Resource: `${bucketArn}/*` };
const grantOfBucket = (actions: readonly string[]) => ({ Effect: 'Allow', Action: [...actions], Resource: bucketArn });

const aws = await startLocalAws();
await new S3Client(aws.developer).send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
const secrets = new SecretsManagerClient(aws.developer);
await secrets.send(new PutSecretValueCommand({ SecretId: 'gateway-token', SecretString: 'x' }));
afterAll(aws.close);

describe('a function may do what its role allows', () => {
  test.each(uses)('%s', async (_action, use) => {
    await expect(use(aws)).resolves.toBeDefined();
  });

  test('and nothing else: not another queue, not another action', async () => {
    const sqs = new SQSClient(aws.worker);
    const elsewhere = sqs.send(new SendMessageCommand({ QueueUrl: aws.queueUrl('DeadJobs'), MessageBody: 'x' }));

    await expect(elsewhere).rejects.toMatchObject({ name: 'AccessDeniedException' });
    const write = new S3Client(aws.worker).send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
    await expect(write).rejects.toMatchObject({ name: 'AccessDenied' });
  });

  test('a missing key is a refusal to those who may not list, and no 404', async () => {
    const read = new S3Client(aws.worker).send(new GetObjectCommand({ Bucket, Key: 'missing' }));

    await expect(read).rejects.toMatchObject({
      name: 'AccessDenied',
      message: expect.stringContaining('s3:ListBucket'),
    });
  });

  test('reading a version by its id is another action', async () => {
    const read = new S3Client(aws.worker).send(new GetObjectCommand({ Bucket, Key: 'k', VersionId: 'any' }));

    await expect(read).rejects.toThrow(`${WHO}s3:GetObjectVersion`);
  });

  test.each([
    ['s3:ListBucket', { name: 'AccessDenied', message: expect.stringContaining('s3:ListBucket on') }],
    ['s3:ListBucketVersions', { name: 'AccessDenied', message: expect.stringContaining('s3:ListBucketVersions on') }],
    ['neither', { name: 'NoSuchVersion' }],
  ])('a missing version, to a reader who lacks %s of the lists', async (missing, answer) => {
    const lists = ['s3:ListBucket', 's3:ListBucketVersions'].filter((action) => action !== missing);
    await using listing = await startLocalAws({ grants: [grantOfBucket(lists), grantOfObjects] });
    const read = new S3Client(listing.worker).send(new GetObjectCommand({ Bucket, Key: 'k', VersionId: 'gone' }));

    await expect(read).rejects.toMatchObject(answer);
  });

  test('a policy for the top of a bucket lists the top, and nothing without the empty prefix and the delimiter', async () => {
    const top = { StringEquals: { 's3:prefix': '', 's3:delimiter': '/' } };
    await using listing = await startLocalAws({ grants: [{ ...grantOfBucket(['s3:ListBucket']), Condition: top }] });
    await new S3Client(listing.developer).send(new PutObjectCommand({ Bucket, Key: 'below/k', Body: 'x' }));
    const worker = new S3Client(listing.worker);
    const list = async (words: object) => worker.send(new ListObjectsV2Command({ Bucket, ...words }));

    expect((await list({ Prefix: '', Delimiter: '/' })).CommonPrefixes).toEqual([{ Prefix: 'below/' }]);
    for (const words of [{}, { Prefix: '' }, { Delimiter: '/' }, { Prefix: 'below/', Delimiter: '/' }])
      await expect(list(words)).rejects.toMatchObject({ name: 'AccessDenied' });
  });

  test('the runner itself delivers in the name of a role only what the role may send', () => {
    const caller = aws.authority.roleCaller(WORKER_ROLE, 'nightly');
    const arn = 'arn:aws:sqs:eu-west-1:000000000000:App-';

    expect(aws.door.sendMessageAs(caller, `${arn}Jobs`, { body: 'x' })).toEqual(expect.any(String));
    expect(() => aws.door.sendMessageAs(caller, `${arn}DeadJobs`, { body: 'x' })).toThrow('not authorized');
  });
});

describe('without grants', async () => {
  const bare = await startLocalAws({ grants: [] });
  afterAll(bare.close);

  test('the terminal hears of each refused action once, with role, action and resource', async () => {
    const read = (Key: string) => new S3Client(bare.worker).send(new GetObjectCommand({ Bucket, Key }));

    for (const key of ['a', 'b', 'a']) await expect(read(key)).rejects.toThrow('not authorized');
    const send = new SendMessageCommand({ QueueUrl: bare.queueUrl('Jobs'), MessageBody: 'x' });
    await expect(new SQSClient(bare.worker).send(send)).rejects.toThrow('not authorized');

    expect(bare.logged).toEqual([
      expect.stringContaining(`AccessDenied: ${WHO}s3:GetObject on resource: arn:aws:s3:::${Bucket}/a `),
      expect.stringContaining(`AccessDenied: ${WHO}sqs:SendMessage on resource: arn:aws:sqs:`),
    ]);
  });

  test.each(uses)('%s is an AccessDenied that names role, action and resource', async (action, use) => {
    const refused = use(bare);

    await expect(refused).rejects.toThrow(`${WHO}${action} on resource: arn:aws:`);
    await expect(refused).rejects.toMatchObject({ name: expect.stringMatching(/^AccessDenied(Exception)?$/) });
  });
});
