import { DynamoDBClient, GetItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectVersionsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand, SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { localTemplate } from './local-template.ts';
import { startLocalAws } from './start-local-aws.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

const CHILD = fileURLToPath(new URL('front-door-child.ts', import.meta.url));
const Bucket = 'inbox-000000000000';
const Key = 'elsewhere/kept.csv';
const item = { TableName: 'App-Ledger', Key: { pk: { S: 'kept' } } };
const dataDir = folderOfFile();

/**
 * Runs some work against a front door in another process, then kills that process without warning.
 */
async function andThenKill(work: (client: { endpoint: string; region: string }) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [CHILD, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [chunk] = await once(child.stdout, 'data');
    await work({ endpoint: String(chunk).trim(), region: 'eu-west-1' });
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

test('everything that was answered is still there after a SIGKILL', async () => {
  await andThenKill(async (where) => {
    const client = { ...where, credentials: developerKey };
    const sqs = new SQSClient(client);
    const QueueUrl = `${where.endpoint}/000000000000/App-Jobs`;
    const s3 = new S3Client(client);
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'one' }));
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'two' }));
    // The bucket's test event and this one: the first is in flight when the process dies.
    await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'waiting' }));
    const Put = { TableName: item.TableName, Item: { pk: { S: 'kept' } } };
    await new DynamoDBClient(client).send(new TransactWriteItemsCommand({ TransactItems: [{ Put }] }));
    const secret = { SecretId: 'gateway-token', SecretString: 'kept' };
    await new SecretsManagerClient(client).send(new PutSecretValueCommand(secret));
  });

  await using aws = await startLocalAws({ dataDir });
  const s3 = new S3Client(aws.developer);
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  const { Versions } = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: Key }));
  const before = aws.door.queueDepths()['App-Jobs'];
  const released = aws.door.makeInFlightVisible();

  expect(await Body?.transformToString()).toBe('two');
  expect(Versions).toHaveLength(2);
  expect(before).toEqual({ visible: 1, inFlight: 1, delayed: 0 });
  expect(released).toBe(1);
  expect(aws.door.queueDepths()['App-Jobs']).toEqual({ visible: 2, inFlight: 0, delayed: 0 });
  expect((await new DynamoDBClient(aws.developer).send(new GetItemCommand(item))).Item).toEqual({ pk: { S: 'kept' } });
  const secrets = new SecretsManagerClient(aws.worker);
  const secret = await secrets.send(new GetSecretValueCommand({ SecretId: 'gateway-token' }));
  expect(secret.SecretString).toBe('kept');
  expect(statSync(join(dataDir, 'secrets.json')).mode.toString(8)).toMatch(/600$/);
});

test('a table whose keys changed is refused instead of quietly kept', async () => {
  const { Resources, ...rest } = localTemplate();
  const changed = JSON.stringify({ ...rest, Resources }).replaceAll('"pk"', '"other"');

  const start = startLocalAws({ dataDir, template: JSON.parse(changed) });

  await expect(start).rejects.toThrow('table App-Ledger differ from those on disk: start again with --fresh');
});
